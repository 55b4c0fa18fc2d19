// Where the shadow maps are; the maps of suns first, then those of spots.
layout(std140) uniform Shadows {
    mat4 shadow_from_world[4];
    vec4 shadow_offset; // how far a point is moved off its surface before it is looked up, for the map's own pixels [m]
};
