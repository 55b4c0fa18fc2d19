"""A client that has gone may leave its robot behind for a while; but its sensors measure no more."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from ubersim.client.supervisor import supervise
from ubersim.protocol import Ack
from ubersim.simulation import Simulation


def test_nothing_is_measured_for_those_who_have_gone(serve: Callable[..., Any]) -> None:
    """Its latency of a minute keeps it in the world for 60,000 frames."""
    simulation = Simulation()
    serving = serve(simulation=simulation, frames=3000, clients=2)
    steady = RawClient(serving.port, cart("Steady", x=5.0, latency="10"))
    ghost = RawClient(serving.port, cart("Ghost", x=0.0, latency="60000"))
    ghost.welcome()
    ghost.close()
    assert steady.serve_to_the_end() == 3000
    serving.result()
    assert simulation.robots["Ghost"].sensed < 2900
    assert simulation.robots["Steady"].sensed == 3000 - 1 or simulation.robots["Steady"].sensed == 3000


@pytest.mark.parametrize("phase", [0, 3])
def test_a_robot_that_is_taken_over_senses_again(serve: Callable[..., Any], phase: int) -> None:
    """Also in a frame that had begun, and in which the sensor was due."""
    serving = serve(clients=0)
    with supervise(port=serving.port) as world:
        world.pause()
        world.step(10 - round(1000 * world.truth().time) % 10 + phase)
        first = RawClient(serving.port, cart(sensor="<Frequency>100</Frequency>"))
        first.welcome()
        first.frame()
        first.close()
        time.sleep(0.1)
        second = RawClient(serving.port, cart(sensor="<Frequency>100</Frequency>"))
        second.welcome()
        world.resume()
        times = []
        for _ in range(41):
            frame = second.frame()
            assert frame is not None
            second.send(Ack(frame[0]))
            times += [frame[0]] if frame[1] else []
        assert len(times) >= 4 and all(round(1000 * instant) % 10 == 0 for instant in times)
        second.close()


def test_a_snapshot_wakes_no_sensors_of_those_who_have_gone(serve: Callable[..., Any]) -> None:
    serving = serve(clients=0)
    with supervise(port=serving.port) as world:
        world.pause()
        ghost = RawClient(serving.port, cart("Ghost", latency="60000"))
        ghost.welcome()
        world.step(10)
        ghost.acknowledge(11)
        world.snapshot("before")  # of what clients have answered
        ghost.close()
        world.step(100)
        robot = serving.simulation.robots["Ghost"]
        measured = robot.sensed
        world.restore("before")
        world.step(100)
        assert serving.simulation.robots["Ghost"] is robot and robot.sensed == measured
