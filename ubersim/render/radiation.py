"""Classes of radiation beside visible light, such as infrared: a scene as a camera sees it that measures one of them.

Emitters shine in it, materials reflect it or glow in it; there are no colours, but one intensity. A scene names its
classes, and whatever is to be seen has one value for each of them, in this order.
"""

from __future__ import annotations

from dataclasses import replace

from ubersim.errors import RenderError
from ubersim.protocol.names import VISIBLE
from ubersim.render.scene import Scene
from ubersim.render.shapes import Color


def class_number(scene: Scene, radiation: str) -> int:
    """Its place among the scene's classes; -1 for visible light."""
    if radiation == VISIBLE:
        return -1
    if radiation not in scene.radiation:
        raise RenderError(f"there is no radiation {radiation!r}; there is {', '.join([VISIBLE, *scene.radiation])}")
    return scene.radiation.index(radiation)


def seen_in(scene: Scene, number: int) -> Scene:
    """Light, ground and sky as they are in a class; -1 is visible light. Shapes have their own tables."""
    if number < 0:
        return scene
    lights, ground, sky = scene.lights, scene.ground, _grey(scene.sky.radiation, number)
    everywhere = _grey(lights.radiation, number)
    sources = tuple(replace(source, color=_grey(source.radiation, number)) for source in lights.sources)
    if ground is not None:
        reflects, _ = ground.radiation[number] if ground.radiation else (0.0, 0.0)
        ground = replace(ground, color=(reflects,) * 3, tile=0.0, line_width=0.0)
    return replace(
        scene,
        lights=replace(lights, sources=sources, above=everywhere, below=everywhere, gloss=0.0),
        ground=ground,
        sky=replace(scene.sky, zenith=sky, horizon=sky),
    )


def ground_glow(scene: Scene, number: int) -> float:
    """What the ground emits in a class by itself, as linear light."""
    if number < 0 or scene.ground is None or not scene.ground.radiation:
        return 0.0
    return float(scene.ground.radiation[number][1] ** 2)


def _grey(values: tuple[float, ...], number: int) -> Color:
    value = values[number] if values else 0.0
    return value, value, value
