"""What a log tells without simulating anything: states by time, numbers over time, and what other tools see."""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
from PIL import Image
from typer.testing import CliRunner

from tests.helpers.documents import AT_ORIGIN, ball, body, robot, vector
from tests.helpers.recording_robots import car, drive, record
from tests.helpers.robots import cart
from ubersim.cli.app import app
from ubersim.description import WorldDescription, read_robot
from ubersim.errors import UberSimError
from ubersim.protocol.messages import OWN_PAYLOAD
from ubersim.protocol.quantity import Quantity
from ubersim.recording import Log, Recorder
from ubersim.recording.block import Block
from ubersim.recording.chunks import Chunks
from ubersim.recording.event import RecordedEvent
from ubersim.recording.latencies import latencies_in
from ubersim.recording.real_run import RealRunRecorder
from ubersim.recording.scene import pixels_of
from ubersim.recording.tables import Table, collect, export, file_name, topics
from ubersim.recording.time_travel import TimeTravel
from ubersim.simulation import Simulation
from ubersim.timing.latency import Constant

STEP = 0.001


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with robots that come and go; tests only read it."""
    folder = tmp_path_factory.mktemp("run")
    record(folder / "run.mcap", folder)
    return folder / "run.mcap"


def test_commands_have_the_units_of_what_they_drive(tmp_path: Path) -> None:
    """One name has two: a drive's speed is that of the robot, a motor's that of its wheel."""
    with Simulation() as simulation, Recorder(simulation, tmp_path / "a.mcap"):
        robot = simulation.spawn("scout")
        for motor in ("Drive", "LMotor"):
            robot.command(motor, "Speed", 0.5)
        simulation.step(50)
    with Log(tmp_path / "a.mcap") as log:
        found = collect(log, ["/Scout/Drive/Speed", "/Scout/LMotor/Speed"])
    assert [table.quantities for table in found.values()] == [
        (Quantity("Speed", "m/s"),),
        (Quantity("Speed", "rad/s"),),
    ]


def test_states_are_the_simulation_s(tmp_path: Path) -> None:
    simulation, seen = Simulation(), {}
    robot = simulation.spawn(car())
    with Recorder(simulation, tmp_path / "a.mcap", poses=5):
        for _ in range(250):
            seen[simulation.frame] = robot.bodies["Chassis"].position.copy()
            drive(simulation, 10)
    with Log(tmp_path / "a.mcap") as log:
        for frame, position in seen.items():
            instant = log.at(frame * STEP + 0.002)  # between two that were kept
            assert instant.frame == frame
            assert (instant.states["Car", "Chassis"][:3] == position).all()


def test_bodies_are_there_while_they_are_there(run: Path) -> None:
    with Log(run) as log:
        for time, robots in ((0.0, {"", "One"}), (0.299, {"", "One"}), (0.3, {"", "One", "Two"}), (2.1, {"", "One"})):
            assert {robot for robot, _ in log.at(time).states} == robots
        assert log.at(-5.0).frame == 0
        assert log.at(99.0).frame == 2500


def test_it_plays_at_any_speed_in_both_directions(run: Path) -> None:
    with Log(run) as log:
        forwards = [instant.frame for instant in log.instants()]
        assert forwards == sorted(forwards) and set(range(0, 2501, 10)) <= set(forwards)
        assert [instant.frame for instant in log.instants(backwards=True)] == forwards[::-1]
        assert [instant.frame for instant in log.play(2.0, rate=10.0)] == list(range(0, 2501, 200))
        assert [instant.frame for instant in log.play(-1.0, rate=2.0)] == [2500, 2000, 1500, 1000, 500, 0]
        assert [instant.frame for instant in log.play(0.5, rate=10.0, begin=2.4)] == [2400, 2450, 2500]
        with pytest.raises(UberSimError, match="speed 0"):
            next(log.play(0.0))


def test_tables_hold_what_was_read_and_executed(tmp_path: Path) -> None:
    simulation, read, sent = Simulation(), {}, []
    robot = simulation.spawn(car(latency="<Latency>4</Latency>"))
    with Recorder(simulation, tmp_path / "a.mcap"):
        for _ in range(1500):
            if simulation.frame % 100 == 0:
                robot.command("RMotor", "Vel", simulation.frame / 100)
                sent.append((simulation.frame + 4, simulation.frame / 100))
            simulation.step()
            if robot.readings:
                read[simulation.frame] = robot.read("Tilt")
    with Log(tmp_path / "a.mcap") as log:
        found = collect(log, ["/Car/Tilt", "/Car/RMotor/Vel", "/Car/Chassis/pose"])
        tilt = found["/Car/Tilt"]
        assert dict(zip(tilt.frames.tolist(), tilt.values[:, 0].tolist(), strict=True)) == read
        velocity = found["/Car/RMotor/Vel"]
        assert list(zip(velocity.frames.tolist(), velocity.values[:, 0].tolist(), strict=True)) == sent
        assert found["/Car/Chassis/pose"].columns[:3] == ("x", "y", "z")
        with pytest.raises(UberSimError, match=r"no topic '/Car/Tild'.*; did you mean /Car/Tilt\?"):
            collect(log, ["/Car/Tild"])


def test_export_writes_every_topic(run: Path, tmp_path: Path) -> None:
    with Log(run) as log:
        assert {path.name for path in export(log, tmp_path)} == {file_name(topic) for topic in topics(log)}
        expected = collect(log, ["/Two/Tilt"])["/Two/Tilt"]
    with (tmp_path / "Two.Tilt.csv").open() as file:
        head, *rows = csv.reader(file)
    assert head == ["time [s]", "pitch [rad]"]
    assert [float(row[0]) for row in rows] == [frame * STEP for frame in expected.frames]
    assert [float(row[1]) for row in rows] == expected.values[:, 0].tolist()


def test_the_commands(run: Path, tmp_path: Path) -> None:
    def ubersim(*arguments: object) -> tuple[int, str]:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if isinstance(result.exception, UberSimError):
            return 1, str(result.exception)
        return result.exit_code, result.output

    assert ubersim("replay", run) == (0, "frames 0 to 2500: every body the same to the bit\n")
    code, text = ubersim("info", run)
    assert code == 0
    for part in (
        "frames 0 to 2500",
        "seed: 3",
        "version of libode: 0.16",
        "0.300 s  Two joined",
        "marked now it goes",
        "/World/Ball/pose",
    ):
        assert part in text
    wanted = "/One/Tilt", "/One/Tilt.pitch", "/One/Chassis/pose.z", "/One/LMotor/Vel"
    for name in ("a.png", "a.svg"):
        assert ubersim("plot", run, *wanted, "-o", tmp_path / name)[0] == 0
    assert np.array(Image.open(tmp_path / "a.png").convert("L")).std() > 5
    assert ElementTree.parse(tmp_path / "a.svg").getroot().tag.endswith("svg")
    assert "pose has no column 'q'" in ubersim("plot", run, "/One/Chassis/pose.q", "-o", tmp_path / "a.png")[1]
    window = "--from", 0.5, "--to", 1.0, "--with", run
    assert ubersim("plot", run, "/One/Chassis/pose", *window, "-o", tmp_path / "b.svg")[0] == 0
    drawn = (tmp_path / "b.svg").read_text()
    assert all(f"<!-- {label}" in drawn for label in ("[m]", "[rad/s]", "qw (run)", "One (latency"))
    nothing = ubersim("plot", run, "/One/Tilt", "--from", 99, "-o", tmp_path / "b.svg")
    assert nothing == (1, f"{run} has nothing of /One/Tilt between 99 and inf s")
    assert "did you mean /Two/Tilt?" in ubersim("plot", run, "/Twoo/Tilt", "-o", tmp_path / "a.png")[1]
    assert "did you mean pitch?" in ubersim("plot", run, "/Two/Tilt.pich", "-o", tmp_path / "a.png")[1]
    assert re.search("known are .*/One/Tilt.*/Two/Tilt", ubersim("plot", run, "nothing", "-o", tmp_path / "a.png")[1])
    assert ubersim("export", run, "--csv", tmp_path / "csv")[0] == 0
    assert ubersim("info", tmp_path / "none.mcap")[0] == 1
    (tmp_path / "other.mcap").write_bytes(b"something else")
    assert "no MCAP file" in ubersim("info", tmp_path / "other.mcap")[1]


def test_a_label_cannot_command_the_terminal(tmp_path: Path) -> None:
    simulation = Simulation()
    with Recorder(simulation, tmp_path / "a.mcap"):
        simulation.step(10)
        simulation.mark("\x1b]0;owned\x07\x1b[2J and\nmore")
        simulation.step(10)
    text = CliRunner().invoke(app, ["info", str(tmp_path / "a.mcap")]).output
    assert r"marked \x1b]0;owned\x07\x1b[2J and\nmore" in text
    assert all(sign.isprintable() or sign == "\n" for sign in text)


def test_no_two_topics_share_a_file(tmp_path: Path) -> None:
    """Names may have dots, which separate names in the files' names."""
    simulation = Simulation()
    for name in ("A", "A.Chassis", "A.Chassis.pose"):
        simulation.spawn(car(), name=name)
    with Recorder(simulation, tmp_path / "a.mcap"):
        drive(simulation, 30)
    with Log(tmp_path / "a.mcap") as log:
        known = topics(log)
        files = export(log, tmp_path / "csv")
    assert len(files) == len(set(files)) == len(known)
    assert {"A.Chassis.pose.csv", "A%2EChassis.Chassis.pose.csv"} <= {path.name for path in files}


SCANNER = f'<LidarSensor name="Scan">{vector("Position", 0, 0.2, 0.2)}<Beams>5</Beams><Range>9</Range>'
SCANNER += "<Frequency>10</Frequency></LidarSensor>"
EYE = f'<CameraSensor name="Eye">{vector("Position", 0, 0.3, 0.2)}<Fov>60</Fov><Width>32</Width><Height>24</Height>'
EYE += "<Frequency>50</Frequency></CameraSensor>"
SEEN = EYE.replace('"Eye"', '"Seen"').replace("<Fov>", "<Level>objects</Level><Fov>")


def test_other_tools_see_a_scene(tmp_path: Path) -> None:
    """Read with the reference reader and decoder: what is drawn is where it was."""
    simulation = Simulation()
    robot = simulation.spawn(car(sensors=SCANNER + EYE + SEEN), position=(0.0, 0.0, 0.01))
    pictures = [payload for name, payload in robot.readings if name == "Eye"]
    with Recorder(simulation, tmp_path / "a.mcap", images=2):
        for _ in range(1200):
            drive(simulation, 1)
            pictures += [payload for name, payload in robot.readings if name == "Eye"]
    seen: dict[str, list[tuple[int, Any]]] = {}
    with (tmp_path / "a.mcap").open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        for schema, channel, message in reader.iter_messages():
            if channel.message_encoding == "protobuf":
                decode = DecoderFactory().decoder_for("protobuf", schema)
                assert decode is not None and schema is not None
                decoded = decode(message.data)
                seen.setdefault(f"{channel.topic} {schema.name}", []).append((message.log_time, decoded))
            elif channel.message_encoding == "json":
                seen.setdefault(channel.topic, []).append((message.log_time, json.loads(message.data)))
    (scene,) = (decoded for _, decoded in seen["/scene foxglove.SceneUpdate"])
    shapes = {entity.id: entity for entity in scene.entities}
    assert set(shapes) == {"world", "Car/Chassis", "Car/LWheel", "Car/RWheel"}
    assert [cube.size.y for cube in shapes["Car/Chassis"].cubes] == [0.5]
    assert [sphere.size.x for sphere in shapes["Car/LWheel"].spheres] == [0.2]
    with Log(tmp_path / "a.mcap") as log:
        for time, transforms in seen["/tf foxglove.FrameTransforms"]:
            poses = log.at(time * 1e-9).poses
            for transform in transforms.transforms:
                position, quaternion = poses["Car", transform.child_frame_id.removeprefix("Car/")]
                place, turn = transform.translation, transform.rotation
                assert (place.x, place.y, place.z) == tuple(position)
                assert (turn.w, turn.x, turn.y, turn.z) == tuple(quaternion)
                assert transform.timestamp.seconds * 10**9 + transform.timestamp.nanos == time
        with pytest.raises(UberSimError, match="/Car/Eye has pictures and no numbers; `ubersim render` draws them"):
            collect(log, ["/Car/Eye"])
        with pytest.raises(UberSimError, match="/Car/Seen has readings of another length each time in "):
            collect(log, ["/Car/Seen"])
    images = [decoded for _, decoded in seen["/Car/Eye foxglove.RawImage"]]
    assert len(pictures) == 61 and [image.data for image in images] == pictures[::2]
    assert (images[0].encoding, images[0].width, images[0].step) == ("bgra8", 32, 128)
    scans = [decoded for _, decoded in seen["/Car/Scan foxglove.LaserScan"]]
    assert len(scans) == 13 and len(scans[0].ranges) == 5
    assert len(seen["/Car/LMotor/Vel"]) > 20 and "value" in seen["/Car/LMotor/Vel"][0][1]
    assert len(seen["/events foxglove.Log"]) == 1


def test_what_holds_is_plotted_until_it_ends() -> None:
    """A command or a latency that was set before the window holds in it, and the last one up to its end."""
    table = Table("/One/latency", (Quantity("average", "ms"),), np.array([0, 10]), np.array([[5.0], [7.0]]), holds=True)
    for window, frames, values in (
        ((0, 100), [0, 10, 100], [5.0, 7.0, 7.0]),
        ((4, 8), [4, 8], [5.0, 5.0]),
        ((20, 30), [20, 30], [7.0, 7.0]),
        ((5, 10), [5, 10, 10], [5.0, 7.0, 7.0]),
        ((30, 20), [], []),
    ):
        seen = table.lasting(*window)
        assert (seen.frames.tolist(), seen.values[:, 0].tolist()) == (frames, values)
    measured = replace(table, holds=False).lasting(4, 20)
    assert (measured.frames.tolist(), measured.values.tolist()) == ([10], [[7.0]])


def test_what_was_not_read_from_documents_cannot_be_recorded(tmp_path: Path) -> None:
    with Simulation() as simulation, Recorder(simulation, tmp_path / "a.mcap"):
        unread = replace(read_robot(car()), source_text="")
        with pytest.raises(UberSimError, match="cannot be recorded: it was not read from a document"):
            simulation.spawn(unread)
    with Simulation(WorldDescription()) as made, pytest.raises(UberSimError, match="were not read from documents"):
        Recorder(made, tmp_path / "b.mcap")


def test_a_snapshot_in_a_log_may_be_damaged() -> None:
    event = RecordedEvent(7, "restored", snapshot="no base64!")
    with pytest.raises(UberSimError, match="the snapshot of frame 7 cannot be read"):
        event.snapshot_bytes  # noqa: B018


@pytest.mark.parametrize("data", [b"", b"\x05\0\0\0{}", b"\x02\0\0\0{}", b"\x02\0\0\0[]"])
def test_what_is_no_block_is_refused(data: bytes) -> None:
    with pytest.raises(UberSimError, match="a block of this log cannot be read"):
        Block.decode(data)


def test_latencies_of_models_that_are_not_installed_are_left_out() -> None:
    known = Constant(5.0).to_dict()
    block = SimpleNamespace(latencies=[(0, "A", "", {"kind": "quantum"}), (3, "A", "", known)])
    assert [(found.frame, found.model) for found in latencies_in(block)] == [(3, Constant(5.0))]  # type: ignore[arg-type]


def test_nothing_holds_where_nothing_was() -> None:
    table = Table("/A/Vel", (Quantity("Vel"),), np.array([10]), np.array([[1.0]]), holds=True)
    assert len(table.lasting(2, 5).frames) == 0


def test_a_real_robots_run_cannot_be_repeated() -> None:
    log = SimpleNamespace(facts={"real": True}, path="real.mcap")
    with pytest.raises(UberSimError, match=r"real\.mcap is a real robot's run: no simulation led to it"):
        TimeTravel(log)  # type: ignore[arg-type]


def test_what_is_in_a_chunk_has_to_be_what_it_says(run: Path) -> None:
    chunks = Chunks(run)
    with pytest.raises(UberSimError, match="belongs to channel 999, which is none"):
        chunks.topic(SimpleNamespace(channel_id=999))
    for size, reason in ((2**40, "allowed are"), (9, "it has 3 bytes instead of 9")):
        with pytest.raises(UberSimError, match=reason):
            chunks._unpacked(SimpleNamespace(uncompressed_size=size, compression="", data=b"abc"))
    chunks.close()


def test_a_full_disk_is_an_error_where_nothing_else_hears_of_it() -> None:
    with pytest.raises(UberSimError, match="cannot write /dev/full"), Recorder(Simulation(), Path("/dev/full")):
        pass


def test_a_writer_that_was_killed_before_it_wrote_what_is_in_a_chunk(run: Path, tmp_path: Path) -> None:
    whole, cut = Chunks(run), tmp_path / "cut.mcap"
    last = whole.places[-1]
    cut.write_bytes(run.read_bytes()[: last.offset + last.length])
    part = Chunks(cut)
    assert not part.complete and len(part.places) == len(whole.places)
    assert part._times[-1] == whole._times[-1] != {}
    for chunks in (whole, part):
        chunks.close()


def test_payloads_that_a_real_robot_was_sent_are_recorded(tmp_path: Path) -> None:
    with Simulation() as twin:
        recorder = RealRunRecorder(twin, twin.spawn(cart()), tmp_path / "real.mcap")
        recorder.sensed(0, [])
        recorder.executed(3, [("Motor", OWN_PAYLOAD, b"swing"), ("Motor", 2, 1.5), ("Motor", OWN_PAYLOAD, b"it")])
        recorder.close(5)
    with Log(tmp_path / "real.mcap") as log:
        told = [(frame, value) for frame, _, _, value in log.block(0).executed()]
    assert told == [(3, b"swing"), (3, 1.5), (3, b"it")]


@pytest.mark.parametrize(("tag", "pixels"), [("DepthSensor", ("32FC1", 4)), ("SegmentationSensor", ("mono16", 2))])
def test_what_viewers_call_pixels_that_are_no_colours(tag: str, pixels: tuple[str, int]) -> None:
    camera = f'<{tag} name="Eye">{AT_ORIGIN}<Fov>60</Fov></{tag}>'
    (eye,) = read_robot(robot(body(ball("b") + camera))).sensors
    assert pixels_of(eye) == pixels
