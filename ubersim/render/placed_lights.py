"""Lamps on bodies: where they are at the moment, and as the shaders have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ubersim.render.scene import DirectionalSource, Light, PointSource, SpotSource
from ubersim.render.shapes import Vector

Array = NDArray[np.float64]


def moves(light: Light) -> bool:
    """Whether it hangs on a body."""
    return not isinstance(light, DirectionalSource) and light.body >= 0


def placed(lights: Sequence[Light], positions: Array, rotations: Array) -> list[Light]:
    """The same lights in the same order, those on bodies where their bodies are, in the world's frame."""
    return [_placed(light, positions, rotations) if moves(light) else light for light in lights]


def _placed(light: Light, positions: Array, rotations: Array) -> Light:
    assert not isinstance(light, DirectionalSource)
    turn = rotations[light.body]
    place = _vector(positions[light.body] + turn @ np.array(light.position))
    if isinstance(light, PointSource):
        return replace(light, position=place, body=-1)
    return replace(light, position=place, direction=_vector(turn @ np.array(light.direction)), body=-1)


def _vector(values: Array) -> Vector:
    x, y, z = map(float, values)
    return x, y, z


def light_place(light: Light) -> tuple[float, ...]:
    """Position [m] and 1 / reach²."""
    return (0.0, 0.0, 0.0, 0.0) if isinstance(light, DirectionalSource) else (*light.position, 1 / light.reach**2)


def light_direction(light: Light) -> tuple[float, ...]:
    """Unit vector towards the light; of a spot, against its axis."""
    if isinstance(light, PointSource):
        return 0.0, 0.0, 1.0
    return _vector(-np.array(light.direction) / np.linalg.norm(light.direction))


def light_edge(light: Light) -> tuple[float, ...]:
    """Cosine at which a spot's light begins, and 1 / width of its soft edge in cosines."""
    if not isinstance(light, SpotSource):
        return 0.0, 0.0
    edge, full = np.cos(light.cone), np.cos(light.cone * (1 - light.soft))
    return float(edge), float(1 / max(full - edge, 1e-4))


BLOCK = """layout(std140) uniform Lamps {{
    vec3 light_color[{count}];
    vec4 light_place[{count}];
    vec3 light_direction[{count}];
}};
"""
"""What would be constants if nothing moved."""


def block_values(lights: Sequence[Light]) -> NDArray[np.float32]:
    """The content of the block: columns of four floats, one after the other."""
    values = np.zeros((3, len(lights), 4), np.float32)
    for index, light in enumerate(lights):
        values[0, index, :3] = light.color
        values[1, index] = light_place(light)
        values[2, index, :3] = light_direction(light)
    return values
