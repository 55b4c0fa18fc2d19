"""Latency to the frame: a command, a reading and a departure take place in the very frame that the contract names."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from ubersim.protocol import Ack, Command, Timestamp
from ubersim.protocol.properties import JOINT_PROPERTIES
from ubersim.simulation import Simulation

VEL = JOINT_PROPERTIES["Vel"]
LATENCIES = [0.0, 1.0, 7.5, 20.0]
STEPS = [0.001, 0.004]


def whole_frames(latency: float, step: float) -> int:
    """By exact arithmetic, independent of the code under test."""
    return -(-round(latency * 1000) // round(step * 1_000_000))


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("latency", LATENCIES)
@pytest.mark.parametrize("late", [0, 3], ids=["stamped now", "stamped 3 frames later"])
def test_a_command_executes_in_the_frame_that_its_stamp_and_the_latency_say(
    serve: Callable[..., Any], latency: float, step: float, late: int
) -> None:
    speeds: dict[int, float] = {}

    def watch(server: Any) -> None:
        speeds[server.simulation.frame] = server.simulation.robots["Cart"].joints["Motor"].get(VEL)

    serving = serve(60, Simulation(step=step), clients=1, watch=watch)
    client = RawClient(serving.port, cart(latency=str(latency)))
    client.welcome()
    sent_at = 10
    while (frame := client.frame()) is not None:
        time = frame[0]
        if round(time / step) == sent_at:
            client.send(Timestamp((sent_at + late) * step), Command("Motor", VEL, 2.5))
        client.send(Ack(time))
    serving.result()
    # What a frame executes is seen at the beginning of the next one.
    executed = min(frame for frame, speed in speeds.items() if speed == 2.5) - 1
    assert executed == sent_at + late + whole_frames(latency, step)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("latency", LATENCIES)
@pytest.mark.parametrize("actuation", [0.0, 20.0], ids=["strict", "with lookahead"])
def test_a_reading_arrives_in_the_frame_that_its_capture_and_latency_say(
    serve: Callable[..., Any], latency: float, step: float, actuation: float
) -> None:
    serving = serve(80, Simulation(step=step), clients=1)
    sensor = f"<Latency>{latency}</Latency><Stamped>true</Stamped><Frequency>60</Frequency>"
    client = RawClient(serving.port, cart(latency=str(actuation), sensor=sensor))
    client.welcome()
    captured: dict[int, int] = {}
    while (frame := client.frame()) is not None:
        for reading in frame[1]:
            capture, _ = struct.unpack("<df", reading.payload)
            captured[round(capture / step)] = round(frame[0] / step)
        client.send(Ack(frame[0]))
    serving.result()
    last = 79 - whole_frames(latency, step)
    period = 1_000_000 / 60
    due = {-(-round(k * period) // round(step * 1e6)) for k in range(100)}
    assert set(captured) == {frame for frame in due if frame <= last}
    assert all(arrived - frame == whole_frames(latency, step) for frame, arrived in captured.items())


def test_with_latency_the_server_runs_ahead_of_the_acks_by_exactly_that_much(serve: Callable[..., Any]) -> None:
    serving = serve(1000, clients=1)
    client = RawClient(serving.port, cart(latency="20"))
    client.welcome()
    # Nothing is acknowledged: frames 0 to 19 are executed (-1 counts as acknowledged), frame 20 is sent and waits.
    times = [client.frame() for _ in range(21)]
    assert [round(frame[0] * 1000) for frame in times if frame is not None] == list(range(21))
    client.socket.settimeout(0.5)
    with pytest.raises(TimeoutError):
        client.frame()
    client.socket.settimeout(30)
    client.close()


@pytest.mark.parametrize("latency", [0, 5])
def test_a_client_that_vanishes_leaves_at_the_frame_that_its_acks_determine(
    serve: Callable[..., Any], latency: int
) -> None:
    present: dict[int, bool] = {}

    def watch(server: Any) -> None:
        present[server.simulation.frame] = "Ghost" in server.simulation.robots

    serving = serve(100, clients=2, watch=watch)
    ghost = RawClient(serving.port, cart("Ghost", latency=str(latency), x=2))
    # Else its own system holds acks back, and throws them away when it closes with frames unread: they were never sent.
    ghost.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    stayer = RawClient(serving.port, cart("Stayer", latency="50", x=-2))
    ghost.welcome()
    ghost.acknowledge(31)
    ghost.close()
    stayer.welcome()
    assert stayer.serve_to_the_end() == 100
    serving.result()
    # Frame 30 was acknowledged, so frames up to 30 + latency are executed; the next one still shows the robot.
    last = max(frame for frame, there in present.items() if there)
    assert last == 30 + latency + 1
