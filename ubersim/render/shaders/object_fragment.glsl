in vec3 point;
in vec3 normal;
flat in vec4 coat;
#if PAINT == 1
in vec3 own;
#elif PAINT == 2
in vec2 at;
uniform sampler2D skin;
#endif

void main() {
#if OUTPUT == 0
    vec3 shine;
#if FLAT
    vec3 face = normalize(cross(dFdx(point), dFdy(point)));
    vec3 facing = dot(face, point - eye.xyz) > 0.0 ? -face : face;
#else
    // An open mesh is seen from both sides.
    vec3 facing = normalize(gl_FrontFacing ? normal : -normal);
#endif
    vec3 color = coat.rgb;
#if PAINT == 1
    color *= own;
#elif PAINT == 2
    vec3 printed = texture(skin, at).rgb;
    color *= printed * printed;
#endif
#if RADIATION
    vec3 light = vec3(coat.r) * illumination(point, facing, shine) + coat.g; // what it reflects, what it emits
#else
    vec3 light = color * illumination(point, facing, shine) + shine;
#endif
    pixel = encoded(light, point);
#elif OUTPUT == 1
    pixel = depth_of(point);
#else
    pixel = uint(coat.a + 0.5);
#endif
}
