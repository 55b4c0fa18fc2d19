// Light that reaches a point. SUNS, LAMPS, SPOTS and how many of them cast shadows are constants, so loops vanish.
uniform sampler2DShadow shadow_maps;

#if SHADOWS
float lit(int map, vec3 point, vec3 normal) {
    vec4 place = shadow_from_world[map] * vec4(point + normal * (shadow_shape.z * shadow_pixel[map]), 1.0);
    vec3 at = place.xyz / place.w;
    if (place.w <= 0.0 || any(lessThan(at.xy, vec2(0.0))) || any(greaterThan(at.xy, vec2(1.0))))
        return 1.0;
    // What lies beyond the map's depth, such as the ground far below, is shaded all the same.
    at.z = clamp(at.z, 0.0, 1.0);
    float sum = 0.0;
    for (int y = -SOFTNESS; y <= SOFTNESS; ++y)
        for (int x = -SOFTNESS; x <= SOFTNESS; ++x) {
            // Kept half a pixel inside, lest the neighbouring map bleeds in.
            vec2 tap = clamp(at.xy + vec2(x, y) * shadow_shape.y, 0.5 * shadow_shape.y, 1.0 - 0.5 * shadow_shape.y);
            sum += texture(shadow_maps, vec3((tap.x + float(map)) / shadow_shape.x, tap.y, at.z));
        }
    return sum / float((2 * SOFTNESS + 1) * (2 * SOFTNESS + 1));
}
#endif

#if GLOSS
float highlight(vec3 normal, vec3 towards_light, vec3 towards_eye) {
    float s = max(dot(normal, normalize(towards_light + towards_eye)), 0.0);
    s *= s; s *= s; s *= s; s *= s; s *= s;
    return s * ambient_below.w;
}
#endif

// Diffuse light in rgb, highlights added to `shine`.
vec3 illumination(vec3 point, vec3 normal, out vec3 shine) {
    vec3 sum = mix(ambient_below.rgb, ambient_above.rgb, 0.5 + 0.5 * normal.z);
    shine = vec3(0.0);
#if GLOSS
    vec3 towards_eye = normalize(eye.xyz - point);
#endif
#if SUNS
    for (int i = 0; i < SUNS; ++i) {
        vec3 towards = light_direction[i].xyz;
        float amount = max(dot(normal, towards), 0.0);
#if SHADOWS
        if (i < SUN_SHADOWS)
            amount *= lit(i, point, normal);
#endif
        sum += light_color[i].rgb * amount;
#if GLOSS
        shine += light_color[i].rgb * (highlight(normal, towards, towards_eye) * min(amount * 4.0, 1.0));
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
            float inside = (dot(towards, light_direction[i].xyz) - light_direction[i].w) * light_color[i].w;
            amount *= clamp(inside, 0.0, 1.0);
#if SHADOWS
            if (i < SUNS + LAMPS + SPOT_SHADOWS)
                amount *= lit(SUN_SHADOWS + i - SUNS - LAMPS, point, normal);
#endif
        }
        sum += light_color[i].rgb * amount;
#if GLOSS
        shine += light_color[i].rgb * (highlight(normal, towards, towards_eye) * min(amount * 4.0, 1.0));
#endif
    }
#endif
    return sum;
}
