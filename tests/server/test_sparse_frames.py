"""Clients that ask for fewer frames and fewer sensors: what they are sent, and that the world is the same."""

from __future__ import annotations

import io
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.bytes_on_the_wire import message, stream_of
from tests.helpers.lane_scripts import STEP, Script, run_all, settled, walker
from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from ubersim.client import connect
from ubersim.client.robot import RemoteRobot
from ubersim.client.supervisor import supervise
from ubersim.control.simulated_robot import simulated_robot
from ubersim.errors import RefusedError
from ubersim.protocol import Ack, Command
from ubersim.protocol.document_settings import with_settings
from ubersim.protocol.messages import encode
from ubersim.recording import Log, Recorder, replay
from ubersim.server import serve_log
from ubersim.server.log_server import ReplayOutcome
from ubersim.server.native_lane import Lane
from ubersim.simulation import Simulation
from ubersim.transport.listen import address_of, listen

LANES: tuple[Lane, ...] = ("python", "native")
SLOW = "<Frequency>250</Frequency><Latency>1</Latency>"
"""A sensor of which there is something in the frames 1, 5, 9, ..."""
Act = Callable[[RemoteRobot, float], None]


def digest_of(
    act: Act, *, lane: Lane, latency: str = "0", frames: int = 200, pause: float = 0.0, **asked: object
) -> str:
    """What a client leads to that acts on every reading, and may be slow."""
    digest = io.StringIO()
    serving = Serving(Simulation(), frames, clients=1, lane=lane, digest=digest)
    with connect(cart(latency=latency, sensor=SLOW), port=serving.port, **asked) as robot:  # type: ignore[arg-type]
        for frame in robot:
            if "Tilt" in frame:
                act(robot, frame.time)
                time.sleep(pause)
    serving.result()
    return digest.getvalue()


def drive(robot: RemoteRobot, seconds: float) -> None:
    robot.set("Motor", "Vel", 100.0 * seconds)


def drive_later(robot: RemoteRobot, seconds: float) -> None:
    """With a stamp in a frame of which it will not be told."""
    robot.stamp(seconds + 2 * STEP)
    robot.set("Motor", "Vel", 100.0 * seconds)


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("act", [drive, drive_later])
@pytest.mark.parametrize("latency", ["0", "3", "12", '<Latency model="uniform"><Min>1</Min><Max>9</Max></Latency>'])
def test_the_world_is_the_same_with_fewer_frames(latency: str, act: Act, lane: Lane) -> None:
    all_of_them = digest_of(act, lane=lane, latency=latency, protocol=2)
    assert digest_of(act, lane=lane, latency=latency, timestamps="readings") == all_of_them


@pytest.mark.parametrize("lane", LANES)
def test_how_slow_the_client_is_changes_nothing(lane: Lane) -> None:
    quick = digest_of(drive, lane=lane, latency="6", frames=60, timestamps="readings")
    assert digest_of(drive, lane=lane, latency="6", frames=60, timestamps="readings", pause=0.003) == quick


def times_seen(document: str, frames: int, *, lane: Lane = "auto", **asked: object) -> list[int]:
    serving = Serving(Simulation(), frames, clients=1, lane=lane)
    with connect(document, port=serving.port, **asked) as robot:  # type: ignore[arg-type]
        found = [round(frame.time / STEP) for frame in robot]
    serving.result()
    return found


@pytest.mark.parametrize("lane", LANES)
def test_frames_with_readings_and_one_per_second_are_sent(lane: Lane) -> None:
    assert times_seen(cart(sensor=SLOW), 14, lane=lane, timestamps="readings") == [0, 1, 5, 9, 13]
    rare = cart(sensor="<Frequency>0.4</Frequency>")
    assert times_seen(rare, 4600, lane=lane, timestamps="readings") == [0, 1000, 2000, 2500, 3500, 4500]


def after_welcome(serving: Serving, document: str, answers: bytes) -> bytes:
    """What a client is sent after its welcome, if it says all of this at once."""
    data = stream_of(serving, document, answers)
    (length,) = struct.unpack_from("<I", data)
    return data[4 + length :]


@pytest.mark.parametrize("lane", LANES)
def test_the_bytes(lane: Lane) -> None:
    document = with_settings(cart(sensor=SLOW, latency="20"), position=(0, 0, 2), timestamps="readings")
    serving = Serving(Simulation(), 6, clients=1, lane=lane)
    alone = Simulation()
    robot = alone.spawn(document)
    alone.step(5)
    fifth = robot.read("Tilt")
    table = [
        message(b"Timestamp", struct.pack("<d", 0.0)),
        message(b"FrameEnd"),
        message(b"Timestamp", struct.pack("<d", 0.001)),
        message(b"Tilt", struct.pack("<f", 0.0)),
        message(b"FrameEnd"),
        message(b"Timestamp", struct.pack("<d", 0.005)),
        message(b"Tilt", struct.pack("<f", fifth)),
        message(b"FrameEnd"),
        message(b"End", b'{"reason": "finished", "frame": 6, "text": "the run has ended"}'),
    ]
    acks = b"".join(message(b"Ack", struct.pack("<d", frame * STEP)) for frame in (0, 1, 5))
    assert after_welcome(serving, document, acks) == b"".join(table)


BRIEF = "<Protocol>2</Protocol><Timestamps>readings</Timestamps><Sensors>Tilt</Sensors>"


def scripted(settings: str) -> Script:
    """A client that is sent the frames 0, 1, 5, 9, ..."""
    tilt = f'<InclinometerSensor name="Tilt"><Position><x>0</x><y>0</y><z>0</z></Position>{SLOW}</InclinometerSensor>'
    return Script("Brief", walker("Brief", BRIEF + settings, 2.0, tilt))


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize(("latency", "leaves"), [(0, 5), (3, 8)])
def test_a_client_that_has_answered_all_leaves_when_it_would_be_sent_the_next(
    latency: int, leaves: int, lane: Lane
) -> None:
    """It has acknowledged frame 1, and with it those up to frame 5, which it would have been sent."""
    notes = list[str]()
    serving = Serving(Simulation(), 30, clients=2, lane=lane, note=notes.append)
    script = scripted(f"<Latency>{latency}</Latency>")
    script.closes_after = 1
    for thread in run_all([script, Script("Stays", cart("Stays"))], serving.port):
        thread.join(60)
    serving.result()
    assert [settled(note) for note in notes if "Brief left" in note] == [
        f"Brief left in frame {leaves}: it closed the connection"
    ]


def digest_of_script(answers: dict[int, bytes], lane: Lane) -> str:
    digest, script = io.StringIO(), scripted("")
    serving = Serving(Simulation(), 20, clients=1, lane=lane, digest=digest)
    script.pieces = {frame: [answer] for frame, answer in answers.items()}
    for thread in run_all([script], serving.port):
        thread.join(60)
    serving.result()
    return digest.getvalue()


@pytest.mark.parametrize("lane", LANES)
def test_what_comes_too_early_counts_from_the_next_frame_that_is_sent(lane: Lane) -> None:
    one, two = encode(Command("Drive", 2, 1.0)), encode(Command("Drive", 2, -9.0))
    in_time = digest_of_script({1: one + encode(Ack(STEP)), 5: two + encode(Ack(5 * STEP))}, lane)
    assert digest_of_script({1: one + encode(Ack(STEP)) + two}, lane) == in_time
    assert digest_of_script({1: one + two + encode(Ack(STEP))}, lane) != in_time


@pytest.mark.parametrize("latency", ["0", "7"])
def test_parameters_and_restores_and_a_client_from_the_log(latency: str, tmp_path: Path) -> None:
    """A change of a parameter causes no frame: it goes with the next one that has readings."""
    document = with_settings(cart(sensor=SLOW, latency=latency), timestamps="readings")
    simulation = Simulation()
    with Recorder(simulation, tmp_path / "a.mcap"):
        serving = Serving(simulation, 40, clients=1)
        with supervise(port=serving.port) as world:
            world.set_parameter("Cart", "gain", 20.0, frame=10)
            world.snapshot("here", frame=18)
            world.restore("here", frame=24)
            world.truth()  # all of it has come before any frame
            with connect(document, port=serving.port) as robot:
                seen = gains(robot)
        serving.result()
    again = [18 + 1, *(frame for frame in range(21, 40, 4))]
    assert [frame for frame, _ in seen] == [0, 1, 5, 9, 13, 17, 21, *again]
    assert [gain for frame, gain in seen if frame <= 9] == [1.0] * 4 and seen[4] == (13, 20.0)
    with Log(tmp_path / "a.mcap") as log:
        assert replay(log) is None
        with listen("127.0.0.1", 0) as listener:
            outcomes = list[ReplayOutcome]()
            serve = threading.Thread(target=lambda: outcomes.append(serve_log(log, "Cart", listener, print)))
            serve.start()
            with connect(document, port=address_of(listener)[1]) as robot:
                assert gains(robot) == seen
            serve.join(60)
    assert not outcomes[0].difference and outcomes[0].commands > 5


def gains(robot: RemoteRobot) -> list[tuple[int, float]]:
    """A program that drives by a parameter: frames that it was sent, and the parameter in them."""
    gain, seen = robot.parameter("gain", 1.0), []
    for frame in robot:
        seen.append((round(frame.time / STEP), float(gain.value)))
        robot.set("Motor", "Vel", float(gain.value) * frame.time)
    return seen


def test_a_subset_of_sensors_measures_and_the_others_rest() -> None:
    serving = Serving(Simulation(), 40, clients=1)
    sensors = "".join(
        f'<{kind} name="{name}"><Position><x>0</x><y>0</y><z>0</z></Position></{kind}>'
        for kind, name in (("InclinometerSensor", "Tilt"), ("GyroSensor", "Gyro"), ("CompassSensor", "North"))
    )
    with connect(walker("W", "", 0.0, sensors), port=serving.port, sensors=("Gyro", "Drive")) as robot:
        assert list(robot.settings["sensors"]) == ["Gyro", "Drive"]
        assert set(robot.settings["joints"]) == {"Drive", "Lift"}
        seen = {name for frame in robot for name in frame.readings}
    assert seen == {"Gyro", "Drive"}
    serving.result()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ("<Sensors>Tilt</Sensors>", "version 2"),
        ("<Timestamps>readings</Timestamps>", "version 2"),
        ("<Protocol>2</Protocol><Sensors>Tlt</Sensors>", "did you mean.*Tilt|Tilt"),
        ("<Protocol>2</Protocol><Sensors>Tilt Tilt</Sensors>", "twice"),
        ("<Protocol>2</Protocol><Timestamps>some</Timestamps>", "all, readings|all or readings"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(settings: str, reason: str) -> None:
    serving = Serving(Simulation(), None)
    with pytest.raises(RefusedError, match=reason):
        connect(cart().replace("</CSettings>", f"{settings}</CSettings>"), port=serving.port)
    serving.server.stop()


@pytest.mark.parametrize("lane", LANES)
def test_a_program_may_want_no_sensors(lane: Lane) -> None:
    digests = []
    choices: tuple[list[str] | None, ...] = (None, [])
    for wanted in choices:
        digest = io.StringIO()
        serving = Serving(Simulation(), 50, clients=1, lane=lane, digest=digest)
        with connect(cart(), port=serving.port, sensors=wanted) as robot:
            assert [*robot.settings["sensors"]] == (["Tilt"] if wanted is None else [])
            for frame in robot:
                assert ("Tilt" in frame.readings) == (wanted is None)
                drive(robot, frame.time)
        serving.result()
        digests.append(digest.getvalue())
    assert digests[0] == digests[1]


def test_in_process_a_program_sees_the_same_frames() -> None:
    document = with_settings(cart(sensor="<Frequency>0.4</Frequency>"), timestamps="readings")
    with simulated_robot(None, document) as robot:
        assert [round(robot.next_frame().time / STEP) for _ in range(6)] == [0, 1000, 2000, 2500, 3500, 4500]


def test_loose_clients_may_ask_for_it_too() -> None:
    """What one sees depends on when it asks; but every frame has something for it."""
    serving = Serving(Simulation(), 200, clients=1)
    with connect(cart(sensor=SLOW), port=serving.port, timestamps="readings", loose=True) as robot:
        seen = [(frame.time, "Tilt" in frame) for frame in robot]
    serving.result()
    assert seen[0] == (0.0, False) and all(has_reading for _, has_reading in seen[1:])
