"""What a trajectory says of a motion that is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ubersim.demos.summary import verdict
from ubersim.demos.trajectory import Trajectory
from ubersim.geometry import rotation_xyz


def circling(pitch: float) -> Trajectory:
    """Forward along the upper half of a circle of 2 m radius in 4 s, nose up by `pitch` [degrees]."""
    found = Trajectory()
    for time in np.linspace(0.0, 4.0, 401):
        angle = math.pi * time / 4
        found.times.append(float(time))
        found.positions.append(np.array([2 * math.cos(angle), 2 * math.sin(angle), 0.3]))
        found.velocities.append(math.pi / 2 * np.array([-math.sin(angle), math.cos(angle), 0.0]))
        found.rotations.append(rotation_xyz((0.0, 0.0, angle)) @ rotation_xyz((math.radians(pitch), 0.0, 0.0)))
    return found


def test_half_a_circle() -> None:
    found = circling(10.0)
    assert found.distance == pytest.approx(2 * math.pi, rel=1e-4)
    assert found.top_speed == pytest.approx(math.pi / 2, rel=1e-4)
    assert found.forward_speeds == pytest.approx(np.full(401, math.pi / 2))
    assert found.pitches == pytest.approx(np.full(401, math.radians(10.0)))
    assert found.largest_tilt == pytest.approx(math.radians(10.0))
    assert not found.fell and circling(50.0).fell


@pytest.mark.parametrize(
    ("pitch", "said", "how"),
    [
        (10.0, "drove", "Its program says:[/] drove."),
        (10.0, "", "It stood all the time."),
        (-60.0, "drove", "It fell."),
    ],
)
def test_the_verdict(pitch: float, said: str, how: str) -> None:
    assert how in verdict(circling(pitch), said)
