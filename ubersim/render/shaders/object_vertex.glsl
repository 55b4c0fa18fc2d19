in vec4 corner; // unit shape, w: shift
in vec3 corner_normal;
#if PAINT == 1
in vec3 tint;
out vec3 own;
#elif PAINT == 2
in vec2 place;
out vec2 at;
#endif
in vec4 row_x;  // one instance: matrix from unit shape to world
in vec4 row_y;
in vec4 row_z;
in float shift;
in vec4 paint;  // rgb: linear colour; a: object id

out vec3 point;
out vec3 normal;
flat out vec4 coat;

void main() {
    vec4 local = vec4(corner.xy, corner.z + corner.w * shift, 1.0);
    point = vec3(dot(row_x, local), dot(row_y, local), dot(row_z, local));
    // Scaled along with the shape, yet right: every unit shape's normals lie along or around the axes it is scaled by.
    normal = vec3(dot(row_x.xyz, corner_normal), dot(row_y.xyz, corner_normal), dot(row_z.xyz, corner_normal));
    coat = paint;
#if PAINT == 1
    own = tint * tint; // light adds up linearly
#elif PAINT == 2
    at = place;
#endif
    carry();
    gl_Position = view.clip_from_world * vec4(point, 1.0);
}
