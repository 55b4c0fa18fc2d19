"""The least that draws the benchmark's scene with moderngl: one instanced call per kind, ground, sky, read back.

No camera models, no culling, no levels of detail, no scene: everything that could be left out is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import moderngl
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SEGMENTS = 20
MAP = 1024
SUN = np.array([0.45, -0.55, 1.0]) / np.linalg.norm([0.45, -0.55, 1.0])

SHAPE = """#version 330
in vec4 at; in vec3 n; in mat4 model; in vec4 paint; uniform mat4 clip;
out vec3 world; out vec3 normal; flat out vec3 color;
void main() {
    vec4 w = model * vec4(at.xy, at.z + at.w * paint.w, 1);
    world = w.xyz; normal = mat3(model) * n; color = paint.rgb; gl_Position = clip * w;
}"""
LIGHT = """#version 330
#define RICH %d
uniform mat4 shadow; uniform sampler2DShadow map; uniform vec3 sun; uniform vec3 eye; out vec4 pixel;
float lit(vec3 at) {
#if RICH
    vec3 p = (shadow * vec4(at, 1)).xyz;
    vec2 off = abs(p.xy - .5);
    return max(off.x, off.y) > .5 ? 1.0 : texture(map, vec3(p.xy, min(p.z, 1.0)));
#else
    return 1.0;
#endif
}
vec4 shaded(vec3 at, vec3 n, vec3 color) {
    vec3 light = mix(vec3(.22, .2, .18), vec3(.34, .37, .42), .5 + .5 * n.z);
    light += vec3(.85, .83, .78) * max(dot(n, sun), 0) * lit(at);
    return vec4(sqrt(color * light).bgr, 1);
}
"""
SHAPE_LIGHT = """in vec3 world; in vec3 normal; flat in vec3 color;
void main() { vec3 n = normalize(normal); pixel = shaded(world + n * .005, n, color); }"""
GROUND = """#version 330
uniform mat4 clip; out vec3 world;
void main() {
    world = vec3((vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2 - 1) * 100, 0); gl_Position = clip * vec4(world, 1);
}"""
GROUND_LIGHT = """in vec3 world;
vec2 stripe(vec2 x) { return abs(fract(.5 * x) - .5) * 2; }
vec2 joint(vec2 x) { vec2 n = floor(x + .5); return n * .016 + clamp(x - n, -.008, .008); }
void main() {
    vec2 p = world.xy * 2, w = max(fwidth(p), 1e-4), s = (stripe(p - w / 2) - stripe(p + w / 2)) / w;
    vec2 j = (joint(p + w / 2) - joint(p - w / 2)) / w, away = (world.xy - eye.xy) / 30;
    vec3 c = mix(mix(vec3(.436, .476, .518), vec3(.36, .403, .449), .5 - .5 * s.x * s.y), vec3(.578, .616, .656),
                 1 - (1 - j.x) * (1 - j.y));
    float f = 1 / (1 + dot(away, away));
    vec3 far = sqrt(vec3(.706, .792, .884)).bgr;
    pixel = vec4(mix(far, shaded(world, vec3(0, 0, 1), c).rgb, f * f), 1);
}"""
SKY = """#version 330
uniform mat3 look; out vec3 ray;
void main() {
    vec2 p = vec2(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1);
    ray = look * vec3(p.x, 1, p.y); gl_Position = vec4(p, 1, 1);
}"""
SKY_LIGHT = """#version 330
in vec3 ray; out vec4 pixel;
void main() {
    float up = 1 - max(normalize(ray).z, 0);
    pixel = vec4(sqrt(mix(vec3(.13, .314, .672), vec3(.706, .792, .884), up * up)).bgr, 1);
}"""
CASTER = """#version 330
in vec4 at; in mat4 model; in vec4 paint; uniform mat4 clip;
void main() { gl_Position = clip * model * vec4(at.xy, at.z + at.w * paint.w, 1); }"""


def bare(
    width: int,
    height: int,
    rich: bool,
    kinds: Sequence[str],
    sizes: Sequence[tuple[float, ...]],
    colors: Array,
    eye: Array,
    turn: Array,
    fov: float,
) -> Callable[[Array, Array], None]:
    """A function that draws the bodies at their poses and reads the picture back."""
    settings: dict[str, str] = {"backend": "egl"}
    ctx = moderngl.create_context(standalone=True, **settings)  # type: ignore[arg-type]
    light = LIGHT % rich
    shape = ctx.program(SHAPE, light + SHAPE_LIGHT)
    ground = ctx.program(GROUND, light + GROUND_LIGHT)
    sky, caster = ctx.program(SKY, SKY_LIGHT), ctx.program(CASTER, "#version 330\nvoid main() {}")

    across, near, far = math.tan(fov / 2), 0.01, 100.0
    down = across * height / width
    view = np.eye(4)
    view[:3, :3], view[:3, 3] = turn.T, -turn.T @ eye
    depth = (far + near) / (far - near), -2 * far * near / (far - near)
    clip = np.array([[1 / across, 0, 0, 0], [0, 0, -1 / down, 0], [0, depth[0], 0, depth[1]], [0, 1, 0, 0]]) @ view
    right = np.cross(SUN, [0, 0, 1.0]) / np.linalg.norm(np.cross(SUN, [0, 0, 1.0]))
    sunlit = np.eye(4)
    sunlit[:3, :3] = np.stack([right, np.cross(right, -SUN), -SUN]) / 2.83
    sunlit[:3, 3] = -sunlit[:3, :3] @ [0, 2.5, 0.4]
    half = np.eye(4) / 2 + np.array([[0, 0, 0, 0.5]] * 3 + [[0, 0, 0, 0.5]])
    _set(caster, clip=_columns(sunlit))
    _set(sky, look=tuple((turn @ np.diag([across, 1, -down])).T.ravel()))
    for program in (shape, ground):
        _set(program, clip=_columns(clip), shadow=_columns(half @ sunlit), map=0, sun=tuple(SUN), eye=tuple(eye))

    order = np.argsort(np.array(kinds), kind="stable")
    models = np.zeros((len(kinds), 20), np.float32)
    models[:, 15] = 1
    scales = np.array([_scale(kinds[n], sizes[n]) for n in order])
    models[:, 16:19] = np.square(colors[order])
    models[:, 19] = [sizes[n][1] / 2 / sizes[n][0] if kinds[n] == "capsule" else 0 for n in order]
    matrices = models[:, :16].reshape(-1, 4, 4)
    draws: list[tuple[moderngl.VertexArray, moderngl.VertexArray, int]] = []
    for kind in sorted(set(kinds)):
        vertices, indices = _box() if kind == "box" else _round(kind)
        corners, faces = ctx.buffer(vertices.tobytes()), ctx.buffer(indices.tobytes())
        count = kinds.count(kind)
        part = ctx.buffer(reserve=count * 80, dynamic=True)
        lit = ctx.vertex_array(shape, [(corners, "4f 3f", "at", "n"), (part, "16f 4f/i", "model", "paint")], faces)
        dark = ctx.vertex_array(caster, [(corners, "4f 12x", "at"), (part, "16f 4f/i", "model", "paint")], faces)
        draws.append((lit, dark, count))
        lit.extra = part
    floor, back = ctx.vertex_array(ground, []), ctx.vertex_array(sky, [])

    samples = 4 if rich else 0
    color = ctx.renderbuffer((width, height), 4, samples=samples)
    target = ctx.framebuffer([color], ctx.depth_renderbuffer((width, height), samples=samples))
    picture = ctx.framebuffer([ctx.renderbuffer((width, height), 4)]) if rich else target
    shadow = ctx.depth_texture((MAP, MAP))
    shadow.compare_func = "<="
    shadow.filter = (moderngl.LINEAR, moderngl.LINEAR)
    shadow_target = ctx.framebuffer(depth_attachment=shadow)
    out = np.empty((height, width, 4), np.uint8)
    ctx.enable(ctx.DEPTH_TEST | ctx.CULL_FACE)

    def frame(positions: Array, rotations: Array) -> None:
        matrices[:, :3, :3] = (rotations[order] * scales[:, None, :]).transpose(0, 2, 1)
        matrices[:, 3, :3] = positions[order]
        first = 0
        for lit, _, count in draws:
            lit.extra.write(models[first : first + count])
            first += count
        if rich:
            shadow_target.use()
            shadow_target.clear(depth=1.0)
            ctx.front_face = "ccw"
            ctx.polygon_offset = 1.5, 2.0
            for _, dark, count in draws:
                dark.render(instances=count)
            ctx.polygon_offset = 0.0, 0.0
            shadow.use(0)
        target.use()
        target.clear(depth=1.0)
        ctx.front_face = "cw"
        for lit, _, count in draws:
            lit.render(instances=count)
        ctx.disable(ctx.CULL_FACE)
        floor.render(moderngl.TRIANGLE_STRIP, vertices=4)
        ctx.depth_func = "<="
        back.render(moderngl.TRIANGLES, vertices=3)
        ctx.depth_func = "<"
        ctx.enable(ctx.CULL_FACE)
        if rich:
            ctx.copy_framebuffer(picture, target)
        picture.read_into(out, components=4)

    return frame


def _set(program: moderngl.Program, **values: object) -> None:
    for name, value in values.items():
        if name in program:
            program[name] = value


def _columns(matrix: Array) -> tuple[float, ...]:
    return tuple(matrix.T.ravel())


def _scale(kind: str, size: tuple[float, ...]) -> tuple[float, float, float]:
    if kind == "box":
        return size[0], size[1], size[2]
    return size[0], size[0], size[1] / 2 if kind == "cylinder" else size[0]


def _box() -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    vertices: list[list[float]] = []
    indices: list[int] = []
    for axis in range(3):
        for sign in (-1, 1):
            normal, across = np.eye(3)[axis] * sign, np.eye(3)[(axis + 1) % 3]
            along = np.cross(normal, across)
            first = len(vertices)
            for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                vertices.append([*(normal + x * across + y * along) / 2, 0, *normal])
            indices += [first, first + 1, first + 2, first, first + 2, first + 3]
    return np.array(vertices, np.float32), np.array(indices, np.int32)


def _round(kind: str) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Rings from bottom to top; a sphere's and a capsule's poles are rings of no size."""
    rings: list[tuple[float, float, float, float, float]]
    if kind == "cylinder":
        rings = [(0, -1, 0, 0, -1), (1, -1, 0, 0, -1), (1, -1, 0, 1, 0)]
        rings += [(r, -z, s, across, -along) for r, z, s, across, along in reversed(rings)]
    else:
        angles = [math.pi * (k / (SEGMENTS // 2) - 0.5) for k in range(SEGMENTS // 2 + 1)]
        spread = (-1, 1) if kind == "capsule" else (0, 0)
        middle = len(angles) // 2
        rows = [(a, spread[0]) for a in angles[: middle + 1]]
        rows += [(a, spread[1]) for a in angles[middle + (spread[0] == 0) :]]
        rings = [(math.cos(a), math.sin(a), s, math.cos(a), math.sin(a)) for a, s in rows]
    turns = [2 * math.pi * k / SEGMENTS for k in range(SEGMENTS)]
    vertices = [
        [r * math.cos(t), r * math.sin(t), z, s, across * math.cos(t), across * math.sin(t), along]
        for r, z, s, across, along in rings
        for t in turns
    ]
    indices = []
    for ring in range(len(rings) - 1):
        for k in range(SEGMENTS):
            a, b = ring * SEGMENTS + k, ring * SEGMENTS + (k + 1) % SEGMENTS
            indices += [a, b, b + SEGMENTS, a, b + SEGMENTS, a + SEGMENTS]
    return np.array(vertices, np.float32), np.array(indices, np.int32)
