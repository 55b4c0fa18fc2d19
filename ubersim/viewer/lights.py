"""What shines in the scene of the page: the sky, the world's lights, and lamps, which move with their bodies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ubersim.geometry import Triple, matrix_from_quaternion

if TYPE_CHECKING:
    from viser import SceneApi

Array = NDArray[np.float64]
_SKY = 2.2
"""Of the page's light from everywhere, for the strength that colours need to be seen as they are."""
_REFLECTIONS = 0.15
"""Of surroundings that are not there, by the light of day."""
_DAYLIGHT = 0.37
"""Mean light from above where that is."""
_DARK = 1e-6
_DIM = 0.1
"""Light from everywhere that the page has at least: what is watched is seen in the dark, too."""


class PageLights:
    """The lights of a scene; those on bodies follow them."""

    def __init__(self, scene: SceneApi) -> None:
        self._scene = scene
        self._nodes: list[Any] = []
        self._sources: Sequence[Mapping[str, Any]] = ()
        scene.configure_default_lights(enabled=False)

    def build(self, lights: Mapping[str, Any]) -> None:
        """Shows other lights; nothing of the last ones is left."""
        for node in self._nodes:
            node.remove()
        above, below = (np.maximum(lights[side], _DIM) for side in ("above", "below"))
        self._scene.configure_environment_map("city", environment_intensity=reflections(lights))
        self._scene.add_light_hemisphere(
            "/lights/sky", sky_color=color_bytes(above), ground_color=color_bytes(below), intensity=_SKY
        )
        self._sources = lights["sources"]
        self._nodes = [self._add(f"/lights/{number}", source) for number, source in enumerate(self._sources)]

    def move(self, positions: Array, quaternions: Array) -> None:
        """Puts lamps where their bodies are now."""
        for node, source in zip(self._nodes, self._sources, strict=True):
            if (row := source.get("body", -1)) >= 0:
                place = np.array(source["position"], dtype=float)
                node.position = positions[row] + matrix_from_quaternion(quaternions[row]) @ place
                node.wxyz = quaternions[row]

    def repaint(self, lights: Mapping[str, Any]) -> bool:
        """Shows lights that differ from the last in their colours alone; False: they differ in more."""
        sources = lights["sources"]
        colorless = [
            [{**source, "color": None, "radiation": None} for source in each] for each in (self._sources, sources)
        ]
        if colorless[0] != colorless[1]:
            return False
        self.paint({number: source["color"] for number, source in enumerate(sources)})
        return True

    def paint(self, colors: Mapping[int, Triple]) -> None:
        """Gives lights, by their places in the scene, other colours; black ones are off."""
        for number, color in colors.items():
            self._nodes[number].color, strength = _told(color)
            self._nodes[number].intensity = strength * _at_a_metre(self._sources[number])[0]

    def _add(self, name: str, source: Mapping[str, Any]) -> Any:
        color, strength = _told(source["color"])
        unit, decay = _at_a_metre(source)
        usual: dict[str, Any] = {"color": color, "intensity": strength * unit, "cast_shadow": source["shadow"]}
        match source["is"]:
            case "DirectionalSource":
                toward = -np.array(source["direction"], dtype=float)
                return self._scene.add_light_directional(
                    name, position=tuple(10.0 * toward / np.linalg.norm(toward)), **usual
                )
            case "PointSource":
                return self._scene.add_light_point(name, position=tuple(source["position"]), decay=decay, **usual)
            case "SpotSource":
                return self._scene.add_light_spot(
                    name,
                    angle=min(source["cone"], math.pi / 2),
                    penumbra=source["soft"],
                    direction=tuple(source["direction"]),
                    position=tuple(source["position"]),
                    decay=decay,
                    **usual,
                )
            case other:
                raise AssertionError(other)


def reflections(lights: Mapping[str, Any]) -> float:
    """How bright the surroundings are that surfaces reflect and that are not there."""
    above = np.maximum(lights["above"], _DIM)
    return _REFLECTIONS * min(1.0, float(above.mean()) / _DAYLIGHT)


def daylight(lights: Mapping[str, Any]) -> float:
    """How bright what comes from everywhere and from far away makes it, 0 (dark) to 1."""
    suns: list[float] = [max(source["color"]) for source in lights["sources"] if source["is"] == "DirectionalSource"]
    brightest: float = max(lights["above"])
    return min(1.0, brightest + sum(suns))


def color_bytes(color: Any) -> tuple[int, int, int]:
    """0..1 -> 0..255."""
    red, green, blue = (round(255 * min(max(part, 0.0), 1.0)) for part in color)
    return red, green, blue


def _told(color: Triple) -> tuple[tuple[int, int, int], float]:
    """Its colour at full brightness, and how bright it is [pi: colours are seen as they are]."""
    strength = max(color)
    if strength < _DARK:
        return (0, 0, 0), 0.0
    return color_bytes([part / strength for part in color]), math.pi * strength


def _at_a_metre(source: Mapping[str, Any]) -> tuple[float, float]:
    """What is left of a lamp's strength at 1 m, and with which power of the distance it falls there.

    The browser knows powers alone; 1 / (1 + d²/reach²) has this value and this slope at 1 m.
    """
    if "reach" not in source:
        return 1.0, 0.0
    square = 1 / source["reach"] ** 2
    return 1 / (1 + square), 2 * square / (1 + square)
