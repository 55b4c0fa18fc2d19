"""Components from other packages: installed by pip, used over the wire; broken ones are named and harm nobody."""

from __future__ import annotations

import math
import os
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.documents import AT_ORIGIN, body, robot, vector
from ubersim.client import connect
from ubersim.description.reader import read_document
from ubersim.description.registry import GROUP, Registry
from ubersim.description.robot import RobotDescription
from ubersim.description.world_file import WorldDescription
from ubersim.errors import RemoteProtocolError, UberSimError
from ubersim.simulation import Simulation
from ubersim.simulation.scene import scene_of

PLUGIN = Path(__file__).parents[2] / "examples" / "plugin"
UBERSIM = Path(sys.executable).parent / "ubersim"
GILBERT = '<Latency model="gilbert"><Good>3</Good><Bad>11</Bad><Fall>0.1</Fall><Rise>0.2</Rise></Latency>'
FRAMES = 400


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example package as pip installs it; from a copy, for a build leaves things behind."""
    source, target = tmp_path_factory.mktemp("source") / "plugin", tmp_path_factory.mktemp("target")
    shutil.copytree(PLUGIN, source)
    offline = ["--quiet", "--no-index", "--no-build-isolation", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", "install", *offline, "--target", target, source], check=True)
    return target


@contextmanager
def served(packages: Path, *options: object) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """`ubersim serve` with further packages on the path: its port, and its process."""
    command = [str(UBERSIM), "serve", "--port", "0", *map(str, options)]
    environment = os.environ | {"PYTHONPATH": str(packages)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", line)
        assert found is not None, line + process.communicate(timeout=120)[1]
        yield int(found[1]), process
    finally:
        process.terminate()
        process.communicate(timeout=120)


def turntable(sensors: str, latency: str = "", name: str = "Table") -> str:
    """A box that turns to the left by 2 rad/s from a heading of 0, with sensors."""
    spawn = f"<Spawn>{vector('Position', 0, 0, 1)}</Spawn>"
    size = "<XSize>0.2</XSize><YSize>0.2</YSize><ZSize>0.2</ZSize>"
    box = f'<Box name="b"><Mass>1</Mass>{size}{AT_ORIGIN}<Material>Wood</Material></Box>'
    drive = '<Motion><HolonomicDrive name="Drive"><TurnRate>2</TurnRate></HolonomicDrive></Motion>'
    entity = f'<Entity><RigidBodies><Body name="B">{box}{sensors}</Body></RigidBodies>{drive}</Entity>'
    return f"<Client><CSettings><Name>{name}</Name>{latency}{spawn}</CSettings>{entity}</Client>"


def magnetometer(name: str, inside: str = "") -> str:
    return f'<MagnetometerSensor name="{name}">{AT_ORIGIN}{inside}</MagnetometerSensor>'


def test_a_magnetometer_over_the_wire(installed: Path) -> None:
    level, tilted = magnetometer("Level"), magnetometer("Tilted", vector("Rotation", 90, 0, 0))
    with (
        served(installed, "--clients", 1, "--frames", FRAMES) as (port, _),
        connect(turntable(level + tilted), port=port) as robot,
    ):
        about = robot.settings["sensors"]["Level"]
        assert (about["type"], about["dtype"], about["shape"]) == ("MagnetometerSensor", "<f4", [3])
        frames = 0
        for frame in robot:
            frames += 1
            heading = 2 * frame.time
            x, y, z = 20 * math.sin(heading), 20 * math.cos(heading), -44.0
            np.testing.assert_allclose(frame["Level"], (x, y, z), rtol=1e-5, atol=1e-5)
            # Turned about x by 90 degrees, its forward axis is the body's up, and its up the body's back.
            np.testing.assert_allclose(frame["Tilted"], (x, z, -y), rtol=1e-5, atol=1e-5)
        assert frames == FRAMES


def test_a_latency_model_of_somebody_elses_keeps_lockstep_exact(installed: Path, tmp_path: Path) -> None:
    document = turntable(magnetometer("Field", f"{GILBERT}<Stamped>true</Stamped>"), GILBERT)
    digests, delays = [], []
    for option in ("--lookahead", "--no-lookahead"):
        digest = tmp_path / "digest"
        with (
            served(installed, "--clients", 1, "--frames", FRAMES, "--digest", digest, option) as (port, process),
            connect(document, port=port) as robot,
        ):
            for number, frame in enumerate(robot):
                robot.set("Drive", "SpeedX", math.sin(number))
                if "Field" in frame:
                    delays.append(round(1000 * (frame.time - frame.captured["Field"])))
            process.wait(120)
        digests.append(digest.read_text())
    assert digests[0] == digests[1] and len(digests[0].splitlines()) >= FRAMES
    assert {3, 11} <= set(delays) and set(delays) <= set(range(3, 12))  # those between had to wait for their turn
    assert 0.1 < delays.count(3) / len(delays) < 0.9


def test_its_latency_is_checked_in_snapshots_in_logs_and_in_the_schema(installed: Path, tmp_path: Path) -> None:
    program = f"""
from ubersim.description import read_robot, xsd
from ubersim.errors import DescriptionError
from ubersim.simulation import Simulation
from ubersim.simulation.snapshot import Snapshot
from ubersim.recording import Log, Recorder, replay

text = {turntable(magnetometer("Field", GILBERT), GILBERT)!r}
try:
    read_robot(text.replace("<Fall>0.1", "<Fall>1.1"))
except DescriptionError as error:
    assert "Fall: '1.1' is out of range; allowed is 0 to 1" in str(error), error
assert "gilbert" in xsd("robot") and "MagnetometerSensor" in xsd("robot")
here, there = Simulation(), Simulation()
robot = here.spawn(text)
for value in range(50):
    robot.command("Drive", "SpeedX", value / 50)
    here.step(1)
there.restore(Snapshot.from_bytes(here.snapshot().to_bytes()))
for simulation in (here, there):
    for value in range(100):
        simulation.robots["Table"].command("Drive", "SpeedY", value / 50)
        simulation.step(1)
assert here.digest() == there.digest()
assert (here.robots["Table"].read("Field") == there.robots["Table"].read("Field")).all()
with Recorder(here, {str(tmp_path / "run.mcap")!r}):
    here.step(50)
with Log({str(tmp_path / "run.mcap")!r}) as log:
    assert replay(log) is None
"""
    environment = os.environ | {"PYTHONPATH": str(installed)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


BROKEN = """
from dataclasses import dataclass
from ubersim.description.component import component
from ubersim.timing.latency import LatencyModel
from ubersim.components.solids.box import Box as OwnBox


@component
class Box(OwnBox):
    "Claims a tag that is taken."


class NoComponent:
    tag = "NoComponent"


@dataclass(frozen=True)
class Unfinished(LatencyModel):
    kind = "unfinished"
"""
POINTS = {
    "Absent": "a_broken_package.nowhere:Absent",
    "Box": "a_broken_package:Box",
    "NoComponent": "a_broken_package:NoComponent",
    "Quits": "a_package_that_quits:Quits",
    "unfinished": "a_broken_package:Unfinished",
}
REASONS = {
    "Absent": "ModuleNotFoundError: No module named 'a_broken_package.nowhere'; 'a_broken_package' is not a package",
    "Box": "TypeError: the tag is taken by ubersim.components.solids.box",
    "NoComponent": "TypeError: it is not a component class",
    "Quits": "SystemExit: 3",
    "unfinished": "TypeError: it lacks draw, minimum",
}


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A package with every mistake there is, as pip would have left it."""
    (tmp_path / "a_broken_package.py").write_text(BROKEN)
    (tmp_path / "a_package_that_quits.py").write_text("raise SystemExit(3)")
    about = tmp_path / "a_broken_package-1.2.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: a-broken-package\nVersion: 1.2\n")
    points = "\n".join(f"{tag} = {value}" for tag, value in POINTS.items())
    (about / "entry_points.txt").write_text(f"[ubersim.components]\n{points}\n")
    return tmp_path


def test_a_broken_package_is_named_and_the_server_runs_without_it(broken: Path) -> None:
    with served(broken, "--clients", 1, "--frames", 20) as (port, process):
        with pytest.raises(UberSimError, match=r"component Absent .* is not available: ModuleNotFoundError"):
            connect(turntable('<Absent name="a"/>'), port=port)
        with pytest.raises(UberSimError, match=r"component unfinished .* is not available: TypeError: it lacks draw"):
            connect(turntable("", '<Latency model="unfinished"/>'), port=port)
        with connect(turntable(""), port=port) as robot:  # whose Box is the server's own
            assert len(list(robot)) == 20
        assert process.wait(120) == 0
        assert process.stderr is not None
        told = process.stderr.read().splitlines()
    expected = [
        f"component {tag} ({value} of a-broken-package 1.2) is not available: {REASONS[tag]}"
        for tag, value in sorted(POINTS.items(), key=lambda point: point[1])
    ]
    assert told == expected


PAGE = (PLUGIN.parent.parent / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_page_shows_the_example_as_it_is() -> None:
    for name, block in zip(("magnetometer", "gilbert"), BLOCKS[:2], strict=True):
        assert block in (PLUGIN / "ubersim_magnetometer" / f"{name}.py").read_text(encoding="utf-8")
    (points,) = re.findall(r"^```toml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert points in (PLUGIN / "pyproject.toml").read_text(encoding="utf-8")


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    """The page's other components, beside our own."""
    (tmp_path / "shown_on_the_page.py").write_text("\n\n".join(BLOCKS[2:]))
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("shown_on_the_page", None)
    tags = ("Cube", "TubeLight", "JointPivot", "Brake", "ShuttleDrive")
    points = [EntryPoint(tag, f"shown_on_the_page:{tag}", GROUP) for tag in tags]
    found = Registry([*entry_points(group=GROUP), *points])
    assert not found.refused
    return found


def cube(name: str, height: float) -> str:
    inside = f"<Mass>6</Mass><Edge>0.2</Edge>{vector('Position', 0, 0, height)}<Material>Wood</Material>"
    return body(f'<Cube name="{name}_cube">{inside}</Cube>', name)


def test_the_pages_solid_joint_and_motor_work(shown: Registry) -> None:
    joint = f'<JointPivot name="J"><Body1>A</Body1>{vector("AnchorPos", 0, 0, 0)}</JointPivot>'
    motor = '<Motors><Brake name="Stop"><Joint>J</Joint></Brake></Motors>'
    text = robot(cube("A", 1), joint).replace("</Joints>", "</Joints>" + motor)
    simulation = Simulation()
    spawned = simulation.spawn(read_document(RobotDescription, text, "x", None, shown), position=(0, 0, 0))
    disc = spawned.bodies["A"]
    disc.set_state(angular=(0, 0, 5))  # the moment of inertia is 6 * 0.2**2 / 6 = 0.04 kg m^2
    spawned.command("Stop", 64, 0.2)
    simulation.step(500)
    assert disc.angular_velocity[2] == pytest.approx(5 - 0.2 / 0.04 * 0.5, abs=1e-6)
    simulation.step(1000)
    assert disc.angular_velocity[2] == pytest.approx(0, abs=1e-9)


def test_the_pages_brake_takes_a_payload_of_its_own(shown: Registry) -> None:
    joint = f'<JointPivot name="J"><Body1>A</Body1>{vector("AnchorPos", 0, 0, 0)}</JointPivot>'
    motor = '<Motors><Brake name="Stop"><Joint>J</Joint></Brake></Motors>'
    text = robot(cube("A", 1), joint).replace("</Joints>", "</Joints>" + motor)
    simulation = Simulation()
    spawned = simulation.spawn(read_document(RobotDescription, text, "x", None, shown), position=(0, 0, 0))
    disc = spawned.bodies["A"]
    disc.set_state(angular=(0, 0, 5))
    spawned.send("Stop", struct.pack("<ffB", 0.2, 0.3, True))
    simulation.step(500)
    assert disc.angular_velocity[2] == pytest.approx(5 - 0.2 / 0.04 * 0.3, abs=1e-6)
    with pytest.raises(RemoteProtocolError, match="a payload of 2 bytes for 'Stop': it takes 9 bytes"):
        spawned.send("Stop", b"ab")


def test_the_pages_light_shines(shown: Registry) -> None:
    light = f'<TubeLight name="T">{vector("Position", 0, 0, 3)}<Intensity>3</Intensity></TubeLight>'
    world = read_document(WorldDescription, f"<World><Lights>{light}</Lights></World>", "x", None, shown)
    lights = scene_of(Simulation(world)).lights
    assert [source.position[0] for source in lights.sources] == pytest.approx([-0.4, 0, 0.4])  # type: ignore[union-attr]
    assert {source.color for source in lights.sources} == {(1.0, 1.0, 1.0)} and lights.above == (0, 0, 0)


def test_both_ways_of_naming_it_are_the_same(installed: Path) -> None:
    program = """
from importlib.metadata import EntryPoint
from ubersim.description.registry import GROUP, Registry
whole = Registry([EntryPoint("magnetometer", "ubersim_magnetometer", GROUP)])
one = EntryPoint("MagnetometerSensor", "ubersim_magnetometer.magnetometer:MagnetometerSensor", GROUP)
other = EntryPoint("gilbert", "ubersim_magnetometer.gilbert:Gilbert", GROUP)
parts = Registry([one, other])
assert whole.components == parts.components and set(whole.components) == {"MagnetometerSensor"}
assert whole.latency_models == parts.latency_models and set(parts.latency_models) == {"gilbert"}
both = Registry([one, other, EntryPoint("magnetometer", "ubersim_magnetometer", GROUP)])
assert both.components == parts.components and not both.refused
"""
    environment = os.environ | {"PYTHONPATH": str(installed)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_the_pages_motion_model_works(shown: Registry) -> None:
    drive = '<Motion><ShuttleDrive name="D"><Way>0.5</Way><Speed>1</Speed></ShuttleDrive></Motion>'
    entity = f"<Entity><RigidBodies>{cube('A', 1)}</RigidBodies>{drive}</Entity>"
    text = f"<Client><CSettings><Name>R</Name></CSettings>{entity}</Client>"
    simulation = Simulation()
    spawned = simulation.spawn(read_document(RobotDescription, text, "x", None, shown), position=(0, 0, 0))
    for frames, y in ((500, 0.5), (500, 0.0), (250, 0.25)):
        simulation.step(frames)
        assert spawned.bodies["A"].position[1] == pytest.approx(y, abs=0.0011)  # it may turn round a frame later
