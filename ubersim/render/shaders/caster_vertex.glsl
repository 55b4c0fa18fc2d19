// As object_vertex, for shadow maps: only where, nothing else.
in vec4 corner;
in vec4 row_x;
in vec4 row_y;
in vec4 row_z;
in float shift;

void main() {
    vec4 local = vec4(corner.xy, corner.z + corner.w * shift, 1.0);
    gl_Position = view.clip_from_world * vec4(dot(row_x, local), dot(row_y, local), dot(row_z, local), 1.0);
}
