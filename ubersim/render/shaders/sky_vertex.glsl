out vec3 ray;

void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    ray = ray_middle.xyz + corner.x * ray_x.xyz + corner.y * ray_y.xyz;
    gl_Position = vec4(corner, 1.0, 1.0);
    gl_ClipDistance[0] = ray.z - forward.w;
}
