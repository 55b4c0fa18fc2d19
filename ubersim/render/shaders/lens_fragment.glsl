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

uniform sampler2D lookup;    // xy: place in the atlas [px], negative: nothing is seen; z: depth of the camera per depth of the view
flat in vec2 extent;      // width and height of the picture [px]
flat in float loss;       // of light in the corners
flat in float deviation;  // of the noise, of full scale
flat in uvec2 key;        // of the noise: seed and frame

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
    uvec3 first = scrambled(uvec3(place.x | (place.y << 16u), key.x, key.y));
    uvec3 second = scrambled(first ^ uvec3(0x9e3779b9u, 0x7f4a7c15u, 0xf39cc060u));
    vec2 radius = sqrt(-2.0 * log((vec2(first.xy >> 8u) + 0.5) / 16777216.0));
    vec2 angle = vec2(second.xy >> 8u) * (6.28318530718 / 16777216.0);
    return vec3(radius.x * cos(angle.x), radius.x * sin(angle.x), radius.y * cos(angle.y));
}
#endif

#if BLUR
// Gathers over a spiral. A neighbour counts if its own blur reaches here, so that sharp things do not bleed outwards; what lies
// behind reaches no farther than the blur here, so that it does not bleed over sharp things either.
vec3 gathered(vec2 place, vec2 size) {
    vec4 centre = texture(atlas, place / size);
    float here = 2.0 * centre.a - 1.0;
    vec3 sum = centre.rgb;
    float weight = 1.0;
    for (int i = 1; i <= 32; ++i) {
        float away = LARGEST_BLUR * sqrt(float(i) / 32.0);
        float turn = float(i) * 2.39996323;
        vec4 tap = texture(atlas, (place + away * vec2(cos(turn), sin(turn))) / size);
        float there = 2.0 * tap.a - 1.0;
        float radius = there > here ? min(abs(there), abs(here)) : abs(there);
        float reaches = clamp(radius * LARGEST_BLUR - away + 0.5, 0.0, 1.0);
        sum += tap.rgb * reaches;
        weight += reaches;
    }
    return sum / weight;
}
#endif

#if OUTPUT == 1
// On a flat face 1 / depth is linear across a view, so blending that is exact; across an edge it would invent a place between
// two things, so there the nearest pixel speaks alone.
float depth_at(vec2 place) {
    vec2 corner = floor(place - 0.5);
    vec2 part = place - 0.5 - corner;
    ivec2 first = ivec2(corner);
    vec4 four = vec4(
        texelFetch(atlas, first, 0).r, texelFetch(atlas, first + ivec2(1, 0), 0).r,
        texelFetch(atlas, first + ivec2(0, 1), 0).r, texelFetch(atlas, first + ivec2(1, 1), 0).r
    );
    vec4 inverse = 1.0 / four;
    float least = min(min(inverse.x, inverse.y), min(inverse.z, inverse.w));
    float most = max(max(inverse.x, inverse.y), max(inverse.z, inverse.w));
    if (most > 1.1 * least)
        return texelFetch(atlas, ivec2(place), 0).r;
    return 1.0 / mix(mix(inverse.x, inverse.y, part.x), mix(inverse.z, inverse.w, part.x), part.y);
}
#endif

void main() {
#if WARP
    vec3 found = texelFetch(lookup, ivec2(gl_FragCoord.xy), 0).xyz;
    vec2 place = found.xy;
    bool seen = place.x >= 0.0;
#else
    vec3 found = vec3(gl_FragCoord.xy, 1.0);
    vec2 place = found.xy;
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
    vec2 off = (2.0 * gl_FragCoord.xy - extent);
    color *= 1.0 - loss * dot(off, off) / dot(extent, extent);
#endif
#if NOISE
    color += deviation * gaussian(uvec2(gl_FragCoord.xy));
#endif
    pixel = vec4(color, 1.0);
#elif OUTPUT == 1
    pixel = seen ? found.z * depth_at(place) : uintBitsToFloat(0x7f800000u);
#else
    pixel = seen ? texelFetch(atlas, ivec2(place), 0).r : 0u;
#endif
}
