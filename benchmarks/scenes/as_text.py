"""Scenes as text, for bare_ode.c: a line per thing, a word and numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmarks.scenes.scene import BodySpec, Scene, Shape
from ubersim.geometry import Array
from ubersim.physics import KINDS
from ubersim.protocol.properties import NEXT_AXIS

ERP, CFM = 0.2, 1e-9
_SHAPES = ("box", "sphere", "capsule", "cylinder", "plane")
# ODE 0.13 put LoVel and HiVel between Vel and FMax.
_ODE_NUMBERS = (0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12)


def save(scene: Scene, path: Path) -> None:
    """Writes a scene; shapes without triangles only."""
    path.write_text("\n".join(_line(*line) for line in _lines(scene)) + "\n")


def _lines(scene: Scene) -> Iterable[tuple[str, list[float]]]:
    yield "world", [scene.step, *scene.gravity, ERP, CFM]
    names = scene.materials
    yield "materials", [len(names)]
    for place, one in enumerate(names):
        for other in names[: place + 1]:
            surface = scene.surface(one, other)
            numbers = [surface.mu, surface.bounce, surface.bounce_velocity, surface.rolling, surface.spinning]
            yield "surface", [place, names.index(other), *numbers]
    for shape in scene.statics:
        yield "shape", _shape(scene, shape, -1, 0)
    for number, body in enumerate(scene.bodies):
        yield "body", _body(body)
        for shape in body.shapes:
            yield "shape", _shape(scene, shape, number, body.owner)
    for joint in scene.joints:
        second = -1 if joint.second is None else joint.second
        axes = [float(part) for axis in joint.axes for part in axis]
        yield "joint", [KINDS[joint.kind].number, joint.first, second, *joint.anchor, len(joint.axes), *axes]
        for number, value in joint.properties.items():
            yield "set", [number // NEXT_AXIS * NEXT_AXIS + _ODE_NUMBERS[number % NEXT_AXIS], value]


def _body(body: BodySpec) -> list[float]:
    i = body.inertia
    moments = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
    return [body.mass, *moments, *body.position, *_flat(body.rotation), *body.linear, *body.angular]


def _shape(scene: Scene, shape: Shape, body: int, owner: int) -> list[float]:
    place = [_SHAPES.index(shape.kind), body, owner, shape.self_collision, scene.materials.index(shape.material)]
    size = [*shape.size, 0.0, 0.0, 0.0][:4]
    return [*place, *size, *shape.position, *_flat(shape.rotation)]


def _flat(rotation: Array) -> list[float]:
    return [float(part) for part in np.asarray(rotation).ravel()]


def _line(word: str, numbers: list[float]) -> str:
    assert all(math.isfinite(number) for number in numbers), (word, numbers)
    return f"{word} {' '.join(repr(float(number)) for number in numbers)}"
