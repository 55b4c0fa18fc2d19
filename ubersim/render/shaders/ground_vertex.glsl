out vec3 point;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    point = vec3(view.eye.xy + corner * view.exposure.w, ground_height);
    carry();
    gl_Position = view.clip_from_world * vec4(point, 1.0);
}
