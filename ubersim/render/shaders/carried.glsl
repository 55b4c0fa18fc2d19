// What fragments know of the view, of single shadow maps and of lights, if some move and they are few. Vertices carry it, the same for all of them: a CPU that draws reads
// every number of a block anew for every pixel, as if it might be another one. Compilers drop what is not used.
// CARRIED: flat out in vertex shaders, flat in in fragment shaders.
CARRIED vec4 eye;
CARRIED vec4 forward;
CARRIED vec4 exposure;
#if SHADOWS && SINGLES
CARRIED mat4 shadow_from_world[SINGLES];
CARRIED float shadow_offset[SINGLES];
#endif
#if CARRIED_LIGHTS
CARRIED vec3 light_color[CARRIED_LIGHTS];
CARRIED vec4 light_place[CARRIED_LIGHTS];
CARRIED vec3 light_direction[CARRIED_LIGHTS];
#endif
