// Where the shadow maps are; the maps of suns first, then those of spots, then six for each lamp.
layout(std140) uniform Shadows {
    mat4 shadow_from_world[MAPS];
    vec4 shadow_offset[MAPS]; // x: how far a point is moved off its surface before it is looked up, for the map's own pixels [m]
};
