// Where the shadow maps are; the maps of suns first, then those of spots, then six for each lamp.
#if SHADOWS
layout(std140) uniform Shadows {
    mat4 from_world[MAPS];
    vec4 offset[MAPS]; // x: how far a point is moved off its surface before it is looked up, for the map's own pixels [m]
} maps;
#endif
