noperspective in vec3 ray;
out vec4 pixel;

void main() {
    float up = max(ray.z * inversesqrt(dot(ray, ray)), 0.0);
    vec3 light = mix(horizon, zenith, 1.0 - (1.0 - up) * (1.0 - up));
#if BLUR
    pixel = vec4(sqrt(light.bgr) * exposure.x, 0.5 + 0.5 * min(exposure.y * exposure.z, 1.0));
#else
    pixel = vec4(sqrt(light.bgr) * exposure.x, 1.0);
#endif
}
