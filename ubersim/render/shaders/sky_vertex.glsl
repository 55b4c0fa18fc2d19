noperspective out vec3 ray; // w is 1 everywhere: nothing to divide by

void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    ray = view.ray_middle.xyz + corner.x * view.ray_x.xyz + corner.y * view.ray_y.xyz;
    carry();
    gl_Position = vec4(corner, 1.0, 1.0);
    gl_ClipDistance[0] = ray.z - view.forward.w;
}
