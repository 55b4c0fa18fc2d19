"""How a run ends for its clients: version 2 is told why, and version 1 sees the same bytes as ever."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.bytes_on_the_wire import message, stream_of
from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from ubersim import __version__
from ubersim.client import connect
from ubersim.client.supervisor import supervise
from ubersim.errors import RefusedError
from ubersim.protocol import End, Reading, decode_from_server
from ubersim.simulation import Simulation
from ubersim.simulation.actor import Actor
from ubersim.timing.latency import NEVER

WELCOME = (
    b'{"protocol": 1, "name": "C", "step": 0.001, "frame": 0, "sensors": {"Tilt": {"type": "InclinometerSensor", '
    b'"dtype": "<f4", "shape": [], "stamped": false, "quantities": [["pitch", "rad"]]}}, "joints": {"Motor": '
    b'{"type": "JointHinge", "axes": 1, "units": ["rad"]}}, "motors": {}}'
)
TABLE = (
    (b"Welcome", WELCOME),
    (b"Timestamp", struct.pack("<d", 0.0)),
    (b"Tilt", struct.pack("<f", 0.0)),
    (b"FrameEnd", b""),
    (b"Timestamp", struct.pack("<d", 0.001)),
    (b"Tilt", b"????"),  # what a step of physics makes of 0
    (b"FrameEnd", b""),
)
"""All that a client of version 1 gets in a run of two frames."""


def acks(*frames: int) -> bytes:
    return b"".join(message(b"Ack", struct.pack("<d", frame * 0.001)) for frame in frames)


def test_version_1_sees_the_same_bytes_as_ever() -> None:
    serving = Serving(Simulation(), 2, clients=1)
    slow = cart("C", x=0.0, latency="5")  # so that it may answer both frames at once
    sent = stream_of(serving, slow, acks(0, 1))
    expected = b"".join(message(*row) for row in TABLE)
    place = expected.index(b"????")
    (tilt,) = struct.unpack("<f", sent[place : place + 4])
    assert sent == expected.replace(b"????", sent[place : place + 4])
    assert 0 < abs(tilt) < 1e-6


def test_version_2_is_told_of_the_server_and_of_the_end() -> None:
    serving = Serving(Simulation("room"), 3, clients=1)
    with connect(cart(), port=serving.port, protocol=2) as robot:
        assert robot.settings["protocol"] == 2
        assert robot.settings["server"] == f"ubersim {__version__}"
        assert robot.settings["world"] == "room"
        assert robot.settings["end_frame"] == 3
        assert {"end", "cancel"} <= set(robot.settings["capabilities"])
        assert robot.end is None
        assert len(list(robot)) == 3
        assert robot.end == End("finished", 3, "the run has ended")
        assert robot.next_frame() is None


def test_a_server_that_is_stopped_says_so() -> None:
    serving = Serving(Simulation(), None, clients=1)
    with connect(cart(), port=serving.port, protocol=2) as robot:
        assert "end_frame" not in robot.settings
        robot.next_frame()
        serving.server.stop()
        for _ in robot:
            pass
        assert robot.end is not None
        assert robot.end.reason == "stopped"


def test_a_robot_that_is_removed() -> None:
    serving = Serving(Simulation(), None, clients=1)
    with supervise(port=serving.port) as world, connect(cart(), port=serving.port, protocol=2) as robot:
        robot.next_frame()
        world.ask("Remove", thing="Cart")
        while robot.next_frame() is not None:
            pass
        assert robot.end is not None
        assert (robot.end.reason, robot.end.text) == ("removed", "a supervisor has taken this robot out of the world")
    serving.server.stop()


MISDEEDS: dict[str, Callable[[Any], None]] = {
    "a component that there is not": lambda robot: robot._outgoing.payload("Nothing", b"abc"),
    "an ack of a frame to come": lambda robot: robot._outgoing.ack(9.0),
}


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_a_fault_is_an_error_and_then_the_end(misdeed: str) -> None:
    serving = Serving(Simulation(), None, clients=1)
    with connect(cart(), port=serving.port, protocol=2) as robot:
        robot.next_frame()
        MISDEEDS[misdeed](robot)
        with pytest.raises(RefusedError):
            list(robot)
        assert robot.end is not None
        assert robot.end.reason == "failed"
    serving.server.stop()


def test_the_end_is_the_last_message() -> None:
    serving = Serving(Simulation(), 2, clients=1)
    document = cart(latency="5").replace("<CSettings>", "<CSettings><Protocol>2</Protocol>")
    data, names = stream_of(serving, document, acks(0, 1)), []
    while data:
        (length,) = struct.unpack_from("<I", data)
        body, data = data[4 : 4 + length], data[4 + length :]
        names.append(body.split(b"\0", 1)[0])
    assert names[-2:] == [b"FrameEnd", b"End"]
    assert decode_from_server(body, 2) == End("finished", 2, "the run has ended")
    assert isinstance(decode_from_server(body), Reading)  # in version 1 a sensor may be called so


class Timed(Actor):
    """Acts every 20 frames, and fails in one of them."""

    name = "timed"

    def __init__(self, fails: int = NEVER) -> None:
        self.acted: list[int] = []
        self._fails = fails

    @property
    def next_frame(self) -> int:
        return 20 * (len(self.acted) + 1)

    def act(self, frame: int) -> None:
        self.acted.append(frame)
        if frame >= self._fails:
            raise ValueError("out of ideas")


@pytest.mark.parametrize("lane", ["python", "native"])
def test_actors_act_in_their_frames_whoever_takes_the_others(lane: str) -> None:
    simulation, actor = Simulation(), Timed()
    simulation.actors.append(actor)
    serving = Serving(simulation, 100, clients=1, lane=lane)
    with connect(cart(), port=serving.port) as robot:
        for _ in robot:
            pass
    serving.result()
    assert actor.acted == [20, 40, 60, 80]
    assert (serving.server.lane.frames > 50) == (lane == "native")


def test_a_server_that_fails_tells_its_clients_why() -> None:
    simulation = Simulation()
    simulation.actors.append(Timed(fails=40))
    serving = Serving(simulation, 100, clients=1)
    with connect(cart(), port=serving.port, protocol=2) as robot:
        for _ in robot:
            pass
        assert robot.end == End("failed", 40, "out of ideas")
    with pytest.raises(ValueError, match="out of ideas"):
        serving.result()
