// One flat view: where it looks from, and what the camera makes of the light. For vertices.
layout(std140) uniform View {
    mat4 clip_from_world;
    vec4 eye;        // xyz: where from [m]; w: how far faces lie below the round surface that they stand for, per depth
    vec4 forward;    // xyz: optical axis; w: rays that rise less per depth meet the ground
    vec4 ray_middle; // the ray of a clip place (x, y) is ray_middle + x * ray_x + y * ray_y
    vec4 ray_x;
    vec4 ray_y;
    vec4 exposure;   // x: brightness; y, z: radius of blur = y * (z - 1 / depth), in parts of the largest;
                     // w: distance of the farthest corner that is seen [m]
} view;
