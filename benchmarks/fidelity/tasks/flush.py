"""Things put down on others of the same size, edge on edge."""

from __future__ import annotations

import itertools

import numpy as np

from benchmarks.fidelity.measuring import frames
from benchmarks.fidelity.task import Build, Quantity, Task
from benchmarks.scenes import Scene, Shape
from benchmarks.scenes.scene import ball, box, rod
from ubersim.description.materials import Surface
from ubersim.geometry import Array, rotation_about

EDGE = 0.3
LOWER = ("plane", "box", "cylinder", "mesh")
UPPER = ("box", "sphere", "capsule", "cylinder", "mesh")


def cube() -> tuple[Array, Array]:
    """A brick of triangles: its corners, and which three make each."""
    corners = np.array(list(itertools.product((-EDGE / 2, EDGE / 2), repeat=3)))
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([half for a, b, c, d in faces for half in ((a, b, c), (a, c, d))], dtype=np.uint32)


def shape(kind: str, height: float) -> Shape:
    """As wide and as high as the others, its centre at a height."""
    place = np.array([0.0, 0.0, height])
    match kind:
        case "box":
            return box((EDGE, EDGE, EDGE), place)
        case "sphere":
            return ball(EDGE / 2, place)
        case "capsule":
            return rod(EDGE / 2, EDGE / 2, place, rotation_about(1, np.pi / 2))
        case "cylinder":
            return Shape("cylinder", (EDGE / 2, EDGE), place)
        case _:
            vertices, triangles = cube()
            return Shape("mesh", (), place, vertices=vertices, triangles=triangles)


def put_down(build: Build, lower: str, upper: str, drop: float) -> tuple[float, float]:
    """Of one thing on a static other, dropped from a height: error of its place after 2 s [m], the fastest it got."""
    scene = Scene(surfaces={("stuff", "stuff"): Surface(mu=0.5)})
    rest = EDGE / 2
    if lower == "plane":
        scene.ground()
    else:
        scene.statics.append(shape(lower, EDGE / 2))
        rest += EDGE
    scene.add(shape(upper, rest + drop), 10.0, inertia=10.0 * EDGE**2 / 6 * np.eye(3))
    engine = build(scene)
    fastest = max(float(engine.speeds[0]) for _ in frames(engine, 2.0, 5))
    return float(np.linalg.norm(engine.positions[0] - (0, 0, rest))), fastest


def measure(build: Build) -> list[float]:
    """Mesh on mesh, then the worst of all pairs."""
    found = []
    for drop in (0.0, 0.05):
        error, fastest = put_down(build, "mesh", "mesh", drop)
        found += [1000 * error, fastest]
    pairs = list(itertools.product(LOWER, UPPER))
    pairs.remove(("mesh", "mesh"))
    for drop in (0.0, 0.05):
        found.append(1000 * max(put_down(build, lower, upper, drop)[0] for lower, upper in pairs))
    return found


TASK = Task(
    "flush",
    "Many bodies",
    "A brick of triangles, 0.3 m, on a static one of the same size, edges flush, put down exactly or dropped from 5 "
    "cm, which takes it to 0.99 m/s: it comes to rest there. The same for every other pair of plane, box, cylinder "
    "and mesh below and box, sphere, capsule that lies, cylinder and mesh above.",
    [
        Quantity("mesh on mesh, put down: error of its place after 2 s", "mm", bar=1.0),
        Quantity("mesh on mesh, put down: fastest", "m/s", sense="at most", bar=0.05),
        Quantity("mesh on mesh, dropped: error of its place after 2 s", "mm", bar=1.0),
        Quantity("mesh on mesh, dropped: fastest", "m/s", 0.99, sense="at most", bar=0.05),
        Quantity("other pairs, put down: worst error of a place", "mm", bar=1.0),
        Quantity("other pairs, dropped: worst error of a place", "mm", bar=1.0),
    ],
    measure,
)
