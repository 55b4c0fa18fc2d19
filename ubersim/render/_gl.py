"""The only door to OpenGL: one offscreen context per process (EGL, no X server), its programs, targets and geometry."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, TypeAlias
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import RenderError
from ubersim.render.cache import ByteCache
from ubersim.render.geometry import Geometry

try:
    import moderngl
except ImportError as error:
    raise RenderError("cameras need the Python package moderngl: pip install 'ubersim[camera]'") from error

Program: TypeAlias = moderngl.Program
Framebuffer: TypeAlias = moderngl.Framebuffer
Texture: TypeAlias = moderngl.Texture
Renderbuffer: TypeAlias = moderngl.Renderbuffer
Buffer: TypeAlias = moderngl.Buffer
VertexArray: TypeAlias = moderngl.VertexArray
TRIANGLE_STRIP: int = moderngl.TRIANGLE_STRIP
CLIP_DISTANCE = 0x3000
"""OpenGL's GL_CLIP_DISTANCE0: vertices have a distance from a plane, and what is behind it is not drawn."""
NEAREST = (moderngl.NEAREST, moderngl.NEAREST)

FORMATS = {"image": (4, "f1"), "depth": (1, "f4"), "segmentation": (1, "u2")}
"""Channels and type of a target's colour, per output."""
BLOCKS = {"View": 0, "Shadows": 1, "Lamps": 2}
"""Binding points of the uniform blocks."""
INCLUDES = {
    "caster_vertex": ("view",),
    **dict.fromkeys(("object_vertex", "ground_vertex", "sky_vertex"), ("view", "shadows", "carried", "carry")),
    **dict.fromkeys(("object_fragment", "ground_fragment"), ("carried", "shadows", "lighting", "output")),
    "sky_fragment": ("carried",),
}
"""Shared parts that a shader is preceded by."""
CACHED_PROGRAMS = 64
CACHED_TARGETS = 128 * 2**20
"""Bytes of the framebuffers that are kept for the next picture of their kind; each counts as a 16th at least."""
FIRST_ROOM = 4096
"""Bytes for the instances of a shape, before it turns out that there are more."""
BACKEND: dict[str, Any] = {"backend": "egl", "libgl": "libGL.so.1", "libegl": "libEGL.so.1"}
"""EGL needs no X server; the libraries by the names that they have without development packages."""

VERTEX = {"corner": 4, "corner_normal": 3}
SKINS: dict[int, dict[str, int]] = {7: {}, 9: {"place": 2}, 10: {"tint": 3}}
"""What vertices of so many floats have on top."""
PLAIN, TINTED, TEXTURED = 0, 1, 2
"""How a mesh is coloured, as shaders know it."""
SHADOW_UNIT, TEXTURE_UNIT, ATLAS_UNIT, LOOKUP_UNIT = 0, 1, 1, 2
"""Where programs look for the shadow maps, for a mesh's texture, and for what the lens pass reads."""
SAMPLERS = {"shadow_maps": SHADOW_UNIT, "skin": TEXTURE_UNIT, "atlas": ATLAS_UNIT, "lookup": LOOKUP_UNIT}
INSTANCE = {"row_x": 4, "row_y": 4, "row_z": 4, "shift": 1, "paint": 4}
"""Floats of each attribute, in order."""


@dataclass(eq=False)
class Target:
    """Something to draw into."""

    framebuffer: Framebuffer
    color: Texture | Renderbuffer | None
    depth: Texture | Renderbuffer | None

    def rows(self, rows: slice, width: int) -> NDArray[np.uint8]:
        """Some rows of an image, (rows, width, 4)."""
        count = rows.stop - rows.start
        pixels = np.empty((count, width, 4), np.uint8)
        self.framebuffer.read_into(pixels, (0, rows.start, width, count), components=4)
        return pixels

    def release(self) -> None:
        for part in (self.framebuffer, self.color, self.depth):
            if part is not None:
                part.release()


@dataclass(eq=False)
class Drawable:
    """Geometry on the card, with room for instances, and how each program reads it."""

    vertices: Buffer
    indices: Buffer
    instances: Buffer
    arrays: dict[Program, VertexArray]
    attributes: dict[str, int]
    room: int
    """Bytes of instances that there is room for."""
    texture: Texture | None = None

    @property
    def paint(self) -> int:
        """How it is coloured: PLAIN, TINTED or TEXTURED."""
        return TEXTURED if self.texture is not None else TINTED if "tint" in self.attributes else PLAIN

    def release(self) -> None:
        if self.texture is not None:
            self.texture.release()
        for array in self.arrays.values():
            array.release()
        for buffer in (self.vertices, self.indices, self.instances):
            buffer.release()


class GraphicsDevice:
    """The context and what is worth keeping in it from scene to scene."""

    def __init__(self) -> None:
        try:
            self.context = moderngl.create_context(require=330, standalone=True, **BACKEND)
        except Exception as error:
            raise RenderError(
                f"no usable OpenGL 3.3 ({error}); on Debian: apt-get install libegl1 libgl1-mesa-dri libgl1"
            ) from error
        self._programs: OrderedDict[tuple[object, ...], Program] = OrderedDict()
        self._drawables: WeakSet[Drawable] = WeakSet()
        # A picture has up to three: those it has got must stay when it asks for the next.
        self._targets: ByteCache[Target] = ByteCache(CACHED_TARGETS, Target.release, least=2)
        self._empty: dict[Program, VertexArray] = {}

    @property
    def renderer(self) -> str:
        """Who draws, e.g. `llvmpipe (LLVM 15.0.6, 256 bits)`."""
        return str(self.context.info["GL_RENDERER"])

    def samples(self, wanted: int) -> int:
        """As many samples per pixel as wanted, or as there are; 0 for plain pixels."""
        available: int = self.context.max_samples
        return 0 if wanted <= 1 else min(wanted, available)

    def program(self, vertex: str, fragment: str, switches: dict[str, int], constants: str = "") -> Program:
        """Compiled from shaders/{vertex}.glsl and {fragment}.glsl, with switches and constants in front, once."""
        key = (vertex, fragment, *switches.values(), constants)
        if key not in self._programs:
            if len(self._programs) >= CACHED_PROGRAMS:
                self._forget(self._programs.popitem(last=False)[1])
            head = "#version 330\n" + "".join(f"#define {name} {value}\n" for name, value in switches.items())
            head += constants
            program = self._programs[key] = self.context.program(
                vertex_shader=head + "#define CARRIED flat out\n" + _complete(vertex),
                fragment_shader=head + "#define CARRIED flat in\n" + _complete(fragment),
            )
            for name, binding in BLOCKS.items():
                block = program.get(name, None)
                if isinstance(block, moderngl.UniformBlock):
                    block.binding = binding
            for name, unit in SAMPLERS.items():
                assign(program, name, unit)
        self._programs.move_to_end(key)
        return self._programs[key]

    def _forget(self, program: Program) -> None:
        """Releases a program and every way to draw with it."""
        for arrays in (self._empty, *(drawable.arrays for drawable in self._drawables)):
            array = arrays.pop(program, None)
            if array is not None:
                array.release()
        program.release()

    def target(self, size: tuple[int, int], output: str, samples: int = 0, depth: bool = True, use: str = "") -> Target:
        """A framebuffer whose colour can be sampled (resolved, with samples); kept for the next of the same use."""
        key = (size, output, samples, depth, use)
        target = self._targets.get(key)
        if target is None:
            target = self._new_target(size, output, samples, depth)
            count = size[0] * size[1] * max(1, samples) * (8 if depth else 4)
            self._targets.put(key, target, max(count, CACHED_TARGETS // 16))
        return target

    def _new_target(self, size: tuple[int, int], output: str, samples: int, depth: bool) -> Target:
        channels, dtype = FORMATS[output]
        if samples:
            color: Texture | Renderbuffer = self.context.renderbuffer(size, channels, samples=samples, dtype=dtype)
        else:
            color = self.context.texture(size, channels, dtype=dtype)
            if output != "image":
                color.filter = NEAREST
            color.repeat_x = color.repeat_y = False
        deep = self.context.depth_renderbuffer(size, samples=samples) if depth else None
        return Target(self.context.framebuffer([color], deep), color, deep)

    def shadow_target(self, size: tuple[int, int]) -> Target:
        """A depth texture that answers comparisons, smoothed over four pixels."""
        depth = self.context.depth_texture(size)
        depth.compare_func = "<="
        depth.filter = (moderngl.LINEAR, moderngl.LINEAR)
        depth.repeat_x = depth.repeat_y = False
        return Target(self.context.framebuffer(depth_attachment=depth), None, depth)

    def drawable(self, geometry: Geometry) -> Drawable:
        """Geometry, uploaded."""
        attributes = VERTEX | SKINS[geometry.vertices.shape[1]]
        vertices = self.context.buffer(geometry.vertices.tobytes())
        indices = self.context.buffer(np.ascontiguousarray(geometry.indices, np.int32).tobytes())
        instances = self.context.buffer(reserve=FIRST_ROOM, dynamic=True)
        made = Drawable(vertices, indices, instances, {}, attributes, FIRST_ROOM)
        self._drawables.add(made)
        return made

    def texture(self, pixels: NDArray[np.uint8]) -> Texture:
        """A picture to be drawn on things, smooth from near and from far; it repeats beyond its edges."""
        height, width, channels = pixels.shape
        made = self.context.texture((width, height), channels, pixels.tobytes(), alignment=1)
        made.build_mipmaps()
        made.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        return made

    def draw(self, drawable: Drawable, program: Program, records: NDArray[np.float32]) -> None:
        """Draws one instance per record."""
        if records.nbytes > drawable.room:
            drawable.room = 2 * records.nbytes
            drawable.instances.orphan(drawable.room)
        drawable.instances.write(records)
        array = drawable.arrays.get(program)
        if array is None:
            corners = _layout(program, drawable.vertices, drawable.attributes)
            content = [corners, _layout(program, drawable.instances, INSTANCE, "/i")]
            array = drawable.arrays[program] = self.context.vertex_array(program, content, drawable.indices)
        if drawable.texture is not None:
            drawable.texture.use(TEXTURE_UNIT)
        array.render(instances=len(records))

    def draw_bare(self, program: Program, vertices: int, mode: int = moderngl.TRIANGLES) -> None:
        """Draws vertices that the shader makes up by number."""
        array = self._empty.get(program)
        if array is None:
            array = self._empty[program] = self.context.vertex_array(program, [])
        array.render(mode, vertices=vertices)


def _layout(program: Program, buffer: Buffer, attributes: dict[str, int], per: str = "") -> tuple[Any, ...]:
    """How a program reads a buffer: it skips the attributes that its compiler found to be of no use."""
    parts = [f"{count}f" if name in program else f"{4 * count}x" for name, count in attributes.items()]
    return (buffer, " ".join(parts) + per, *(name for name in attributes if name in program))


@cache
def device() -> GraphicsDevice:
    """This process's context; it belongs to the thread that asks first."""
    return GraphicsDevice()


def assign(program: Program, name: str, value: float | tuple[float, ...]) -> None:
    """Sets a uniform, unless the program's compiler found it to be of no use."""
    uniform = program.get(name, None)
    if isinstance(uniform, moderngl.Uniform):
        uniform.value = value


def as_integers(values: Mapping[str, bool | int]) -> dict[str, int]:
    """Switches as the preprocessor reads them."""
    return {name: int(value) for name, value in values.items()}


def _complete(name: str) -> str:
    """A shader, preceded by what it shares with others."""
    return "".join(map(_source, (*INCLUDES.get(name, ()), name)))


@cache
def _source(name: str) -> str:
    return (resources.files("ubersim.render") / "shaders" / f"{name}.glsl").read_text(encoding="utf-8")
