"""`ubersim show`: a picture of a robot, or of a world, for people."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ubersim.description import default_materials, load_materials, load_robot, load_world
from ubersim.description.document import parse
from ubersim.errors import UberSimError
from ubersim.png import save_png
from ubersim.render.camera import LARGEST
from ubersim.render.portrait import Portrait, portrait
from ubersim.render.scene import Scene
from ubersim.render.shapes import Vector
from ubersim.simulation import Simulation
from ubersim.simulation.scene import scene_of

Array = NDArray[np.float64]

OVERLOOK = 28.0
"""What is added to the elevation for a world: one wants to look over its walls [degrees]."""


def show(
    file: Path,
    out: Path,
    *,
    size: str = "1280x960",
    azimuth: float = 33.0,
    elevation: float = 12.0,
    materials: Path | None = None,
) -> None:
    """Draws the robot or world of a file, seen from a quarter ahead; angles are in degrees."""
    width, height = _size(size)
    table = default_materials() if materials is None else load_materials(materials)
    how = Portrait(width, height, math.radians(azimuth), math.radians(elevation))
    if _root(file) == "World":
        with Simulation(load_world(file, materials=table), materials=table) as simulation:
            scene = at_rest(scene_of(simulation), simulation.world.positions, simulation.world.rotations)
        down = min(math.radians(elevation + OVERLOOK), math.radians(89))
        picture = portrait(scene, np.zeros((0, 3)), np.zeros((0, 3, 3)), replace(how, elevation=down, fill=0.95))
    else:
        with Simulation(materials=table) as simulation:
            robot = load_robot(file, materials=table)
            simulation.spawn(replace(robot, settings=replace(robot.settings, spawn=None)))  # on its feet
            picture = portrait(scene_of(simulation), simulation.world.positions, simulation.world.rotations, how)
    try:
        save_png(out, picture)
    except OSError as error:
        raise UberSimError(f"cannot write {out}: {error.strerror}") from None


def at_rest(scene: Scene, positions: Array, rotations: Array) -> Scene:
    """The scene with everything where it is now, for good: then all of it is the subject, not only what could move."""
    shapes = []
    for shape in scene.shapes:
        if shape.body >= 0:
            turn = rotations[shape.body]
            x, y, z = (_triple(row) for row in turn @ np.array(shape.rotation))
            place = _triple(positions[shape.body] + turn @ np.array(shape.position))
            shape = replace(shape, body=-1, position=place, rotation=(x, y, z))
        shapes.append(shape)
    return replace(scene, shapes=tuple(shapes))


def _triple(values: Array) -> Vector:
    x, y, z = map(float, values)
    return x, y, z


def _root(file: Path) -> str:
    try:
        return str(parse(file.read_bytes(), str(file)).tag)
    except OSError as error:
        raise UberSimError(f"cannot read {file}: {error.strerror}") from None


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    width, height = map(int, found.groups()) if found else (0, 0)
    if not 1 <= width <= LARGEST or not 1 <= height <= LARGEST:
        raise UberSimError(f"a size is WIDTHxHEIGHT, each from 1 to {LARGEST}, not {text!r}")
    return width, height
