// What a fragment becomes. OUTPUT: 0 image, 1 depth, 2 segmentation.
#if OUTPUT == 0
out vec4 pixel;
#elif OUTPUT == 1
out float pixel;
#else
out uint pixel;
#endif

float depth_of(vec3 point) {
    vec3 away = point - eye.xyz;
    return eye.w > 0.5 ? length(away) : dot(forward.xyz, away);
}

#if OUTPUT == 0
// Linear light to blue, green, red, alpha; with BLUR alpha carries how unsharp this place is.
vec4 encoded(vec3 light, vec3 point) {
#if BLUR
    float alpha = clamp(exposure.y * abs(exposure.z - 1.0 / depth_of(point)), 0.0, 1.0);
#else
    float alpha = 1.0;
#endif
    return vec4(sqrt(light.bgr) * exposure.x, alpha);
}
#endif
