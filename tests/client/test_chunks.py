"""Chunks of actions and commands that are taken back: over TCP as the timeline says, in process with the same bits."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from ubersim.client import connect
from ubersim.errors import DescriptionError, LocalProtocolError, RefusedError, UberSimError
from ubersim.protocol import Ack, Actuation
from ubersim.protocol.cancel import decode_cancel, encode_cancel
from ubersim.protocol.document_settings import with_settings
from ubersim.simulation import Simulation
from ubersim.simulation.local_robot import LocalRobot
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Robot
from ubersim.timing.chunks import Handover

FRAMES = 400
ROBOT = with_settings(cart(latency="12"), protocol=2)


class Executed(Observer):
    """Frames and values of what is executed."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.found: list[tuple[int, float]] = []
        simulation.observers.append(self)

    def executed(self, robot: Robot, commands: Sequence[Any]) -> None:
        self.found += [(self.simulation.frame, command[2]) for command in commands]


def series(look: int) -> list[float]:
    """Eight values that tell which look they are of."""
    return [look + number / 8 for number in range(8)]


def over_tcp(serve: Callable[..., Any], handover: Handover, **think: Any) -> tuple[list[tuple[int, float]], str]:
    simulation = Simulation()
    executed = Executed(simulation)
    serving = serve(FRAMES, simulation, clients=1)
    with connect(ROBOT, port=serving.port, **think) as robot:
        for look, _ in enumerate(robot):
            robot.chunk({("Motor", "Vel"): series(look)}, 0.02, handover)
    return executed.found, serving.result().digest()


def in_process(handover: Handover, **think: Any) -> tuple[list[tuple[int, float]], str]:
    simulation = Simulation()
    executed = Executed(simulation)
    robot = LocalRobot(simulation, simulation.spawn(ROBOT), **think)
    look = 0
    while simulation.frame < FRAMES:
        if robot.next_frame().time * 1000 >= FRAMES:
            break
        robot.chunk({("Motor", "Vel"): series(look)}, 0.02, handover)
        look += 1
    return [entry for entry in executed.found if entry[0] < FRAMES], simulation.digest()


def test_a_newer_chunk_replaces_what_is_left_of_the_older(serve: Callable[..., Any]) -> None:
    found, digest = over_tcp(serve, "replace", think=35, hz=10)
    # It looks every 100 ms, and its chunk, 160 ms long, begins 35 ms later; each command takes 12 ms.
    expected = []
    for look in range(4):
        begin = 100 * look + 35
        expected += [(begin + 20 * k + 12, look + k / 8) for k in range(5)]
    assert found == [entry for entry in expected if entry[0] < FRAMES]
    assert (found, digest) == in_process("replace", think=35, hz=10)


def test_or_blends_into_it(serve: Callable[..., Any]) -> None:
    found, digest = over_tcp(serve, "blend", think=35, hz=10)
    assert (found, digest) == in_process("blend", think=35, hz=10)
    # 3 of 8 actions of the first chunk are left when the second begins: 0.625, 0.75 and 0.875.
    values = dict(found)
    for k in range(3):
        weight = (k + 1) / 4
        assert values[147 + 20 * k] == pytest.approx((1 - weight) * (5 + k) / 8 + weight * (1 + k / 8))
    assert values[207] == 1.375


def test_chunks_without_think_time(serve: Callable[..., Any]) -> None:
    found, _ = over_tcp(serve, "replace")
    assert found == [(frame + 12, float(frame)) for frame in range(FRAMES - 12)]  # each replaces the last at once


def test_a_program_may_stop_what_it_has_planned(serve: Callable[..., Any]) -> None:
    simulation = Simulation()
    executed = Executed(simulation)
    serving = serve(200, simulation, clients=1)
    with connect(ROBOT, port=serving.port) as robot:
        for frame in robot:
            now = round(1000 * frame.time)
            if now == 0:
                for k in range(10):
                    robot.stamp(0.01 * k)
                    robot.set("Motor", "Vel", float(k))
            if now == 30:
                robot.stamp(frame.time)  # else the plan's last stamp holds, and what comes sooner is out of reach
                robot.cancel("Motor", 0.06)
    serving.result()
    assert executed.found == [(10 * k + 12, float(k)) for k in range(5)]


def test_version_1_has_no_cancel(serve: Callable[..., Any]) -> None:
    serving = serve(50, clients=1)
    with connect(cart(), port=serving.port) as robot:
        robot.next_frame()
        with pytest.raises(LocalProtocolError, match="connect\\(protocol=2\\)"):
            robot.cancel()
        robot._outgoing.payload("Cancel", encode_cancel("", 0.0))  # as a program in another language might
        with pytest.raises(RefusedError, match="there is no component 'Cancel'"):
            list(robot)


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        (b"", "not 0 bytes"),
        (b"Motor\0" + bytes(7), "not 13 bytes"),
        (b"Motor" + bytes(0), "not 5 bytes"),
        (b"\0" + struct.pack("<d", float("nan")), "not finite"),
        (b"\xff\0" + bytes(8), "not UTF-8"),
        (encode_cancel("Engine", 0.0), "no component 'Engine'"),
    ],
)
def test_malformed_ones_cost_the_robot(serve: Callable[..., Any], payload: bytes, message: str) -> None:
    serving = serve(50, clients=1)
    client = RawClient(serving.port, ROBOT)
    assert client.welcome().protocol == 2
    frame = client.frame()
    assert frame is not None
    client.send(Actuation("Cancel", payload), Ack(frame[0]))
    with pytest.raises(AssertionError, match=message):  # which is how this client tells an Error
        while client.frame() is not None:
            pass
    client.close()  # else the server waits for it


def test_the_payload_both_ways() -> None:
    assert encode_cancel("A", 1.5) == b"A\0" + struct.pack("<d", 1.5)
    assert decode_cancel(encode_cancel("Ä", 2.5)) == ("Ä", 2.5)
    for component, time in (("A", float("inf")), ("A\0B", 0.0)):
        with pytest.raises(LocalProtocolError):
            encode_cancel(component, time)


def test_a_component_can_have_that_name_where_version_1_is_spoken() -> None:
    named = cart().replace('"Motor"', '"Cancel"')
    Simulation().spawn(named)
    with pytest.raises(DescriptionError, match="'Cancel' is reserved in version 2"):
        Simulation().spawn(with_settings(named, protocol=2))
    with pytest.raises(UberSimError, match="no component 'Engine'"):
        Simulation().spawn(ROBOT).cancel("Engine")
