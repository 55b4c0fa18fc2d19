in vec3 point;

#if OUTPUT == 0
// Integral of a wave that is 1 on every second tile, and of one that is 1 within a line: differences are exact averages.
vec2 checks(vec2 x) {
    return abs(fract(0.5 * x) - 0.5) * 2.0;
}

vec2 lines(vec2 x, float width) {
    vec2 nearest = floor(x + 0.5);
    return nearest * width + clamp(x - nearest, -0.5 * width, 0.5 * width);
}

vec3 floor_color() {
#if TILES
    vec2 place = point.xy * (1.0 / tile);
    vec2 wide = max(fwidth(place), vec2(1e-4));
    vec2 from = place - 0.5 * wide;
    vec2 to = place + 0.5 * wide;
    vec2 stripes = (checks(from) - checks(to)) / wide;
    vec3 color = mix(tile_color, second_color, 0.5 - 0.5 * stripes.x * stripes.y);
#if LINES
    vec2 joint = (lines(to, line_width / tile) - lines(from, line_width / tile)) / wide;
    color = mix(color, line_color, 1.0 - (1.0 - joint.x) * (1.0 - joint.y));
#endif
    return color;
#else
    return tile_color;
#endif
}
#endif

void main() {
#if OUTPUT == 0
    vec3 shine;
    vec3 light = floor_color() * illumination(point, vec3(0.0, 0.0, 1.0), shine) + ground_glow;
#if FADE
    vec2 away = (point.xy - eye.xy) * (1.0 / fade);
    float left = 1.0 / (1.0 + dot(away, away));
    light = mix(horizon, light, left * left);
#endif
    pixel = encoded(light, point);
#elif OUTPUT == 1
    pixel = depth_of(point);
#else
    pixel = uint(ground_id);
#endif
}
