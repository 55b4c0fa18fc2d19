"""Shadow maps: the scene's depth as each light sees it, side by side in one texture.

They depend on the scene and the poses alone, never on a camera or on earlier frames; so cameras of one instant share
them, and a picture's bytes do not depend on what was drawn before. While a light stays where it is, only that window of
its map is drawn anew in which something has moved, with all that is in it: the depths are those of a whole new map.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ubersim.render._gl import SHADOW_UNIT, GraphicsDevice, Program, Texture
from ubersim.render.frustum import planes
from ubersim.render.geometry import detail_limits
from ubersim.render.instances import Instances, Records
from ubersim.render.light_frusta import Frustum, Region, frustum, region
from ubersim.render.map_windows import Window, reached, within
from ubersim.render.scene import Light, Scene, SpotSource
from ubersim.render.shader_constants import shadow_columns, shadow_views

Array = NDArray[np.float64]
Draw = Callable[[Program, int, Records], None]

TOLERANCE = 0.4
"""How wrong an outline may be in a shadow map [px of the map]."""
NORMAL_OFFSET = 1.5
"""How far a point is moved off its surface to be looked up, beyond the width of smoothing: on a slope of any steepness
no tap then lies in front of it [px of the map]."""
CLEARING = 4
"""How many times as long clearing a pixel of a window takes as one of a whole texture: large windows do not pay."""
UNIT_CUBE = np.array([[0.5, 0, 0, 0.5], [0, 0.5, 0, 0.5], [0, 0, 0.5, 0.5], [0, 0, 0, 1.0]])
"""From the clip cube to the unit cube that textures are looked up in."""


@dataclass(frozen=True, eq=False)
class _Drawn:
    """What the maps show."""

    places: Records
    centres: Array
    lights: Sequence[Light]
    region: Region
    frusta: list[Frustum]


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
        self._drawn: _Drawn | None = None

    def use(self) -> None:
        """Makes the maps visible to the programs."""
        self._block.bind_to_uniform_block(1)
        assert isinstance(self._target.depth, Texture)
        self._target.depth.use(SHADOW_UNIT)

    def update(
        self, instances: Instances, lights: Sequence[Light], view_block: Callable[[Array], None], draw: Draw
    ) -> None:
        """Draws what changes in the maps with the present places of shapes and ordered lights."""
        places, drawn = instances.records[:, :12], self._drawn
        changed = instances.casts
        if drawn is not None:
            changed = changed & (places != drawn.places).any(axis=1)
            if drawn.lights == lights and not changed.any():
                return
        around = region(instances, self._reach)
        if drawn is not None and drawn.region == around and drawn.lights == lights:
            frusta = drawn.frusta
        else:
            frusta = self._look(lights, around)
        windows = self._windows(frusta, instances, changed)
        self._drawn = _Drawn(places.copy(), instances.centres.copy(), lights, around, frusta)
        framebuffer, size = self._target.framebuffer, self._size
        framebuffer.use()
        whole = CLEARING * sum(wide * high for _, _, wide, high in windows) >= self._all[0] * self._all[1]
        if whole:
            windows = [(0, 0, size, size)] * len(frusta)
            framebuffer.viewport = (0, 0, *self._all)
            framebuffer.clear(depth=1.0)
        self._device.context.polygon_offset = 1.5, 2.0
        for index, (seen, window) in enumerate(zip(frusta, windows, strict=True)):
            left, top, wide, high = window
            if not wide or not high:
                continue
            row, column = divmod(index, self._columns)
            framebuffer.viewport = (column * size, row * size, size, size)
            inside = seen.clip_from_world
            if not whole:
                framebuffer.scissor = (column * size + left, row * size + top, wide, high)
                framebuffer.clear(depth=1.0)
                inside = within(inside, window, size)
            view_block(seen.clip_from_world)
            for group, records in instances.select(
                planes(inside), seen.eye, seen.pixels, self._limits, instances.casts
            ):
                draw(self._program, group, records)
        framebuffer.scissor = None  # type: ignore[assignment]
        self._device.context.polygon_offset = 0.0, 0.0

    def _look(self, lights: Sequence[Light], around: Region) -> list[Frustum]:
        """What the lights see of a region; tells the shaders."""
        views = shadow_views(lights)
        frusta = [frustum(light, side, around, self._size, self._softness) for light, side in views]
        for index, ((light, _), seen) in enumerate(zip(views, frusta, strict=True)):
            self._values[4 * index : 4 * index + 4] = (UNIT_CUBE @ seen.clip_from_world).T
            # For a cube the shader knows how far away a point is, which may be very near.
            spot = isinstance(light, SpotSource)
            distance = float(np.linalg.norm(seen.eye - np.array(around.middle))) if spot else 1.0
            self._values[4 * len(views) + index, 0] = (NORMAL_OFFSET + self._softness) * distance / seen.pixels
        self._block.write(self._values)
        return frusta

    def _windows(self, frusta: list[Frustum], instances: Instances, changed: NDArray[np.bool_]) -> list[Window]:
        """What has to be drawn anew of each map: all, or where the changed shapes were, and where they are."""
        everything = (0, 0, self._size, self._size)
        if self._drawn is None:
            return [everything] * len(frusta)
        centres = np.concatenate([self._drawn.centres[changed], instances.centres[changed]])
        radii = np.tile(instances.radii[changed], 2)
        return [
            reached(seen.clip_from_world, centres, radii, self._size)
            if before is seen or np.array_equal(before.clip_from_world, seen.clip_from_world)
            else everything
            for before, seen in zip(self._drawn.frusta, frusta, strict=True)
        ]

    def release(self) -> None:
        """Frees what the card holds."""
        self._target.release()
        self._block.release()
