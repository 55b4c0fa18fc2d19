"""An independent binding of the same engine, Debian's pyode, makes the same calls: it has to get the same bits."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import numpy as np
import pytest

from tests.helpers.paths import ROOT
from tests.helpers.world_scenes import UNTURNED, empty_world
from ubersim.physics import Body, Joint, World

DEBIANS_PYTHON = "/usr/bin/python3"
"""For which the package python3-pyode is installed; it cannot be imported here."""
VEL, FMAX = 2, 3


@pytest.fixture(scope="module")
def oracle() -> dict[str, list[str]]:
    """The last state of each scene, as pyode has it."""
    program = ROOT / "tests" / "helpers" / "pyode_oracle.py"
    answer = subprocess.run([DEBIANS_PYTHON, program], check=True, capture_output=True, text=True)
    said: dict[str, list[str]] = json.loads(answer.stdout)
    return said


def add_body(inertia: tuple[float, float, float], position: tuple[float, float, float]) -> tuple[World, Body]:
    world = empty_world(solver="exact")
    return world, world.add_body(1, mass=1.5, inertia=np.diag(inertia), position=position, rotation=UNTURNED)


def hang(world: World, body: Body) -> Joint:
    return world.add_joint(1, "hinge", body, None, anchor=(0, 0, 0), axes=[(0, 1, 0)])


def free_fall() -> tuple[World, Body]:
    world, body = add_body((0.1, 0.1, 0.1), (0, 0, 5))
    body.set_state(linear=(1, 2, 3))
    return world, body


def pendulum() -> tuple[World, Body]:
    world, body = add_body((0.01, 0.02, 0.03), (1, 0, 0))
    hang(world, body)
    return world, body


def hinge_motor() -> tuple[World, Body]:
    world, body = add_body((0.01, 0.02, 0.03), (1, 0, 0))
    joint = hang(world, body)
    joint.set(VEL, -3.0)
    joint.set(FMAX, 12.0)
    return world, body


@pytest.mark.parametrize("scene", [free_fall, pendulum, hinge_motor])
def test_pyode_gets_the_same_bits(oracle: dict[str, list[str]], scene: Callable[[], tuple[World, Body]]) -> None:
    world, body = scene()
    world.run(2000)
    state = (*body.position, *body.quaternion, *body.linear_velocity, *body.angular_velocity)
    assert [float(number).hex() for number in state] == oracle[scene.__name__]
