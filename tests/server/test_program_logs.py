"""What programs log: to supervisors and logs, within a budget, off the path of the bits."""

from __future__ import annotations

import contextlib
import io
import json
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from ubersim.client import RemoteRobot, connect
from ubersim.client.supervisor import Supervisor, supervise
from ubersim.errors import LocalProtocolError, RefusedError, RemoteProtocolError
from ubersim.png import encode_png
from ubersim.protocol import Ack
from ubersim.protocol.connection import MAX_FROM_CLIENT
from ubersim.protocol.log_entries import LogEntry, LogParts, log_entry, log_payloads
from ubersim.protocol.messages import message
from ubersim.protocol.parameters import declaration, encode_declaration
from ubersim.recording import Log, Recorder, replay
from ubersim.recording.program_entries import ProgramEntries
from ubersim.recording.tables import collect, topics
from ubersim.simulation import Simulation
from ubersim.simulation.local_robot import LocalRobot

IMAGE = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
CLOUD = np.random.default_rng(1).normal(size=(6_000, 3)).astype(np.float32)
THOUGHTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "ball": (0.25, {}),
    "sure": (True, {}),
    "pose": ((1.0, 2.0, 3.0), {}),
    "state": ("balancing Ü", {"level": "warning"}),
    "eye": (IMAGE, {}),
    "cloud": (CLOUD, {"space": "Base"}),
    "plan": ({"lines": [[(0, 0, 0), (0, 1, 0)]], "points": [(1, 1, 1)], "text": "go", "at": (0, 0, 1)}, {}),
}
SCHEMAS = {
    "ball": "ubersim.Values", "sure": "ubersim.Values", "pose": "ubersim.Values", "state": "foxglove.Log",
    "eye": "foxglove.CompressedImage", "cloud": "foxglove.PointCloud", "plan": "foxglove.SceneUpdate",
}  # fmt: skip


def think(robot: RemoteRobot | LocalRobot, frames: int) -> None:
    for _, frame in zip(range(frames), iter(robot.next_frame, None), strict=False):
        for name, (value, how) in THOUGHTS.items():
            robot.log(name, value, **how)
        robot.set("Motor", "Vel", 0.1 * frame.time)


def test_a_supervisor_hears_all_kinds() -> None:
    serving = Serving(Simulation(), 30, clients=1)
    with supervise(port=serving.port) as world:
        world.watch(every=1, logs=True)
        with connect(cart(latency="3"), port=serving.port, protocol=2) as robot:
            think(robot, 30)
        heard = _heard(world)
    serving.result()
    first = {entry.name: entry for robot_name, time, entry in reversed(heard)}
    assert first.keys() == THOUGHTS.keys()
    assert (first["ball"].value, first["sure"].value) == (0.25, 1.0)
    assert first["pose"].value.tolist() == [1.0, 2.0, 3.0]
    assert (first["state"].value, first["state"].level) == ("balancing Ü", "warning")
    assert first["eye"].value == encode_png(IMAGE)
    assert (first["cloud"].value == CLOUD).all() and first["cloud"].space == "Base"
    assert first["plan"].value["text"] == "go"
    times = [time for _, time, entry in heard if entry.name == "ball"]
    assert times == [pytest.approx(0.001 * frame) for frame in range(len(times))] and len(times) >= 27


def _heard(world: Supervisor) -> list[tuple[str, float, LogEntry]]:
    with contextlib.suppress(RefusedError):  # the server has ended
        while world.next_truth(5.0) is not None:
            pass
    return world.take_logs()


def test_logs_have_them_as_topics_of_foxgloves_schemas(tmp_path: Path) -> None:
    digests = []
    for recorded in (True, False):
        simulation, digest = Simulation(), io.StringIO()
        with Recorder(simulation, tmp_path / "a.mcap") if recorded else contextlib.nullcontext():
            serving = Serving(simulation, 20, clients=1, digest=digest)
            with connect(cart(), port=serving.port, protocol=2) as robot:
                think(robot, 20)
            serving.result()
        digests.append(digest.getvalue())
    assert digests[0] == digests[1]
    with (tmp_path / "a.mcap").open("rb") as file:
        found = [(schema, channel, message) for schema, channel, message in make_reader(file).iter_messages()]
    schemas = {channel.topic: schema.name for schema, channel, _ in found if schema is not None}
    assert {f"/Cart/log/{name}": schema for name, schema in SCHEMAS.items()}.items() <= schemas.items()
    poses = [message for _, channel, message in found if channel.topic == "/Cart/log/pose"]
    assert json.loads(poses[0].data) == {"values": [1.0, 2.0, 3.0]}
    assert [message.log_time for message in poses][:3] == [0, 1_000_000, 2_000_000]
    with Log(tmp_path / "a.mcap") as log:
        assert replay(log) is None


def test_a_log_has_large_things_once_and_tells_all_of_them_again(tmp_path: Path) -> None:
    simulation, noise = Simulation(), np.random.default_rng(2)
    picture = encode_png(noise.integers(0, 256, (240, 320, 3), dtype=np.uint8))
    text = "".join(map(chr, noise.integers(33, 127, 5000)))
    cloud = noise.normal(size=(2000, 3)).astype(np.float32)
    said: dict[str, Any] = {"eye": picture, "words": text, "cloud": cloud, "short": "hm", "number": float("nan")}
    with Recorder(simulation, tmp_path / "a.mcap"):
        robot = LocalRobot(simulation, simulation.spawn(cart()))
        robot.next_frame()
        for name, value in said.items():
            robot.log(name, value, space="Base" if name == "cloud" else "")
    contents = len(picture) + len(text) + cloud.nbytes
    assert (tmp_path / "a.mcap").stat().st_size < contents + 60_000
    with Log(tmp_path / "a.mcap") as log:
        again = {said.entry.name: said.entry for said in ProgramEntries(log).between(log.first, log.last)}
    for name, value in said.items():
        assert again[name] == log_entry(name, value, space="Base" if name == "cloud" else "")


def test_numbers_and_vectors_are_plotted_and_exported(tmp_path: Path) -> None:
    simulation = Simulation()
    with Recorder(simulation, tmp_path / "a.mcap"):
        robot = LocalRobot(simulation, simulation.spawn(cart()))
        for _ in range(5):
            frame = robot.next_frame()
            robot.log("ball/x", 2 * frame.time)
            robot.log("pose", (1.0, frame.time, 3.0) if frame.time < 0.003 else (1.0, 2.0))
            robot.log("state", "well")
    with Log(tmp_path / "a.mcap") as log:
        assert {"/Cart/log/ball/x": 5, "/Cart/log/pose": 3}.items() <= topics(log).items()
        assert "/Cart/log/state" not in topics(log)
        found = collect(log, ["/Cart/log/ball/x", "/Cart/log/pose.1"])
    assert found["/Cart/log/ball/x"].values[:, 0] == pytest.approx([0.0, 0.002, 0.004, 0.006, 0.008])
    assert found["/Cart/log/pose.1"].frames.tolist() == [0, 1, 2]
    assert found["/Cart/log/pose.1"].values[:, 0] == pytest.approx([0.0, 0.001, 0.002])


def test_in_process_too(tmp_path: Path) -> None:
    simulation = Simulation()
    robot = LocalRobot(simulation, simulation.spawn(cart(), position=(0, 0, 0.3)))
    robot.log("ball", 1.0)
    with Recorder(simulation, tmp_path / "a.mcap"):
        think(robot, 5)
    with (tmp_path / "a.mcap").open("rb") as file:
        topics = {channel.topic for _, channel, _ in make_reader(file).iter_messages()}
    assert {f"/Cart/log/{name}" for name in THOUGHTS} <= topics


def test_where_nothing_listens_nothing_is_sent() -> None:
    serving = Serving(Simulation(), None, clients=1)
    with connect(cart(), port=serving.port, protocol=2) as robot:
        for _ in range(3):
            robot.next_frame()
            robot.log("ball", 1.0)
        robot._outgoing.take()
        robot.log("ball", 1.0)
        assert robot._outgoing.take() == b""
        assert "Log" in robot._parameters.by_name
    serving.server.stop()


def test_a_budget_per_frame() -> None:
    serving = Serving(Simulation(), 6, clients=1, max_log=4000)
    with supervise(port=serving.port) as world:
        world.watch(every=1, logs=True)
        with connect(cart(), port=serving.port, protocol=2) as robot:
            for _ in robot:
                for _ in range(100):
                    robot.log("pose", np.zeros(44))
                robot.log("late", 1.0)
        heard = _heard(world)
    serving.result()
    names = [entry.name for _, time, entry in heard if time == pytest.approx(0.002)]
    assert names == ["pose"] * 11 + ["dropped"]


@pytest.mark.parametrize("kind, payload", [(1, bytes(8)), (3, b"\x01"), (6, b"{}")], ids=["number", "text", "drawing"])
def test_many_small_entries_are_within_the_budget_too(kind: int, payload: bytes) -> None:
    """Each takes time, in which the others wait: 40,000 empty drawings were 8 s of a recorded frame."""
    serving = Serving(Simulation(), 6, clients=1, max_log=2560)
    with supervise(port=serving.port) as world:
        world.watch(every=1, logs=True)
        raw = RawClient(serving.port, cart().replace("<CSettings>", "<CSettings><Protocol>2</Protocol>"))
        raw.welcome()
        while (frame := raw.frame()) is not None:
            burst = message("Log", b"x\0" + bytes([kind]) + payload) * 2000
            raw.socket.sendall(burst + message("Ack", struct.pack("<d", frame[0])))
        raw.close()
        heard = _heard(world)
    serving.result()
    names = [entry.name for _, time, entry in heard if time == pytest.approx(0.002)]
    assert names == ["x"] * 10 + ["dropped"]


def test_an_entry_is_read_once() -> None:
    entry = LogEntry("plan", 6, b'{"points": [[1, 2]], "space": "Eye"}')
    assert entry.value is entry.value and entry.space == "Eye"


@pytest.mark.parametrize(
    "kind, content, reason",
    [
        (1, b"abc", "a number has 8 bytes"),
        (2, b"abcdefg", "a vector has 8 bytes for each number"),
        (3, b"\x01\xff", "a text is UTF-8"),
        (3, b"\x09", "a text begins with its level, 0 to 4"),
        (5, b"Base\0abc", "points have 12 bytes each, after their space"),
        (5, b"\xff\0", "points have 12 bytes each, after their space"),
        (6, b'{"width": NaN}', "a drawing is not JSON: NaN is no JSON number"),
        (6, b"[" * 30_000, "a drawing is not JSON: it is nested too deeply"),
        (6, b"[1, 2]", "a drawing is not a JSON object"),
        (6, b'{"text": "\xff"}', "a drawing is not JSON: 'utf-8' codec"),
    ],
)
def test_what_is_wrong_with_an_entry(kind: int, content: bytes, reason: str) -> None:
    with pytest.raises(RemoteProtocolError, match=re.escape(f"Log of plan: {reason}")):
        LogEntry("plan", kind, content).check()


def test_parts_and_payloads_of_any_size() -> None:
    for size in (0, 1, 7, 8, 100, MAX_FROM_CLIENT, 3 * MAX_FROM_CLIENT + 5):
        entry = log_entry("long/name", "x" * size)
        parts, payloads = LogParts(), log_payloads(entry)
        assert [parts.take(payload) for payload in payloads] == [None] * (len(payloads) - 1) + [entry]
        assert all(len(message("Log", payload)) - 4 <= MAX_FROM_CLIENT for payload in payloads)


@pytest.mark.parametrize("name", ["abc", "ab"])
def test_a_message_as_long_as_a_property_is_an_entry(name: str) -> None:
    """Name, NUL, kind, level and text: eight bytes for one of them."""
    serving = Serving(Simulation(), 2, clients=1)
    raw = RawClient(serving.port, cart().replace("<CSettings>", "<CSettings><Protocol>2</Protocol>"))
    raw.welcome()
    raw.frame()
    raw.socket.sendall(message("Log", name.encode() + b"\0\3\1ok"))
    raw.send(Ack(0.0))
    assert raw.serve_to_the_end() == 1
    serving.result()


BAD = {
    "no kind": b"name\0",
    "no name": b"\0\1" + bytes(8),
    "a name with a blank": b"a b\0\1" + bytes(8),
    "an unknown kind": b"a\0\x09abc",
    "a number of nine bytes": b"a\0\1" + bytes(9),
    "a vector that does not end": b"a\0\2" + bytes(9),
    "a text without a level": b"a\0\3",
    "a level that there is not": b"a\0\3\x09x",
    "a text that is none": b"a\0\3\1\xff\xff",
    "a picture that is none": b"a\0\4abc",
    "points that do not end": b"a\0\5\0" + bytes(11),
    "a drawing that is no JSON": b"a\0\6[]",
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_no_entry_costs_the_robot(what: str) -> None:
    with pytest.raises(RemoteProtocolError, match=r"Log|drawing"):
        LogParts().take(BAD[what])


def test_over_the_wire_that_is_an_error() -> None:
    serving = Serving(Simulation(), None, clients=1)
    raw = RawClient(serving.port, cart().replace("<CSettings>", "<CSettings><Protocol>2</Protocol>"))
    raw.welcome()
    raw.frame()
    raw.socket.sendall(message("Declare", encode_declaration(declaration("Log", True))) + message("Log", b"a\0\x09"))
    assert "there is no kind 9" in raw.error()
    serving.server.stop()


@pytest.mark.parametrize(
    ("name", "value", "how"),
    [("", 1, {}), ("a b", 1, {}), ("a", "x", {"level": "loud"}), ("a", object(), {}), ("a", np.zeros((2, 2)), {}),
     ("a", b"abc", {}), ("a", {"circle": 1}, {}), ("a", {"points": [[float("nan"), 0, 0]]}, {}),
     ("a", {"points": [[0, 1]]}, {}), ("a", {"lines": [[0, 1, 2], [0, 1, 3]]}, {}), ("a", {"at": 3, "text": "x"}, {}),
     ("a", {"lines": 3}, {}), ("a", {"points": [[0, 1, 2, 3]]}, {"space": "Eye"})],
)  # fmt: skip
def test_what_a_program_must_not_log(name: str, value: Any, how: dict[str, Any]) -> None:
    with pytest.raises(LocalProtocolError):
        log_entry(name, value, **how)
