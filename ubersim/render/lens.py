"""The lens pass: from the atlas of flat views to the picture, by projection, distortion, blur, vignetting, noise."""

from __future__ import annotations

from dataclasses import dataclass

from ubersim.render import _gl
from ubersim.render.cache import ByteCache
from ubersim.render.camera import OUTPUTS, Camera, Output
from ubersim.render.plan import Plan, plan

LARGEST_BLUR = 12.0
"""Radius of the largest blur disc that depth of field makes [px]."""
UNBLENDED_FINENESS = 2.0
"""Pixels of the views per pixel of the picture where the nearest one is taken, because ids and edges cannot be blended:
at equal fineness outlines would be up to half a pixel off."""
CACHED_PLANS = 256 * 2**20
"""Bytes of what is kept of cameras that may take another picture; each counts as a 64th at least."""


@dataclass(eq=False)
class _Prepared:
    plan: Plan
    lookup: _gl.Texture | None

    def release(self) -> None:
        if self.lookup is not None:
            self.lookup.release()


class LensPass:
    """Remembers how to see through the cameras it met last."""

    def __init__(self, device: _gl.GraphicsDevice) -> None:
        self._device = device
        self._prepared: ByteCache[_Prepared] = ByteCache(CACHED_PLANS, _Prepared.release)

    def plan(self, camera: Camera, output: Output) -> Plan:
        """Which views to draw for a camera."""
        return self._prepare(camera, output).plan

    def _prepare(self, camera: Camera, output: Output) -> _Prepared:
        fineness = 1.0 if output == "image" else UNBLENDED_FINENESS
        prepared = self._prepared.get((camera, fineness))
        if prepared is None:
            made = plan(camera, fineness)
            lookup, size = None, CACHED_PLANS // 64
            if made.lookup is not None:
                size = max(size, 2 * made.lookup.nbytes)  # here, and on the card
                shape = (camera.width, camera.height)
                lookup = self._device.context.texture(shape, 3, made.lookup.tobytes(), dtype="f4")
                lookup.filter = _gl.NEAREST
            prepared = _Prepared(made, lookup)
            self._prepared.put((camera, fineness), prepared, size)
        return prepared

    def apply(self, camera: Camera, output: Output, frame: int, atlas: _gl.Target) -> _gl.Target:
        """Draws the picture, and returns where it is."""
        lookup = self._prepare(camera, output).lookup
        switches = {
            "OUTPUT": OUTPUTS.index(output),
            "WARP": lookup is not None,
            "BLUR": output == "image" and camera.lens.aperture > 0,
            "VIGNETTE": output == "image" and camera.lens.vignetting > 0,
            "NOISE": output == "image" and camera.noise > 0,
        }
        constants = f"const float LARGEST_BLUR = {LARGEST_BLUR};\n"
        program = self._device.program("screen_vertex", "lens_fragment", _gl.as_integers(switches), constants)
        context = self._device.context
        # A texture cannot be read while it is drawn into: the picture's own, even where the atlas has the same size.
        picture = self._device.target((camera.width, camera.height), output, depth=False, use="picture")
        picture.framebuffer.use()
        picture.framebuffer.viewport = (0, 0, camera.width, camera.height)
        context.enable_only(context.NOTHING)
        assert isinstance(atlas.color, _gl.Texture)
        atlas.color.use(_gl.ATLAS_UNIT)
        if lookup is not None:
            lookup.use(_gl.LOOKUP_UNIT)
        values: dict[str, float | tuple[float, ...]] = {
            "picture": (camera.width, camera.height),
            "vignetting": camera.lens.vignetting,
            "noise": camera.noise,
            "noise_key": (camera.seed % 2**32, frame % 2**32),
        }
        for name, value in values.items():
            _gl.assign(program, name, value)
        self._device.draw_bare(program, 3)
        return picture

    def release(self) -> None:
        """Frees what the card holds."""
        self._prepared.clear()
