"""`check` warns about what is allowed and hardly ever meant; what comes along is known by name, and gives no cause."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ubersim.cli.app import app, located
from ubersim.cli.project import project_files
from ubersim.description import load_robot, read_robot
from ubersim.description.plausibility import warnings
from ubersim.description.resources import shipped, shipped_names
from ubersim.errors import DescriptionError, UberSimError

ROBOT = project_files("Duo")["duo.xml"]
SHIPPED = [*shipped_names("robots"), *shipped_names("worlds")]


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    if isinstance(result.exception, UberSimError):
        return 1, str(result.exception)
    return result.exit_code, result.output


@pytest.mark.parametrize("name", SHIPPED)
def test_what_comes_along_gives_no_cause_for_warnings(name: str) -> None:
    code, text = run("check", name, "--strict")
    assert code == 0, text
    assert ": \n" not in text


def test_the_list_says_what_comes_along_and_where_it_is() -> None:
    code, text = run("list")
    assert code == 0
    for folder, found in re.findall(r"^(\w+), in (.+):$", text, re.MULTILINE):
        assert folder == Path(found).name and Path(found).is_dir()
    told = dict(re.findall(r"^  (\S+) +(.+)$", text, re.MULTILINE))
    assert {*SHIPPED, "parts/ptz_camera.xml", "ssl", "msl_mixed", "scout_wander.py"} <= {*told}
    assert all(words.endswith(".") for words in told.values()), told


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("<XSize>0.3", "<XSize>300", "Duo is 300 m long; sizes are in metres"),
        ("<XSize>0.3", "<XSize>4000", "Duo is 4000 m long; sizes are in metres"),
        ("<XSize>0.3", "<XSize>0.0003", "Box Plate is 0.0003 m thin"),
        ("<AnchorPos><x>0</x>", "<AnchorPos><x>7</x>", "its anchor 6.75 m away"),
        ("<Latency>10</Latency>", "<Spawn><Position><x>0</x><y>0</y><z>0</z></Position></Spawn>", "0.2 m below"),
        ("<Frequency>100", "<Frequency>5000", "wants 5000 Hz; there are 1000 frames per second"),
        (
            "</Joints>",
            '</Joints><Motors><PositionServo name="Servo"><Joint>Motor</Joint><Kp>100</Kp><Kd>0.2</Kd>'
            "<TorqueLimit>20</TorqueLimit></PositionServo></Motors>",
            "PositionServo Servo has the time constant Kd/Kp = 2 ms; a frame lasts 1 ms",
        ),
        ("<y>0</y><z>0.2</z>", "<y>3</y><z>0.2</z>", "exerts 20 N m at most; to hold Wheels takes"),
    ],
)
def test_robots(old: str, new: str, words: str, tmp_path: Path) -> None:
    if words.startswith("exerts"):  # the roller hangs off to the side
        new, old = "<y>2</y><z>0</z></Position><Rotation>", "<y>0</y><z>0</z></Position><Rotation>"
    assert old in ROBOT
    found = list(warnings(read_robot(ROBOT.replace(old, new, 1))))
    assert any(words in warning for warning in found), found


def test_fields_of_view_and_loose_bodies(tmp_path: Path) -> None:
    eye = '<CameraSensor name="Eye"><Position><x>0</x><y>0</y><z>0</z></Position><Fov>1.2</Fov></CameraSensor>'
    loose = ROBOT[ROBOT.index('<Body name="Wheels">') : ROBOT.index("</RigidBodies>")]
    loose = loose.replace("Wheels", "Spare").replace("Roller", "Ring")
    text = ROBOT.replace("<InclinometerSensor", eye + "<InclinometerSensor").replace(
        "</RigidBodies>", loose + "</RigidBodies>"
    )
    path = tmp_path / "odd.xml"
    path.write_text(text)
    code, said = run("check", path)
    assert code == 0
    assert "warning: CameraSensor Eye sees 1.2°; Fov is in degrees" in said
    assert "warning: Body Spare is connected to nothing: it falls off" in said
    assert "warning: Spare and Wheels overlap by" in said
    assert run("check", path, "--strict")[0] == 1


def test_shutters(tmp_path: Path) -> None:
    """How long a picture takes; and that it cannot take longer than until the next one."""
    text = shipped("robots/segway.xml").read_text(encoding="utf-8")
    (rate,) = re.findall(r"<CameraSensor.*?<Frequency>(\d+)</Frequency>", text, re.DOTALL)
    path = tmp_path / "slow.xml"
    for exposure, warns in ((0.004, False), (1.0, True)):
        shutter = f"<Shutter><Exposure>{exposure}</Exposure><Readout>0.01</Readout></Shutter>"
        path.write_text(text.replace("</CameraSensor>", shutter + "</CameraSensor>"), encoding="utf-8")
        said = run("check", path)[1]
        assert f"exposed and read out for {1e3 * (exposure + 0.01):g} ms" in said
        warning = f"is exposed and read out for 1010 ms, but takes a picture every {1e3 / float(rate):g} ms"
        assert (warning in said) == warns


def block(name: str, mass: float, y: float) -> str:
    place = f"<Position><x>0</x><y>{y}</y><z>1</z></Position><Material>Wood</Material>"
    solid = (
        f'<Box name="{name}Box"><Mass>{mass}</Mass><XSize>0.1</XSize><YSize>0.2</YSize><ZSize>0.1</ZSize>{place}</Box>'
    )
    return f'<Body name="{name}">{solid}</Body>'


def hinge(name: str, first: str, second: str, y: float, strength: str = "") -> str:
    place = f"<Axis><x>1</x><y>0</y><z>0</z></Axis><AnchorPos><x>0</x><y>{y}</y><z>1</z></AnchorPos>"
    return f'<JointHinge name="{name}"><Body1>{first}</Body1><Body2>{second}</Body2>{place}{strength}</JointHinge>'


def found(bodies: str, joints: str, motors: str = "") -> list[str]:
    lists = f"<RigidBodies>{bodies}</RigidBodies><Joints>{joints}</Joints><Motors>{motors}</Motors>"
    text = f"<Client><CSettings><Name>Arm</Name></CSettings><Entity>{lists}</Entity></Client>"
    return list(warnings(read_robot(text.replace("<Motors></Motors>", ""))))


def test_parts_that_hang_together_and_with_nothing_else() -> None:
    bodies = block("A", 5, 0) + block("B", 1, 0.2) + block("C", 2, 1) + block("D", 2, 1.2) + block("E", 1, 2)
    pairs = hinge("AB", "A", "B", 0.1) + hinge("CD", "C", "D", 1.1)
    alone = "Body E is connected to nothing: it falls off"
    assert found(bodies, pairs) == [
        "Bodies C, D are connected to each other and to nothing else: they fall off",
        alone,
    ]
    bolts = hinge("A0", "A", "World", 0) + hinge("D0", "World", "D", 1.2)
    assert found(bodies, pairs + bolts) == [alone]


def test_what_the_world_holds_carries_the_rest() -> None:
    """An arm at a wall: its first joint holds all of it, the second what lies beyond, be that the heavier part."""
    bodies = block("Upper", 1, 0.1) + block("Fore", 10, 0.3)
    shoulder = hinge("Shoulder", "Upper", "World", 0, "<FMax>30</FMax>")
    elbow = hinge("Elbow", "Fore", "Upper", 0.2, "<FMax>9</FMax>")
    assert found(bodies, shoulder + elbow) == [
        "JointHinge Shoulder exerts 30 N m at most; to hold 2 bodies takes 30.4",
        "JointHinge Elbow exerts 9 N m at most; to hold Fore takes 9.81",
    ]
    assert found(bodies, shoulder.replace(">30<", ">31<") + elbow.replace(">9<", ">10<")) == []
    rail = hinge("Rail", "World", "Fore", 0.4)  # what is held at both ends is for the joints together to hold
    assert found(bodies, shoulder + elbow + rail) == []


@pytest.mark.parametrize(("current", "most"), [("", "1.2"), ("<MaxCurrent>4</MaxCurrent>", "0.4")])
def test_a_motor_is_as_strong_as_its_current_at_standstill(current: str, most: str) -> None:
    motor = (
        '<DCMotor name="M"><Joint>J</Joint><TorqueConstant>0.01</TorqueConstant><Resistance>1</Resistance>'
        f"<NominalVoltage>12</NominalVoltage><Gear>10</Gear>{current}</DCMotor>"
    )
    joint = hinge("J", "Arm", "Base", 0, "<FMax>99</FMax>")  # which is the motor's to set
    told = found(block("Base", 9, -0.1) + block("Arm", 2, 0.1), joint, motor)
    assert told == [f"JointHinge J exerts {most} N m at most; to hold Arm takes 1.96"]


def test_it_tells_sizes_stops_ranges_and_latencies() -> None:
    text = run("check", "pioneer")[1]
    assert "bounding box" in text and "361 beams" in text and "up to " in text and "late by" in text
    assert "°" in run("check", "aibo")[1].partition("joint")[2]


def test_it_tells_how_late_commands_are(tmp_path: Path) -> None:
    text = shipped("robots/scout.xml").read_text(encoding="utf-8")
    normal = '<Latency model="normal"><Mean>20</Mean><Sigma>4</Sigma><Min>5</Min></Latency>'
    late = re.sub("<Latency>.*?</Latency>", normal, text, count=1)
    late = re.sub('(<VelocityMotor name="LMotor">)', r"\1<Latency>7</Latency>", late)
    path = tmp_path / "late.xml"
    path.write_text(late, encoding="utf-8")
    told = run("check", path)[1]
    assert "  commands        late by normal, 20 ± 4 ms, at least 5 ms\n" in told
    assert "LMotor: LWheelHinge; late by 7 ms more\n" in told
    assert "RMotor: RWheelHinge\n" in told


def test_worlds(tmp_path: Path) -> None:
    ball = (
        '<Sphere name="{0}"><Mass>1</Mass><Radius>0.2</Radius><Position><x>0</x><y>0</y><z>{1}</z></Position>'
        "<Material>Rubber</Material></Sphere>"
    )
    bodies = "".join(
        f'<Body name="{name}">{ball.format(name + "Skin", z)}</Body>' for name, z in (("A", 1.0), ("B", 1.1))
    )
    points = "<SpawnPoints><SpawnPoint><Position><x>0</x><y>0</y><z>-1</z></Position></SpawnPoint></SpawnPoints>"
    path = tmp_path / "world.xml"
    path.write_text(f"<World><Ground/><Objects>{bodies}</Objects>{points}</World>")
    code, text = run("check", path)
    assert code == 0 and "warning: A and B overlap by 300 mm" in text and "spawn point 1 is 1 m below" in text


OBJECT = '<Objects><Body name="Puck">{}</Body></Objects>'
LARGE_BALL, SMALL_BALL = "<Radius>110</Radius>", "<Radius>0.0005</Radius>"


def solid(tag: str, sizes: str, z: float, mass: str = "<Mass>1</Mass>") -> str:
    place = f"<Position><x>0</x><y>0</y><z>{z}</z></Position>"
    return f'<{tag} name="It">{mass}{sizes}{place}<Material>Wood</Material></{tag}>'


WALL = solid("Box", "<XSize>2</XSize><YSize>1</YSize><ZSize>3</ZSize>", 1.5, mass="")


@pytest.mark.parametrize(
    ("world", "words"),
    [
        (f"<Static>{WALL}</Static>", "the origin, where robots enter, is inside something solid"),
        (
            f"<Static>{WALL}</Static><SpawnPoints><SpawnPoint><Position><x>2</x><y>0</y><z>0</z></Position></SpawnPoint>"
            "<SpawnPoint><Position><x>0.9</x><y>0</y><z>0</z></Position></SpawnPoint></SpawnPoints>",
            "spawn point 2 is inside something solid",
        ),
        (
            "<Static>" + WALL.replace("<XSize>2", "<XSize>2000") + "</Static>",
            "2000 m long together; sizes are in metres",
        ),
        (
            OBJECT.format(solid("Sphere", LARGE_BALL, 110)),
            "Body Puck is 220 m long; sizes are in metres",
        ),
        (
            OBJECT.format(solid("Sphere", SMALL_BALL, 0.0005)),
            "Body Puck is 0.001 m long; sizes are in metres",
        ),
    ],
)
def test_what_is_hardly_meant_in_a_world(world: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "world.xml"
    path.write_text(f"<World><Ground/>{world}</World>")
    code, text = run("check", path)
    assert code == 0 and f"warning: {words}" in text.replace("what never moves in it is ", "")
    assert text.count("warning:") == (2 if "<XSize>2000" in world else 1)
    assert run("check", path, "--strict")[0] == 1


def test_it_tells_how_large_a_world_and_its_objects_are(tmp_path: Path) -> None:
    path = tmp_path / "world.xml"
    ball = solid("Sphere", "<Radius>0.1</Radius>", 5)
    wall = WALL.replace("It", "Wall")
    path.write_text(f'<World><Static>{wall}</Static><Objects><Body name="B">{ball}</Body></Objects></World>')
    lines = [" ".join(line.split()) for line in run("check", path)[1].splitlines()]
    assert lines[1] == "bounding box 2 1 3 m"
    assert lines[5] == "bounding box 0.2 0.2 0.2 m"


def test_names_of_what_comes_along() -> None:
    assert located(Path("segway")).name == "segway.xml" and located(Path("office")).parent.name == "worlds"
    assert located(Path("mine.xml")) == Path("mine.xml")
    with pytest.raises(UberSimError, match="did you mean segway"):
        located(Path("segwya"))


def test_a_robot_is_no_world() -> None:
    assert run("serve", "--world", "scout", "--port", 0)[1].startswith("'scout' is one of the robots that come along")
    with pytest.raises(
        UberSimError, match="'office' is one of the worlds that come along; here one of the robots is meant"
    ):
        load_robot("office")


def test_what_comes_along_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert located(Path("robots/segway.xml")).is_file() and located(Path("worlds/office.xml")).is_file()
    for other in ("robots/office.xml", "robots/segway.urdf", "mine/segway.xml"):
        assert located(Path(other)) == Path(other)
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "segway.xml").touch()
    assert located(Path("robots/segway.xml")) == Path("robots/segway.xml")


def test_a_vector_written_as_text_gets_one_error_with_the_right_spelling() -> None:
    text = ROBOT.replace("<Position><x>0</x><y>0</y><z>0.2</z></Position>", "<Position>0 0 0.93</Position>")
    with pytest.raises(DescriptionError) as caught:
        read_robot(text)
    (problem,) = caught.value.problems
    assert "write <Position><x>0</x><y>0</y><z>0.93</z></Position>" in str(problem)


def test_a_joint_sensor_needs_no_position() -> None:
    sensor = '<JointSensor name="Angle"><Joint>Motor</Joint></JointSensor>'
    robot = read_robot(ROBOT.replace("<InclinometerSensor", sensor + "<InclinometerSensor"))
    assert robot.sensors[0].position == (0.0, 0.0, 0.0)


def watched(path: Path, saves: Sequence[Callable[[], object]], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What `--watch` says before these saves, which happen while it sleeps, and after each."""
    left = iter(saves)

    def nap(_: float) -> None:
        if (save := next(left, None)) is None:
            raise KeyboardInterrupt
        save()

    monkeypatch.setattr("ubersim.cli.check.time.sleep", nap)
    said = CliRunner().invoke(app, ["check", str(path), "--watch"]).output
    return said.split("--- ")[1:]


def test_it_watches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Again with every save, also by a new file of that name, until it is interrupted."""
    path, other = tmp_path / "robot.xml", tmp_path / "other.xml"
    bad, heavy = (ROBOT.replace("<Mass>10</Mass>", f"<Mass>{mass}</Mass>") for mass in ("-1", "91"))
    other.write_text(heavy)
    saves = [lambda: path.write_text(ROBOT), lambda: path.write_text(bad), lambda: other.rename(path), path.unlink]
    missing, light, wrong, renamed, gone = watched(path, saves, monkeypatch)
    assert "14 kg" in light and "Mass" in wrong and "95 kg" in renamed
    assert "No such file" in missing and "No such file" in gone


def test_it_watches_the_parts_of_a_robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, part = tmp_path / "robot.xml", tmp_path / "wheel.xml"
    wheel = block("Wheel", 1, 1)
    path.write_text(ROBOT.replace("</Joints>", "</Joints><Parts><Include><File>wheel.xml</File></Include></Parts>"))
    part.write_text(f"<Part><RigidBodies>{wheel}</RigidBodies></Part>")
    saves = [lambda: part.write_text(part.read_text().replace("<Mass>1<", "<Mass>3<"))]
    before, after = watched(path, saves, monkeypatch)
    assert "15 kg" in before and "17 kg" in after
