"""Lights, ground and sky as the shaders have them: switches and constants, compiled in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ubersim.render.placed_lights import BLOCK, light_direction, light_edge, light_place, moves
from ubersim.render.scene import DirectionalSource, GroundPlane, Light, PointSource, Scene, SpotSource

SIDES = 6
"""Of a cube around a lamp: right, left, front, back, above, below."""
MOST_CARRIED = 24
"""Of the 32 vectors that OpenGL lets vertices have, those that are left for shadow maps and lights."""
KINDS: tuple[type[Light], ...] = (DirectionalSource, PointSource, SpotSource)


def ordered_lights(scene: Scene) -> list[Light]:
    """Suns, lamps, spots; those that cast shadows first in their kind."""
    return sorted(scene.lights.sources, key=lambda light: (KINDS.index(type(light)), not light.shadow))


def shadow_views(lights: Sequence[Light]) -> list[tuple[Light, int]]:
    """What has a shadow map, of ordered lights: the light, and which side of the cube around it; -1: it has none."""
    casting = [light for light in lights if light.shadow]
    single = [(light, -1) for light in casting if not isinstance(light, PointSource)]
    return single + [(light, side) for light in casting if isinstance(light, PointSource) for side in range(SIDES)]


def shadow_columns(maps: int) -> int:
    """How many maps are side by side; up to four are in one row, cubes one above the other."""
    return min(maps, SIDES)


def carried_lights(lights: Sequence[Light]) -> int:
    """How many lights come with the vertices: all if one moves and there is room, else none."""
    room = MOST_CARRIED - 5 * _singles(lights)
    return len(lights) if any(map(moves, lights)) and 3 * len(lights) <= room else 0


def _singles(lights: Sequence[Light]) -> int:
    """Lights that have one shadow map."""
    return sum(light.shadow and not isinstance(light, PointSource) for light in lights)


def switches(scene: Scene) -> dict[str, int]:
    """What the shaders are compiled for: everything that would otherwise cost a branch in every pixel."""
    lights = ordered_lights(scene)
    ground = scene.ground or GroundPlane()
    maps = max(1, len(shadow_views(lights)))
    columns = shadow_columns(maps)
    return {
        "SUNS": sum(isinstance(light, DirectionalSource) for light in lights),
        "LAMPS": sum(isinstance(light, PointSource) for light in lights),
        "SPOTS": sum(isinstance(light, SpotSource) for light in lights),
        "SUN_SHADOWS": sum(isinstance(light, DirectionalSource) and light.shadow for light in lights),
        "LAMP_SHADOWS": sum(isinstance(light, PointSource) and light.shadow for light in lights),
        "SPOT_SHADOWS": sum(isinstance(light, SpotSource) and light.shadow for light in lights),
        "SINGLES": _singles(lights),
        "CARRIED_LIGHTS": carried_lights(lights),
        "MAPS": maps,
        "COLUMNS": columns,
        "ROWS": -(-maps // columns),
        "SOFTNESS": scene.lights.shadow_softness,
        "GLOSS": int(scene.lights.gloss > 0),
        "TILES": int(ground.tile > 0),
        "LINES": int(ground.tile > 0 and ground.line_width > 0),
        "FADE": int(ground.fade > 0),
    }


def source(scene: Scene, glow: float = 0.0) -> str:
    """The same as GLSL: constants, because a CPU that draws loads anything else anew for every few pixels.

    Only where a lamp moves, lights come with the vertices or are in a block. `glow` is the ground's own light.
    """
    ground = scene.ground or GroundPlane()
    lights = ordered_lights(scene)
    values: dict[str, object] = {
        "ambient_above": scene.lights.above,
        "ambient_below": scene.lights.below,
        "gloss": scene.lights.gloss,
        "zenith": np.square(scene.sky.zenith),
        "horizon": np.square(scene.sky.horizon),
        "tile_color": np.square(ground.color),
        "second_color": np.square(ground.second_color),
        "line_color": np.square(ground.line_color),
        "tile": ground.tile,
        "line_width": ground.line_width,
        "fade": ground.fade,
        "ground_height": ground.height,
        "ground_id": ground.object_id,
        "ground_glow": glow,
        "shadow_pixel": 1 / scene.lights.shadow_size,
    }
    constants = "".join(f"const {_type(value)} {name} = {_literal(value)};\n" for name, value in values.items())
    columns: dict[str, list[tuple[float, ...]]] = {"light_edge": [light_edge(light) for light in lights]}
    if not any(map(moves, lights)):
        columns["light_color"] = [light.color for light in lights]
        columns["light_place"] = [light_place(light) for light in lights]
        columns["light_direction"] = [light_direction(light) for light in lights]
    elif not carried_lights(lights):
        constants += BLOCK.format(count=len(lights))
    return constants + "".join(
        f"const {_type(column[0])} {name}[{len(column)}] = {_type(column[0])}[]({', '.join(map(_literal, column))});\n"
        for name, column in columns.items()
        if column
    )


def _type(value: object) -> str:
    count = np.size(value)  # type: ignore[arg-type]
    return "float" if count == 1 else f"vec{count}"


def _literal(value: object) -> str:
    numbers = ", ".join(repr(float(number)) for number in np.ravel(value))  # type: ignore[call-overload]
    return numbers if np.size(value) == 1 else f"{_type(value)}({numbers})"  # type: ignore[arg-type]
