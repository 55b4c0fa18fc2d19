// What a fragment becomes. OUTPUT: 0 image, 1 depth, 2 segmentation.
#if OUTPUT == 0
out vec4 pixel;
#elif OUTPUT == 1
out float pixel;
#else
out uint pixel;
#endif

// Distance along the view's own axis.
float depth_of(vec3 point) {
    return dot(forward.xyz, point - eye.xyz);
}

#if OUTPUT == 0
// Linear light to blue, green, red, alpha; with BLUR alpha carries how unsharp this place is, from -1 (near) over 0 to 1 (far).
vec4 encoded(vec3 light, vec3 point) {
#if BLUR
    float alpha = 0.5 + 0.5 * clamp(exposure.y * (exposure.z - 1.0 / depth_of(point)), -1.0, 1.0);
#else
    float alpha = 1.0;
#endif
    return vec4(sqrt(light.bgr) * exposure.x, alpha);
}
#endif
