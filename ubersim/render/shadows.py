"""Shadow maps: the scene's depth as each light sees it, side by side in one texture.

They depend on the scene and the poses alone, never on a camera or on earlier frames; so cameras of one instant share
them, and a picture's bytes do not depend on what was drawn before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ubersim.render._gl import GraphicsDevice, Program
from ubersim.render.frustum import looking, orthographic, perspective, planes
from ubersim.render.geometry import detail_limits
from ubersim.render.instances import Instances, Records
from ubersim.render.plan import View
from ubersim.render.scene import DirectionalSource, Light, PointSource, Scene, SpotSource
from ubersim.render.shader_constants import shadow_columns, shadow_views

Array = NDArray[np.float64]
Draw = Callable[[Program, int, Records], None]

TOLERANCE = 0.4
"""How wrong an outline may be in a shadow map [px of the map]."""
NORMAL_OFFSET = 1.5
"""How far a point is moved off its surface to be looked up, beyond the width of smoothing: on a slope of any steepness
no tap then lies in front of it [px of the map]."""
CUBE = ((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0))
"""Where the sides of the cube around a lamp look to."""
UNIT_CUBE = np.array([[0.5, 0, 0, 0.5], [0, 0.5, 0, 0.5], [0, 0, 0.5, 0.5], [0, 0, 0, 1.0]])
"""From the clip cube to the unit cube that textures are looked up in."""


class ShadowMaps:
    """The maps of one scene's lights, wherever these are."""

    def __init__(self, device: GraphicsDevice, scene: Scene) -> None:
        self._device = device
        maps = len(shadow_views(scene.lights.sources))
        self._size = scene.lights.shadow_size
        self._softness = scene.lights.shadow_softness
        self._reach = scene.lights.shadow_reach
        self._columns = shadow_columns(maps)
        rows = -(-maps // self._columns)
        self._all = self._columns * self._size, rows * self._size
        self._target = device.shadow_target(self._all)
        self._program = device.program("caster_vertex", "caster_fragment", {})
        self._values = np.zeros((5 * maps, 4), np.float32)
        self._block = device.context.buffer(reserve=self._values.nbytes)
        self._limits = detail_limits(TOLERANCE)
        self._drawn: tuple[Records, Sequence[Light]] | None = None

    def use(self) -> None:
        """Makes the maps visible to the programs."""
        self._block.bind_to_uniform_block(1)
        if self._target.depth is not None:
            self._target.depth.use(0)  # type: ignore[union-attr]

    def update(
        self, instances: Instances, lights: Sequence[Light], view_block: Callable[[Array], None], draw: Draw
    ) -> None:
        """Draws the maps for the present places of shapes and ordered lights, unless that was the last thing drawn."""
        places = instances.records[:, :12]
        if self._drawn is not None and np.array_equal(self._drawn[0], places) and self._drawn[1] == lights:
            return
        self._drawn = places.copy(), lights
        views = shadow_views(lights)
        context = self._device.context
        framebuffer = self._target.framebuffer
        framebuffer.viewport = (0, 0, *self._all)
        framebuffer.use()
        framebuffer.clear(depth=1.0)
        context.polygon_offset = 1.5, 2.0
        values, maps, size = self._values, len(views), self._size
        for index, (light, side) in enumerate(views):
            clip_from_world, eye, pixels = self._frustum(light, side, instances)
            row, column = divmod(index, self._columns)
            framebuffer.viewport = (column * size, row * size, size, size)
            view_block(clip_from_world)
            for group, records in instances.select(planes(clip_from_world), eye, pixels, self._limits, instances.casts):
                draw(self._program, group, records)
            values[4 * index : 4 * index + 4] = (UNIT_CUBE @ clip_from_world).T
            # For a cube the shader knows how far away a point is, which may be very near.
            spot = isinstance(light, SpotSource)
            distance = float(np.linalg.norm(eye - self._middle)) if spot else 1.0
            values[4 * maps + index, 0] = (NORMAL_OFFSET + self._softness) * distance / pixels
        self._block.write(values)
        context.polygon_offset = 0.0, 0.0

    def _frustum(self, light: Light, side: int, instances: Instances) -> tuple[Array, Array, float]:
        """Clip matrix, eye (nan: parallel rays) and pixels per metre (at 1 m from the eye)."""
        middle, radius = _region(instances, self._reach)
        self._middle = middle
        if not isinstance(light, DirectionalSource):
            eye = np.array(light.position)
            if isinstance(light, PointSource):  # sides overlap, so that no smoothing and no offset looks beyond them
                edge, axes = self._size / (self._size - 4 * (self._softness + 2)), _axes(CUBE[side])
            else:
                edge, axes = np.tan(min(light.cone, 1.4)), _axes(light.direction)
            view = View(axes, -edge, edge, -edge, edge, (0, 0), (self._size, self._size))
            far = max(float(np.linalg.norm(middle - eye)) + radius, 0.2)
            return perspective(view, far / 200, far) @ looking(view.axes, eye), eye, view.focal
        clip_from_world = orthographic(radius) @ looking(_axes(light.direction), middle)
        return clip_from_world, np.full(3, np.nan), self._size / (2 * radius)

    def release(self) -> None:
        """Frees what the card holds."""
        self._target.release()
        self._block.release()


def _region(instances: Instances, reach: float) -> tuple[Array, float]:
    """A sphere around everything that casts shadows, in coarse steps, lest edges crawl while things move."""
    centres, radii = instances.centres[instances.casts], instances.radii[instances.casts]
    usable = np.isfinite(centres).all(axis=1)
    centres, radii = centres[usable], radii[usable]
    if len(centres) == 0:
        return np.zeros(3), 1.0
    near = np.linalg.norm(centres - np.median(centres, axis=0), axis=1) + radii <= reach
    if not near.any():
        return np.median(centres, axis=0), reach
    centres, radii = centres[near], radii[near]
    low, high = (centres - radii[:, None]).min(axis=0), (centres + radii[:, None]).max(axis=0)
    middle = (low + high) / 2
    needed = float((np.linalg.norm(centres - middle, axis=1) + radii).max())
    # Powers of the square root of two, with room for the middle to move by a step.
    radius = 2.0 ** (np.ceil(2 * np.log2(max(needed, 1e-3) * 1.1)) / 2)
    step = radius / 16
    return np.round(middle / step) * step, radius


def _axes(direction: tuple[float, float, float]) -> Array:
    """Right, forward, up of a light that shines along `direction`."""
    forward = np.array(direction) / np.linalg.norm(direction)
    helper = np.array([0.0, 0.0, 1.0]) if abs(forward[2]) < 0.9 else np.array([0.0, 1.0, 0.0])
    right = np.cross(forward, helper)
    right /= np.linalg.norm(right)
    return np.stack([right, forward, np.cross(right, forward)])
