#if CARRIED_LIGHTS
layout(std140) uniform Lamps {
    vec3 color[CARRIED_LIGHTS];
    vec4 place[CARRIED_LIGHTS];
    vec3 direction[CARRIED_LIGHTS];
} lamps;
#endif

void carry() {
    eye = view.eye;
    forward = view.forward;
    exposure = view.exposure;
#if SHADOWS && SINGLES
    for (int i = 0; i < SINGLES; ++i) {
        shadow_from_world[i] = maps.from_world[i];
        shadow_offset[i] = maps.offset[i].x;
    }
#endif
#if CARRIED_LIGHTS
    for (int i = 0; i < CARRIED_LIGHTS; ++i) {
        light_color[i] = lamps.color[i];
        light_place[i] = lamps.place[i];
        light_direction[i] = lamps.direction[i];
    }
#endif
}
