"""Cameras with a shutter through the whole stack: rows are of what was there in the frames before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.helpers.cameras import ball, camera, play, sled, wall, weightless
from ubersim.client import connect
from ubersim.description import read_robot
from ubersim.errors import DescriptionError
from ubersim.simulation import Simulation

ROLLING = "<Shutter><Readout>0.02</Readout><Instants>10</Instants></Shutter>"
"""Each slice of the time has its middle in a frame: 1, 3, 5 and so on up to 19 frames ago."""
BLURRED = "<Shutter><Exposure>0.02</Exposure><Instants>10</Instants></Shutter>"
WORLD = weightless(ball("Ball", 0.3, 3.0, 1.2, 0.3), wall("Wall", 5.0, height=0.5), ground=True)


def pictures(*elements: str) -> tuple[list[Any], list[Any]]:
    """What a plain camera saw in 20 frames of a flight, from the last one back; and other cameras at the end of it."""
    names = [f"Other{number}" for number in range(len(elements))]
    others = [camera(element, name=name) for element, name in zip(elements, names, strict=True)]
    with Simulation(WORLD) as simulation:
        robot = simulation.spawn(sled(camera(), *others))
        for body in robot.bodies.values():  # welded, so they turn about their common middle
            away = body.position - robot.bodies["Base"].position
            angular = np.array([0.2, 0.5, 1.5])
            body.set_state(linear=np.array([0.4, 0.6, 0.2]) + np.cross(angular, away), angular=angular)
        simulation.objects["Ball"].set_state(linear=(-2.0, 0.0, 0.5), angular=(0.0, 0.0, 3.0))
        simulation.step(10)  # what the weld has to settle
        seen = []
        for _ in range(20):
            simulation.step(1)
            seen.append(np.array(robot.sensors["Eye"].value()))
        return seen[::-1], [np.array(robot.sensors[name].value()) for name in names]


def differing(one: Any, other: Any) -> float:
    """Share of pixels that are not the same but for rounding."""
    return float((np.abs(one - other.astype(float)).max(axis=-1) > 1).mean())


def test_rows_and_light_are_those_of_the_frames_before() -> None:
    """What velocities say of the last 20 ms, against what was there then."""
    seen, (rolling, blurred) = pictures(ROLLING, BLURRED)
    expected = np.concatenate([seen[19 - 2 * band][12 * band : 12 * (band + 1)] for band in range(10)])
    mixed = np.sqrt(np.mean([np.square(picture, dtype=float) for picture in seen[1::2]], axis=0))
    for picture, like in ((rolling, expected), (blurred, mixed)):
        assert differing(picture, like) < 0.005  # where rounding decides about a pixel of an edge
        assert differing(picture, seen[0]) > 0.05


def test_clients_get_the_same_from_a_worker() -> None:
    def program(port: int) -> list[Any]:
        with connect(sled(camera(ROLLING), camera(BLURRED, name="Other")), port=port) as robot:
            return [(np.array(frame["Eye"]), np.array(frame["Other"])) for frame in robot]

    def run(workers: int) -> list[Any]:
        with Simulation(WORLD, render_workers=workers) as simulation:
            simulation.objects["Ball"].set_state(linear=(-2.0, 0.0, 0.5))
            return play(simulation, 5, program)[0]

    assert all(
        np.array_equal(*pair) for one, two in zip(run(0), run(1), strict=True) for pair in zip(one, two, strict=True)
    )


@pytest.mark.parametrize(
    ("elements", "complaint"),
    [
        (
            "<Shutter><Exposure>-0.01</Exposure></Shutter>",
            "Shutter/Exposure: '-0.01' is out of range; allowed is 0 to 1",
        ),
        ("<Shutter><Readout>20</Readout></Shutter>", "Shutter/Readout: '20' is out of range"),
        ("<Shutter><Instants>1</Instants></Shutter>", "Shutter/Instants: '1' is out of range; allowed is 2 to 64"),
        ("<Shutter><Exposition>1</Exposition></Shutter>", "known are Exposure, Instants, Readout"),
        ("<Exposure>0.01</Exposure>", "unknown element"),
        (
            "<Shutter><Exposure>0.01</Exposure><Instants>64</Instants></Shutter><Width>1024</Width><Height>1024</Height>",
            "Shutter: a picture would have 67108864 samples; allowed are 16777216",
        ),
    ],
)
def test_what_a_document_cannot_ask_for(elements: str, complaint: str) -> None:
    with pytest.raises(DescriptionError, match=complaint):
        read_robot(sled(camera(elements)))


def test_what_is_drawn_several_times_counts_as_often() -> None:
    """In the budget of pictures; a shutter that is open for an instant draws once, whatever `Instants` says."""

    def sight(elements: str) -> int:
        (sensor,) = read_robot(sled(camera(elements))).sensors
        return sensor.sight

    assert sight(BLURRED) == sight(ROLLING) == 10 * sight("")
    assert sight("<Shutter><Instants>20</Instants></Shutter>") == sight("")
