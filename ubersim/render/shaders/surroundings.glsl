// What stays the same while a scene lives: lights first suns, then lamps, then spots, those with shadows first in their kind.
layout(std140) uniform Surroundings {
    vec4 ambient_above;
    vec4 ambient_below; // w: gloss
    vec4 zenith;
    vec4 horizon;
    vec4 tile_color;    // w: edge of a tile [m]
    vec4 second_color;  // w: width of a line [m]
    vec4 line_color;    // w: distance of the fade [m]
    vec4 ground;        // x: height [m]; y: object id
    vec4 light_place[8];     // xyz: position [m]; w: 1 / reach²
    vec4 light_direction[8]; // xyz: towards the light; w: cosine at the cone's edge
    vec4 light_color[8];     // w: 1 / width of the soft edge, in cosines
};

layout(std140) uniform Shadows {
    mat4 shadow_from_world[4];
    vec4 shadow_shape; // x: maps in the row; y: size of a map's pixel, in maps; z: offset along the normal per pixel [m]
    vec4 shadow_pixel; // width of a map's pixel in the world, per map [m]
};
