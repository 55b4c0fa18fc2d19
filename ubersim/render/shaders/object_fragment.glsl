in vec3 point;
in vec3 normal;
flat in vec4 coat;

void main() {
#if OUTPUT == 0
    vec3 shine;
    // An open mesh is seen from both sides.
    vec3 facing = normalize(gl_FrontFacing ? normal : -normal);
    vec3 light = coat.rgb * illumination(point, facing, shine) + shine;
    pixel = encoded(light, point);
#elif OUTPUT == 1
    pixel = depth_of(point);
#else
    pixel = uint(coat.a + 0.5);
#endif
}
