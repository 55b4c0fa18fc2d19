"""Section by section: whatever one client does wrong, it alone gets an Error, and the others' bits stay the same."""

from __future__ import annotations

import io
import itertools
import struct
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from tests.helpers.waiting import until
from ubersim.protocol import Ack, Command, Timestamp
from ubersim.protocol.properties import JOINT_PROPERTIES, SENSOR_PROPERTIES
from ubersim.simulation import Simulation

VEL, FMAX, BOUNCE = (JOINT_PROPERTIES[name] for name in ("Vel", "FMax", "Bounce"))
LATENCY, NOISE = (SENSOR_PROPERTIES[name] for name in ("Latency", "Noise"))
TIMEOUT = 2.0
"""Of silence [s]: longer than a busy machine keeps a client that does answer from it."""


def message(name: bytes, payload: bytes) -> bytes:
    return struct.pack("<I", len(name) + 1 + len(payload)) + name + b"\0" + payload


def setting(number: int, value: float) -> bytes:
    return struct.pack("<If", number, value)


MISDEEDS = {
    "garbage": (b"\xff" * 64, "longer than"),
    "a message of 64 KiB and a byte": (struct.pack("<I", 65537), "65536"),
    "no NUL": (struct.pack("<I", 4) + b"abcd", "NUL"),
    "an empty name": (message(b"", setting(2, 1.0)), "empty"),
    "a name that is not UTF-8": (message(b"\xc3\x28", setting(2, 1.0)), "UTF-8"),
    "an unknown component": (message(b"Mtor", setting(2, 1.0)), "Mtor"),
    "a property that a joint has not": (message(b"Motor", setting(0x102, 1.0)), "property 258"),
    "a payload of the wrong size": (message(b"Motor", b"\0" * 7), "8 bytes"),
    "a value that is not a number": (message(b"Motor", setting(VEL, float("nan"))), "finite"),
    "an infinite value": (message(b"Motor", setting(VEL, float("inf"))), "finite"),
    "a value out of range": (message(b"Motor", setting(FMAX, -1.0)), "FMax"),
    "a bounce above one": (message(b"Motor", setting(BOUNCE, 2.0)), "Bounce"),
    "a negative noise": (message(b"Tilt", setting(NOISE, -1.0)), "Tilt"),
    "a sensor's negative latency": (message(b"Tilt", setting(LATENCY, -1.0)), "Tilt"),
    "a latency of hours": (message(b"Client", setting(0, 1e7)), "latency"),
    "an ack of a frame to come": (message(b"Ack", struct.pack("<d", 1e6)), "sent"),
    "an infinite ack": (message(b"Ack", struct.pack("<d", float("inf"))), "finite"),
    "a stale stamp": (message(b"Timestamp", struct.pack("<d", 0.0)), "stale"),
    "a stamp in the next century": (message(b"Timestamp", struct.pack("<d", 1e12)), "ahead"),
}


def good_run(serve: Callable[..., Any], misbehave: Callable[[int], None], **options: Any) -> list[str]:
    """What a good client's robot does, frame by frame, while somebody else misbehaves far away or at the door."""
    watched: list[str] = []

    def watch(server: Any) -> None:
        watched.append(pose(server.simulation.robots["Good"]))

    serving = serve(clients=1, watch=watch, **options)
    good = RawClient(serving.port, cart("Good", x=0.0))
    good.welcome()
    other = threading.Thread(target=misbehave, args=(serving.port,), daemon=True)
    # The frames go on until all of it is done, however long that takes: who waits to join is looked at between frames.
    for index in itertools.count():
        if index == 100:
            other.start()
        frame = good.frame()
        assert frame is not None
        good.send(Command("Motor", VEL, 0.01 * index), Ack(frame[0]))
        if index > 200 and not other.is_alive():
            break
    serving.server.stop()
    good.close()
    serving.result()
    return watched


def pose(robot: Any) -> str:
    return str([(*body.position, *body.quaternion) for body in robot.bodies.values()])


def undisturbed(frames: int) -> list[str]:
    """The same, alone."""
    simulation = Simulation()
    robot = simulation.spawn(cart("Good", x=0.0))
    poses = []
    for index in range(frames):
        poses.append(pose(robot))
        robot.command("Motor", "Vel", struct.unpack("<f", struct.pack("<f", 0.01 * index))[0])
        simulation.step()
    return poses


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_a_misdeed_gets_an_error_that_says_what_was_wrong(serve: Callable[..., Any], misdeed: str) -> None:
    data, complaint = MISDEEDS[misdeed]
    serving = serve(200, clients=2)
    good = RawClient(serving.port, cart("Good", x=0.0))
    bad = RawClient(serving.port, cart("Bad", x=5.0))
    frames: list[int] = []
    thread = threading.Thread(target=lambda: frames.append(good.serve_to_the_end()), daemon=True)
    thread.start()
    bad.welcome()
    bad.acknowledge(3)
    bad.socket.sendall(data)
    assert complaint in bad.error()
    serving.result()
    thread.join()
    assert frames == [200], "the good client got all of its frames"
    assert list(serving.simulation.robots) == ["Good"]


def test_bad_strangers_at_the_door_change_nothing(serve: Callable[..., Any]) -> None:
    errors: list[str] = []

    def misbehave(port: int) -> None:
        heavy = cart("Heavy").replace("<Mass>2<", "<Mass>-2<")
        for document in ("<Client", "<Nonsense/>", "\xff\xfe", cart("Good", x=9.0), heavy):
            errors.append(RawClient(port, document).error())

    poses = good_run(serve, misbehave)
    assert poses == undisturbed(len(poses))
    assert len(errors) == 5
    assert "not well-formed" in errors[0] and "Good" in errors[3] and "Mass" in errors[4]


def test_half_a_message_and_silence_is_dropped_by_the_timeout(serve: Callable[..., Any]) -> None:
    said: list[str] = []

    def misbehave(port: int) -> None:
        client = RawClient(port, cart("Half", x=9.0))
        client.welcome()
        client.socket.sendall(struct.pack("<I", 100) + b"Mot")
        said.append(client.error())

    poses = good_run(serve, misbehave, timeout=TIMEOUT)
    assert poses == undisturbed(len(poses))
    assert "silent" in said[0]


def test_a_client_that_never_reads_is_dropped_by_the_timeout(serve: Callable[..., Any]) -> None:
    notes: list[str] = []

    def misbehave(port: int) -> None:
        client = RawClient(port, cart("Deaf", x=9.0))
        until(lambda: any("Deaf left" in note for note in notes))
        client.close()

    poses = good_run(serve, misbehave, timeout=TIMEOUT, note=notes.append)
    assert poses == undisturbed(len(poses))
    assert "silent" in next(note for note in notes if "Deaf left" in note)


def test_two_robots_of_one_slow_program_do_not_lock_each_other_up(serve: Callable[..., Any]) -> None:
    """One program may read its second robot's frame before it answers the first one's."""
    serving = serve(50, clients=2)
    first, second = (RawClient(serving.port, cart(name, x=x)) for name, x in (("A", 0.0), ("B", 5.0)))
    for _ in range(50):
        frames = second.frame(), first.frame()
        for client, frame in zip((second, first), frames, strict=True):
            assert frame is not None
            client.send(Ack(frame[0]))
    first.close()
    second.close()
    serving.result()


def test_an_exploding_robot_leaves_and_is_named(serve: Callable[..., Any]) -> None:
    serving = serve(300, clients=2)
    good = RawClient(serving.port, cart("Good", x=0.0))
    bad = RawClient(serving.port, cart("Dynamite", x=5.0))
    thread = threading.Thread(target=good.serve_to_the_end, daemon=True)
    thread.start()
    bad.welcome()
    error = ""
    try:
        while (frame := bad.frame()) is not None:
            bad.send(Command("Motor", FMAX, 3e38), Command("Motor", VEL, 3e38), Ack(frame[0]))
    except AssertionError as told:
        error = str(told)
    bad.close()
    assert "Dynamite" in error or "Motor" in error
    serving.result()
    assert list(serving.simulation.robots) == ["Good"]


def test_a_token_is_asked_for_and_compared(serve: Callable[..., Any]) -> None:
    serving = serve(20, clients=1, token="open sesame")
    for wrong in ("", "<Token>open barley</Token>"):
        document = cart("Ali").replace("</CSettings>", f"{wrong}</CSettings>")
        assert "token" in RawClient(serving.port, document).error()
    right = RawClient(serving.port, cart("Ali").replace("</CSettings>", "<Token>open sesame</Token></CSettings>"))
    assert right.serve_to_the_end() == 20
    serving.result()


def test_frames_end_the_server_and_digests_have_one_line_each(serve: Callable[..., Any]) -> None:
    digest = io.StringIO()
    serving = serve(30, clients=1, digest=digest)
    client = RawClient(serving.port, cart())
    assert client.welcome().protocol == 1
    assert client.serve_to_the_end() == 30
    serving.result()
    lines = [line.split() for line in digest.getvalue().splitlines()]
    assert [int(frame) for frame, _ in lines] == list(range(30))


def test_commands_that_are_stamped_for_later_wait(serve: Callable[..., Any]) -> None:
    speeds: dict[int, float] = {}

    def watch(server: Any) -> None:
        speeds[server.simulation.frame] = server.simulation.robots["Cart"].joints["Motor"].get(VEL)

    serving = serve(60, clients=1, watch=watch)
    client = RawClient(serving.port, cart())
    client.frame()
    client.send(Timestamp(0.040), Command("Motor", VEL, 4.0), Timestamp(0.020), Command("Motor", VEL, 2.0), Ack(0.0))
    client.serve_to_the_end()
    serving.result()
    assert [speeds[frame] for frame in (20, 21, 40, 41)] == [0.0, 2.0, 2.0, 4.0]
