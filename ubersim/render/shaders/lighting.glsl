// Light that reaches a point. SUNS, LAMPS, SPOTS and how many of them cast shadows are constants, so loops vanish.
uniform sampler2DShadow shadow_maps;

#if SHADOWS
// Off the surface by the map's pixels, and by what this picture's and the map's corners may differ: nothing shades itself.
vec3 lifted(vec3 point, vec3 normal, float offset) {
#if LIFT
    return point + normal * (offset + eye.w * dot(forward.xyz, point - eye.xyz));
#else
    return point;
#endif
}

float looked_up(int map, mat4 from_world, vec3 point) {
    vec4 place = from_world * vec4(point, 1.0);
    vec3 at = map < SUN_SHADOWS ? place.xyz : place.xyz / place.w;
    // What lies beyond the map's depth, such as the ground far below, is shaded all the same.
    at.z = min(at.z, 1.0);
    vec2 off = abs(at.xy - 0.5);
    if (max(off.x, off.y) > 0.5 || (map >= SUN_SHADOWS && place.w <= 0.0))
        return 1.0;
#if SOFTNESS == 0
    vec2 corner = vec2(map % COLUMNS, map / COLUMNS);
    return texture(shadow_maps, vec3((at.xy + corner) * vec2(1.0 / float(COLUMNS), 1.0 / float(ROWS)), at.z));
#else
    vec2 corner = vec2(map % COLUMNS, map / COLUMNS);
    float sum = 0.0;
    for (int y = -SOFTNESS; y <= SOFTNESS; ++y)
        for (int x = -SOFTNESS; x <= SOFTNESS; ++x) {
            // Kept half a pixel inside, lest the neighbouring map bleeds in.
            vec2 tap = clamp(at.xy + vec2(x, y) * shadow_pixel, 0.5 * shadow_pixel, 1.0 - 0.5 * shadow_pixel);
            sum += texture(shadow_maps, vec3((tap + corner) * vec2(1.0 / float(COLUMNS), 1.0 / float(ROWS)), at.z));
        }
    return sum / float((2 * SOFTNESS + 1) * (2 * SOFTNESS + 1));
#endif
}

#if SINGLES
float lit(int map, vec3 point, vec3 normal) {
    return looked_up(map, shadow_from_world[map], lifted(point, normal, shadow_offset[map]));
}
#endif

#if LAMP_SHADOWS
// The cube around a lamp: the side that the point lies on speaks.
float lit_by_lamp(int first, vec3 lamp, vec3 point, vec3 normal) {
    vec3 way = lifted(point, normal, maps.offset[first].x * length(point - lamp)) - lamp;
    vec3 far = abs(way);
    int axis = far.x >= far.y && far.x >= far.z ? 0 : (far.y >= far.z ? 1 : 2);
    int map = first + 2 * axis + (way[axis] < 0.0 ? 1 : 0);
    return looked_up(map, maps.from_world[map], lamp + way);
}
#endif
#endif

#if GLOSS
float highlight(vec3 normal, vec3 towards_light, vec3 towards_eye) {
    float s = max(dot(normal, normalize(towards_light + towards_eye)), 0.0);
    s *= s; s *= s; s *= s; s *= s; s *= s;
    return s * gloss;
}
#endif

// Diffuse light in rgb, highlights added to `shine`.
vec3 illumination(vec3 point, vec3 normal, out vec3 shine) {
    vec3 sum = mix(ambient_below, ambient_above, 0.5 + 0.5 * normal.z);
    shine = vec3(0.0);
#if GLOSS
    vec3 towards_eye = normalize(eye.xyz - point);
#endif
#if SUNS
    for (int i = 0; i < SUNS; ++i) {
        vec3 towards = light_direction[i];
        float amount = max(dot(normal, towards), 0.0);
#if SHADOWS && SUN_SHADOWS
        if (i < SUN_SHADOWS)
            amount *= lit(i, point, normal);
#endif
        sum += light_color[i] * amount;
#if GLOSS
        shine += light_color[i] * (highlight(normal, towards, towards_eye) * min(amount * 4.0, 1.0));
#endif
    }
#endif
#if LAMPS || SPOTS
    for (int i = SUNS; i < SUNS + LAMPS + SPOTS; ++i) {
        vec3 away = light_place[i].xyz - point;
        float square = dot(away, away);
        vec3 towards = away * inversesqrt(square);
        float amount = max(dot(normal, towards), 0.0) / (1.0 + square * light_place[i].w);
        if (i >= SUNS + LAMPS) {
            float inside = (dot(towards, light_direction[i]) - light_edge[i].x) * light_edge[i].y;
            amount *= clamp(inside, 0.0, 1.0);
#if SHADOWS && SPOT_SHADOWS
            if (i < SUNS + LAMPS + SPOT_SHADOWS)
                amount *= lit(SUN_SHADOWS + i - SUNS - LAMPS, point, normal);
#endif
        }
#if SHADOWS && LAMP_SHADOWS
        else if (i < SUNS + LAMP_SHADOWS)
            amount *= lit_by_lamp(SUN_SHADOWS + SPOT_SHADOWS + 6 * (i - SUNS), light_place[i].xyz, point, normal);
#endif
        sum += light_color[i] * amount;
#if GLOSS
        shine += light_color[i] * (highlight(normal, towards, towards_eye) * min(amount * 4.0, 1.0));
#endif
    }
#endif
    return sum;
}
