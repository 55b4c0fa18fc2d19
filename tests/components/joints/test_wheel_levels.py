"""Omni wheels on the levels `rollers` and `contact` drive a robot the same way, and cost different amounts."""

from __future__ import annotations

import math
import re
from typing import cast

import numpy as np
import pytest

from tests.helpers.paths import ROOT
from ubersim.components.joints.omni_wheel import OmniWheel
from ubersim.geometry import Array
from ubersim.simulation import Simulation

RAMP = 0.5
"""Until a robot has the speed that it is told to have [s]: no wheel spins on the spot."""


def driven(robot: str, level: str, velocity: tuple[float, float], turning: float, seconds: float = 1.2) -> Array:
    """Where a robot has got to: x, y [m] and heading [rad]."""
    text = (
        (ROOT / "robots" / f"{robot}.xml")
        .read_text()
        .replace("<RollerRadius>", f"<Level>{level}</Level><RollerRadius>")
    )
    simulation = Simulation("msl_18x12")
    alive = simulation.spawn(re.sub("<CameraSensor.*?</CameraSensor>", "", text, flags=re.S), position=(0, -3, 0))
    wheels = [cast(OmniWheel, joint) for joint in alive.description.entity.joints if joint.tag == "OmniWheel"]
    base = next(iter(alive.bodies.values()))
    for place in range(round(seconds / 0.02)):
        share = min(1.0, place * 0.02 / RAMP)
        for wheel in wheels:
            x, y, _ = wheel.anchor_pos
            reach = math.hypot(x, y)
            rim = (x * velocity[1] - y * velocity[0]) / reach + reach * turning
            alive.command(wheel.name, "Vel", share * rim / wheel.radius)
        simulation.step(20)
    turned = math.atan2(base.rotation[1, 0], base.rotation[0, 0])
    return np.array([base.position[0], base.position[1] + 3, turned])


@pytest.mark.parametrize("robot", ["msl_omni", "ssl"])
@pytest.mark.parametrize(
    ("velocity", "turning"), [((0.0, 1.0), 0.0), ((1.0, 0.0), 0.0), ((-0.5, 0.87), 0.0), ((0.5, -0.5), -1.0)]
)
def test_levels_agree_within_three_percent(robot: str, velocity: tuple[float, float], turning: float) -> None:
    rollers, contact = (driven(robot, level, velocity, turning) for level in ("rollers", "contact"))
    way = math.hypot(*velocity) * (1.2 - RAMP / 2)
    assert np.linalg.norm(rollers[:2] - contact[:2]) < 0.03 * way
    assert abs(rollers[2] - contact[2]) < 0.03 * max(1.0, abs(turning))


def test_one_body_weighs_as_much_as_hub_and_rollers() -> None:
    text = (ROOT / "robots" / "msl_omni.xml").read_text()
    whole, parts = (
        Simulation().spawn(text.replace("<RollerRadius>", f"<Level>{level}</Level><RollerRadius>")).description
        for level in ("contact", "rollers")
    )
    assert len(whole.bodies) == 5
    assert len(parts.bodies) == 29
    assert whole.mass_properties().mass == pytest.approx(parts.mass_properties().mass)


def test_three_wheels_that_are_held_hold_the_robot() -> None:
    """Each gives way along its axle, and no two axles are parallel."""
    text = (ROOT / "robots" / "msl_omni.xml").read_text()
    simulation = Simulation("msl_18x12")
    simulation.spawn(text.replace("<RollerRadius>", "<Level>contact</Level><RollerRadius>"), position=(0, -3, 0))
    simulation.push("MSL", (40.0, 0.0, 0.0), 0.5)
    simulation.step(500)
    assert abs(float(simulation.body("MSL").position[0])) < 1e-3
