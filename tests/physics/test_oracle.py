"""An independent binding of the same engine, Debian's pyode, makes the same calls.

What is ODE's part, contacts between shapes, has to have the same bits. Steps are solved by our kernel, and there by
ODE's own first-order step: the two have to come together as the step shrinks.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.helpers.paths import ROOT
from tests.helpers.world_scenes import UNTURNED, empty_world
from ubersim.physics import Body, Joint, World

DEBIANS_PYTHON = "/usr/bin/python3"
"""For which the package python3-pyode is installed; it cannot be imported here."""
VEL, FMAX = 2, 3


@pytest.fixture(scope="module")
def oracle() -> dict[str, Any]:
    """What pyode says; the helper program tells in which form."""
    program = ROOT / "tests" / "helpers" / "pyode_oracle.py"
    answer = subprocess.run([DEBIANS_PYTHON, program], check=True, capture_output=True, text=True)
    said: dict[str, Any] = json.loads(answer.stdout)
    return said


def add_body(
    step: float, inertia: tuple[float, float, float], position: tuple[float, float, float]
) -> tuple[World, Body]:
    world = empty_world(step)
    return world, world.add_body(1, mass=1.5, inertia=np.diag(inertia), position=position, rotation=UNTURNED)


def hang(world: World, body: Body) -> Joint:
    return world.add_joint(1, "hinge", body, None, anchor=(0, 0, 0), axes=[(0, 1, 0)])


def free_fall(step: float) -> tuple[World, Body]:
    world, body = add_body(step, (0.1, 0.1, 0.1), (0, 0, 5))
    body.set_state(linear=(1, 2, 3))
    return world, body


def pendulum(step: float) -> tuple[World, Body]:
    world, body = add_body(step, (0.01, 0.02, 0.03), (1, 0, 0))
    hang(world, body)
    return world, body


def hinge_motor(step: float) -> tuple[World, Body]:
    world, body = add_body(step, (0.01, 0.02, 0.03), (1, 0, 0))
    joint = hang(world, body)
    joint.set(VEL, -3.0)
    joint.set(FMAX, 12.0)
    return world, body


def distance(oracle: dict[str, Any], scene: Callable[[float], tuple[World, Body]], step: float) -> float:
    """The largest difference of any number of the state after two seconds."""
    world, body = scene(step)
    world.run(round(2 / step))
    ours = [*body.position, *body.quaternion, *body.linear_velocity, *body.angular_velocity]
    theirs = [float.fromhex(number) for number in oracle[scene.__name__][str(step)]]
    return float(np.abs(np.subtract(ours, theirs)).max())


@pytest.mark.parametrize("scene", [free_fall, pendulum, hinge_motor])
def test_motion_comes_together_with_that_of_pyode(
    oracle: dict[str, Any], scene: Callable[[float], tuple[World, Body]]
) -> None:
    coarse, fine = (distance(oracle, scene, step) for step in (0.001, 0.0001))
    assert coarse < 0.02
    assert fine < 0.12 * coarse + 1e-9


TURN = np.array([(0.36, 0.48, -0.8), (-0.8, 0.6, 0.0), (0.48, 0.64, 0.6)])
SHAPES: dict[str, Callable[..., object]] = {
    "sphere": lambda world, *where: world.add_sphere(*where, 0.3),
    "box": lambda world, *where: world.add_box(*where, (0.5, 0.6, 0.7)),
    "capsule": lambda world, *where: world.add_capsule(*where, 0.2, 0.4),
    "cylinder": lambda world, *where: world.add_cylinder(*where, 0.3, 0.5),
}


@pytest.mark.parametrize("lower", SHAPES)
@pytest.mark.parametrize("upper", SHAPES)
def test_pyode_finds_the_same_contacts_to_the_bit(oracle: dict[str, Any], lower: str, upper: str) -> None:
    world = empty_world()
    for owner, shape, place, turn in ((1, lower, (0, 0, 1), UNTURNED), (2, upper, (0.05, 0.1, 1.4), TURN)):
        body = world.add_body(owner, mass=1, inertia=np.eye(3), position=place, rotation=turn)
        SHAPES[shape](world, owner, body, 0, place, turn)
    world.run()
    found = world.contacts()
    rows = np.hstack([found.positions, found.normals, found.depths[:, None]])
    wanted = oracle["contacts"][f"{lower} {upper}"]
    assert len(wanted) > 0
    assert [[float(number).hex() for number in row] for row in rows] == wanted
