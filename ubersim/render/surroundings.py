"""Lights, ground and sky as the shaders read them: constants for the compiler, and one block of floats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ubersim.render.scene import DirectionalLight, Ground, Light, PointLight, Scene, SpotLight

KINDS: tuple[type[Light], ...] = (DirectionalLight, PointLight, SpotLight)


def ordered_lights(scene: Scene) -> list[Light]:
    """Suns, lamps, spots; those that cast shadows first in their kind."""
    return sorted(scene.lights.sources, key=lambda light: (KINDS.index(type(light)), not casts(light)))


def casts(light: Light) -> bool:
    """Whether a light has a shadow map."""
    return not isinstance(light, PointLight) and light.shadow


def switches(scene: Scene) -> dict[str, int]:
    """What the shaders are compiled for: everything that would otherwise cost a branch in every pixel."""
    lights = ordered_lights(scene)
    ground = scene.ground or Ground()
    return {
        "SUNS": sum(isinstance(light, DirectionalLight) for light in lights),
        "LAMPS": sum(isinstance(light, PointLight) for light in lights),
        "SPOTS": sum(isinstance(light, SpotLight) for light in lights),
        "SUN_SHADOWS": sum(isinstance(light, DirectionalLight) and light.shadow for light in lights),
        "SPOT_SHADOWS": sum(isinstance(light, SpotLight) and light.shadow for light in lights),
        "SOFTNESS": scene.lights.shadow_softness,
        "GLOSS": int(scene.lights.gloss > 0),
        "TILES": int(ground.tile > 0),
        "LINES": int(ground.tile > 0 and ground.line_width > 0),
        "FADE": int(ground.fade > 0),
    }


def block(scene: Scene) -> NDArray[np.float32]:
    """The uniform block `Surroundings`."""
    ground = scene.ground or Ground()
    values = np.zeros((32, 4), np.float32)
    values[0, :3] = scene.lights.above
    values[1] = (*scene.lights.below, scene.lights.gloss)
    values[2, :3] = np.square(scene.sky.zenith)
    values[3, :3] = np.square(scene.sky.horizon)
    values[4] = (*np.square(ground.color), ground.tile)
    values[5] = (*np.square(ground.second_color), ground.line_width)
    values[6] = (*np.square(ground.line_color), ground.fade)
    values[7, :2] = (ground.height, ground.object_id)
    places, directions, colors = values[8:16], values[16:24], values[24:32]
    for index, light in enumerate(ordered_lights(scene)):
        colors[index, :3] = light.color
        if not isinstance(light, PointLight):
            directions[index, :3] = -np.array(light.direction) / np.linalg.norm(light.direction)
        if not isinstance(light, DirectionalLight):
            places[index] = (*light.position, 1 / light.reach**2)
        if isinstance(light, SpotLight):
            edge, full = np.cos(light.cone), np.cos(light.cone * (1 - light.soft))
            directions[index, 3], colors[index, 3] = edge, 1 / max(full - edge, 1e-4)
    return values
