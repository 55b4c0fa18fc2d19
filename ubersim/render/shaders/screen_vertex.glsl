// One triangle over everything, and what the lens pass knows of its camera: carried along, as in carried.glsl.
uniform vec2 picture;     // width and height [px]
uniform float vignetting; // loss in the corners
uniform float noise;      // standard deviation, of full scale
uniform uvec2 noise_key;  // seed and frame
flat out vec2 extent;
flat out float loss;
flat out float deviation;
flat out uvec2 key;

void main() {
    extent = picture;
    loss = vignetting;
    deviation = noise;
    key = noise_key;
    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
