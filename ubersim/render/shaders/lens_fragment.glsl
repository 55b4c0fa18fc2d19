// The lens pass: every pixel of the picture finds its place in the atlas of flat views. OUTPUT as in output.glsl.
#if OUTPUT == 0
uniform sampler2D atlas;
out vec4 pixel;
#elif OUTPUT == 1
uniform sampler2D atlas;
out float pixel;
#else
uniform usampler2D atlas;
out uint pixel;
#endif

uniform sampler2D lookup;    // place in the atlas [px], negative: nothing is seen
uniform vec2 picture;        // width and height [px]
uniform float vignetting;    // loss in the corners
uniform float largest_blur;  // radius [px]
uniform float noise;         // standard deviation, of full scale
uniform uvec2 noise_key;     // seed and frame

#if NOISE
// A permutation of 96 bits that leaves no visible pattern (multiply, add, xorshift).
uvec3 scrambled(uvec3 v) {
    v = v * 1664525u + 1013904223u;
    v.x += v.y * v.z; v.y += v.z * v.x; v.z += v.x * v.y;
    v ^= v >> 16u;
    v.x += v.y * v.z; v.y += v.z * v.x; v.z += v.x * v.y;
    return v;
}

// Three independent standard normal numbers (Box and Muller).
vec3 gaussian(uvec2 place) {
    uvec3 first = scrambled(uvec3(place.x | (place.y << 16u), noise_key.x, noise_key.y));
    uvec3 second = scrambled(first ^ uvec3(0x9e3779b9u, 0x7f4a7c15u, 0xf39cc060u));
    vec2 radius = sqrt(-2.0 * log((vec2(first.xy >> 8u) + 0.5) / 16777216.0));
    vec2 angle = vec2(second.xy >> 8u) * (6.28318530718 / 16777216.0);
    return vec3(radius.x * cos(angle.x), radius.x * sin(angle.x), radius.y * cos(angle.y));
}
#endif

#if BLUR
// Gathers over a spiral; a neighbour counts if its own blur reaches here, so that sharp things do not bleed outwards.
vec3 gathered(vec2 place, vec2 size) {
    vec4 centre = texture(atlas, place / size);
    vec3 sum = centre.rgb;
    float weight = 1.0;
    for (int i = 1; i <= 32; ++i) {
        float away = largest_blur * sqrt(float(i) / 32.0);
        float turn = float(i) * 2.39996323;
        vec4 tap = texture(atlas, (place + away * vec2(cos(turn), sin(turn))) / size);
        float reaches = clamp(tap.a * largest_blur - away + 1.0, 0.0, 1.0);
        sum += tap.rgb * reaches;
        weight += reaches;
    }
    return sum / weight;
}
#endif

void main() {
#if WARP
    vec2 place = texelFetch(lookup, ivec2(gl_FragCoord.xy), 0).xy;
    bool seen = place.x >= 0.0;
#else
    vec2 place = gl_FragCoord.xy;
    bool seen = true;
#endif
#if OUTPUT == 0
    vec2 size = vec2(textureSize(atlas, 0));
#if BLUR
    vec3 color = gathered(place, size);
#elif WARP
    vec3 color = texture(atlas, place / size).rgb;
#else
    vec3 color = texelFetch(atlas, ivec2(place), 0).rgb;
#endif
    color = seen ? color : vec3(0.0);
#if VIGNETTE
    vec2 off = (2.0 * gl_FragCoord.xy - picture);
    color *= 1.0 - vignetting * dot(off, off) / dot(picture, picture);
#endif
#if NOISE
    color += noise * gaussian(uvec2(gl_FragCoord.xy));
#endif
    pixel = vec4(color, 1.0);
#elif OUTPUT == 1
    pixel = seen ? texelFetch(atlas, ivec2(place), 0).r : uintBitsToFloat(0x7f800000u);
#else
    pixel = seen ? texelFetch(atlas, ivec2(place), 0).r : 0u;
#endif
}
