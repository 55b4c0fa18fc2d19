"""What has to be true before the program is put on the robot.

pytest                              # the latency that was measured on the robot: passes
pytest --ubersim-latency 200        # what would be if the radio was bad: fails, and shows how it falls
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ubersim.testing.served import ServedTrial


@pytest.fixture
def trial(ubersim_server: Callable[..., ServedTrial]) -> ServedTrial:
    """The program, its robot, and a world to stand in."""
    return ubersim_server(["balance.py", "--port", "{port}"])


@pytest.mark.ubersim(latency=[20])
def test_it_recovers_from_a_shove(trial: ServedTrial) -> None:
    trial.run(0.5)
    trial.push("Tumbler/Trunk", (0.0, 3.0, 0.0), seconds=0.1)
    trial.run_until(lambda: trial.tilt("Tumbler") > 3.0, timeout=0.5)
    trial.run(3.0)
    trial.assert_tilt("Tumbler", below=3.0)
    trial.assert_no_contact("Tumbler/Trunk")


@pytest.mark.ubersim(latency=[20])
def test_it_drives_straight(trial: ServedTrial) -> None:
    trial.run(0.5)
    trial.push("Tumbler/Trunk", (0.0, 2.0, 0.0), seconds=0.1)
    trial.run(3.0)
    trial.assert_pose("Tumbler", (0.0, None, None), within=0.02, heading=0.0, within_degrees=2.0)
