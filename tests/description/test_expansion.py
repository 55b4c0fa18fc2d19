"""Documents of several files: parts are included, filled and put in their place, and errors still say where."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from tests.helpers.documents import AT_ORIGIN, SETTINGS, ball, body, vector
from tests.helpers.paths import DATA
from ubersim.description import expand, load_robot, load_world, read_robot, xsd
from ubersim.description.document import LONGEST
from ubersim.description.resources import shipped
from ubersim.errors import DescriptionError
from ubersim.geometry import rotation_to_xyz, rotation_xyz, rotation_xyz_degrees
from ubersim.protocol.document_settings import with_settings

LEG = f"""<Part>
  <!-- a leg that hangs from the body -->
  <RigidBodies>
    <Body name="{{side}}Thigh">
      <Cylinder name="{{side}}Bone">
        <Mass>{{mass}}</Mass> <Radius>0.01</Radius> <Height>0.2</Height>
        {vector("Position", 0, 0, -0.1)} <Material>Plastic</Material>
      </Cylinder>
    </Body>
  </RigidBodies>
  <Joints>
    <JointHinge name="{{side}}Hip"> <Body1>{{side}}Thigh</Body1> <Body2>B</Body2>
      {vector("Axis", 1, 0, 0)} {vector("AnchorPos", 0, 0, 0)}
    </JointHinge>
  </Joints>
  <Motors>
    <PositionServo name="{{side}}Servo"><Joint>{{side}}Hip</Joint><Kp>5</Kp><TorqueLimit>1</TorqueLimit></PositionServo>
  </Motors>
</Part>"""


def include(arguments: str = "side=Left mass=0.1", place: str = "", file: str = "leg.xml") -> str:
    given = f"<With>{arguments}</With>" if arguments else ""
    return f"<Include><File>{file}</File>{given}{place}</Include>"


def document(parts: str, bodies: str = "") -> str:
    """A robot with a body `B`, over several lines; the parts begin in line 5."""
    return f"""<Client>{SETTINGS}
<Entity>
<!-- its parts -->
<Parts>
{parts}
</Parts>
<RigidBodies>{body(ball("b"))}{bodies}
</RigidBodies>
</Entity></Client>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "leg.xml").write_text(LEG)
    return tmp_path


def complaint(text: str, folder: Path) -> str:
    with pytest.raises(DescriptionError) as refused:
        read_robot(expand(text, folder, source="robot.xml"), source="robot.xml")
    return str(refused.value)


def test_lists_are_joined_and_holes_filled(folder: Path) -> None:
    parts = include(place=vector("Position", -0.1, 0, 0)) + "\n" + include("side=Right mass=0.2")
    robot = read_robot(expand(document(parts), folder))
    assert [part.name for part in robot.bodies] == ["B", "LeftThigh", "RightThigh"]
    assert [joint.name for joint in robot.joints] == ["LeftHip", "RightHip"]
    assert [motor.name for motor in robot.motors] == ["LeftServo", "RightServo"]
    assert [part.mass_properties().mass for part in robot.bodies[1:]] == [0.1, 0.2]
    assert robot.joints[0].anchor == (-0.1, 0.0, 0.0)
    np.testing.assert_allclose(robot.bodies[1].mass_properties().center, (-0.1, 0, -0.1), atol=1e-12)


def test_a_part_is_turned_then_moved(folder: Path) -> None:
    place = vector("Rotation", 0, 90, 30) + vector("Position", 1, 2, 3)
    robot = read_robot(expand(document(include(place=place)), folder))
    turn = rotation_xyz_degrees([0, 90, 30])
    bone, hip = robot.bodies[1].solids[0], robot.joints[0]
    np.testing.assert_allclose(bone.position, turn @ (0, 0, -0.1) + (1, 2, 3), atol=1e-12)
    np.testing.assert_allclose(bone.pose.rotation, turn, atol=1e-12)
    np.testing.assert_allclose(hip.axes[0], turn @ (1, 0, 0), atol=1e-12)
    np.testing.assert_allclose(np.array(hip.anchor), (1, 2, 3))


@pytest.mark.parametrize(
    "degrees", [(0, 0, 0), (10, 20, 30), (-170, 89, 100), (40, 90, 25), (40, -90, 25), (180, 0, 90)]
)
def test_rotations_go_both_ways(degrees: tuple[float, float, float]) -> None:
    matrix = rotation_xyz_degrees(degrees)
    np.testing.assert_allclose(rotation_xyz(rotation_to_xyz(matrix)), matrix, atol=1e-9)


def test_an_own_rotation_comes_first(folder: Path) -> None:
    turned = LEG.replace("<Material>", vector("Rotation", 45, 0, 0) + "<Material>")
    (folder / "leg.xml").write_text(turned)
    robot = read_robot(expand(document(include(place=vector("Rotation", 0, 0, 90))), folder))
    wanted = rotation_xyz_degrees([0, 0, 90]) @ rotation_xyz_degrees([45, 0, 0])
    np.testing.assert_allclose(robot.bodies[1].solids[0].pose.rotation, wanted, atol=1e-12)


def test_parts_include_parts_from_their_own_folder(folder: Path) -> None:
    (folder / "feet").mkdir()
    foot = f"<Part>\n\n<RigidBodies>{body(ball('toe').replace('Rubber', '{what}'), 'Foot')}</RigidBodies></Part>"
    (folder / "feet" / "foot.xml").write_text(foot)
    nested = f"<Part>\n<Parts>{include('what={material}', vector('Position', 0, 0, -1), 'foot.xml')}</Parts></Part>"
    (folder / "feet" / "leg.xml").write_text(nested)
    outer = include("material=Wood", vector("Position", 5, 0, 0), "feet/leg.xml")
    robot = read_robot(expand(document(outer), folder))
    toe = robot.bodies[1].solids[0]
    assert (toe.material, toe.position) == ("Wood", (5.0, 0.0, -1.0))
    (folder / "feet" / "foot.xml").write_text(foot.replace("<Mass>1</Mass>", "<Mass>x</Mass>"))
    assert "Mass: 'x' is not a number" in complaint(document(outer), folder)
    assert "(from foot.xml:3, included by feet/leg.xml:2)" in complaint(document(outer), folder)


def test_errors_name_the_line_of_the_include_and_that_of_the_part(folder: Path) -> None:
    (folder / "leg.xml").write_text(LEG.replace("0.2</Height>", "-1</Height>").replace("</Joints>", "<Fixd/></Joints>"))
    found = complaint(document(include() + "\n" + include("side=Right mass=heavy"), body("", "Empty")), folder)
    assert "robot.xml:5: Body[LeftThigh]/Cylinder[LeftBone]/Height: '-1' is out of range" in found
    assert "(from leg.xml:6)" in found
    assert "robot.xml:6: Body[RightThigh]/Cylinder[RightBone]/Mass: 'heavy' is not a number" in found
    assert "Joints/Fixd: unknown element Fixd" in found and "(from leg.xml:15)" in found
    assert "robot.xml:8: Body[Empty]: has no solid" in found  # the document's own lines keep their numbers


def test_the_marks_survive_a_change_of_settings(folder: Path) -> None:
    text = with_settings(expand(document(include("side=Left mass=x")), folder), name="Other")
    with pytest.raises(DescriptionError, match=r"5: .*'x' is not a number.*\(from leg.xml:6\)"):
        read_robot(text)


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (include(file="none.xml"), "5: Client/Entity/Parts/Include: 'none.xml' cannot be read: No such file"),
        (include("side=Left"), "With does not say what {mass} is; known are side (from leg.xml:6)"),
        (include("side=Left mas=1 mass=1"), "With says what {mas} is, but nothing in the part needs it"),
        (include("side=Left mass = 1"), "it takes name=value"),
        (include(file="bad.xml"), "not well-formed XML"),
        (include(file="robot.xml"), "the root element of 'robot.xml' is Client; it has to be Part"),
        (include(file="loop.xml", arguments=""), "'loop.xml' includes itself (from loop.xml:1)"),
        (include(file="there.xml", arguments=""), "'there.xml' includes itself, by way of back.xml (from back.xml:1)"),
        (include(file="deep0.xml", arguments=""), "'deep8.xml' is in parts within parts, 8 deep"),
        (include(file="large.xml"), f"allowed are {LONGEST}"),
        ("<Include/>", "File is missing"),
        ("<Include><Fil>leg.xml</Fil></Include>", "unknown element Fil; did you mean File?"),
    ],
)
def test_parts_that_cannot_be_included(parts: str, reason: str, folder: Path) -> None:
    (folder / "bad.xml").write_text("<Part>\n<Joints></Part>")
    (folder / "robot.xml").write_text("<Client/>")
    (folder / "loop.xml").write_text(f"<Part><Parts>{include('', file='loop.xml')}</Parts></Part>")
    for name, other in [("there", "back"), ("back", "there"), *((f"deep{i}", f"deep{i + 1}") for i in range(9))]:
        (folder / f"{name}.xml").write_text(f"<Part><Parts>{include('', file=f'{other}.xml')}</Parts></Part>")
    (folder / "large.xml").write_text(" " * (LONGEST + 1))
    with pytest.raises(DescriptionError) as refused:
        expand(document(parts + "<File/>"), folder, source="robot.xml")
    assert reason in str(refused.value)


def test_a_server_refuses_what_was_not_expanded() -> None:
    with pytest.raises(DescriptionError, match="Include: was not replaced by the part in its file"):
        read_robot(document(include()))


def test_files_and_worlds_too(folder: Path) -> None:
    (folder / "robot.xml").write_text(document(include()))
    robot = load_robot(folder / "robot.xml")
    assert len(robot.bodies) == 2
    assert read_robot(robot.source_text) == robot  # as a client sends it
    post = f'<Box name="{{name}}"><XSize>0.1</XSize><YSize>0.1</YSize><ZSize>1</ZSize>{AT_ORIGIN}'
    (folder / "post.xml").write_text(f"<Part><Static>{post}<Material>Wood</Material></Box></Static></Part>")
    posts = [include(f"name=post{x}", vector("Position", x, 0, 0.5), "post.xml") for x in (1, 2)]
    (folder / "world.xml").write_text(f"<World><Ground/><Parts>{''.join(posts)}</Parts></World>")
    assert [solid.position[0] for solid in load_world(folder / "world.xml").static] == [1.0, 2.0]


def test_the_module_prints_what_other_languages_send(folder: Path) -> None:
    (folder / "robot.xml").write_text(document(include()))
    command = [sys.executable, "-m", "ubersim.description.expansion", str(folder / "robot.xml")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert len(read_robot(printed).bodies) == 2


def test_the_documented_part_works(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "robot-xml.md").read_text(encoding="utf-8")
    part, parts = (
        next(block for block in re.findall(r"(?ms)^```xml\n(.*?)^```", page) if block.startswith(start))
        for start in ("<Part>", "<Parts>")
    )
    (tmp_path / "wheel.xml").write_text(part)
    chassis = body(ball("plate"), "Chassis")
    text = f"<Client>{SETTINGS}<Entity>{parts}<RigidBodies>{chassis}</RigidBodies></Entity></Client>"
    robot = read_robot(expand(text, tmp_path))
    assert [joint.anchor for joint in robot.joints] == [(-0.2, 0.0, 0.1), (0.2, 0.0, 0.1)]
    assert [wheel.solids[0].position for wheel in robot.bodies[1:]] == [(-0.2, 0.0, 0.1), (0.2, 0.0, 0.1)]
    etree.XMLSchema(etree.fromstring(xsd("robot"))).assertValid(etree.fromstring(text))


def test_the_omni_platform_is_short() -> None:
    assert len((DATA / "omni.xml").read_text().splitlines()) < 80


def test_parts_that_come_along_are_found_from_any_folder(folder: Path) -> None:
    camera = include("name=Ptz body=Empty", file="parts/ptz_camera.xml")
    whole = document(camera, body(ball("stone"), "Empty"))
    assert any(sensor.name == "Ptz" for sensor in read_robot(expand(whole, folder)).sensors)
    (folder / "aibo.xml").write_bytes(shipped("robots/aibo.xml").read_bytes())
    assert len(load_robot(folder / "aibo.xml").bodies) == len(load_robot("aibo").bodies)


def test_parts_of_ones_own_come_first(folder: Path) -> None:
    (folder / "parts").mkdir()
    (folder / "parts" / "ptz_camera.xml").write_text("<Client/>")
    for name in ("parts/ptz_camera.xml", "parts/nothing.xml", "other/ptz_camera.xml"):
        with pytest.raises(DescriptionError, match=r"has to be Part|cannot be read"):
            expand(document(include("name=Ptz body=Empty", file=name)), folder)


def test_what_a_part_needs_is_said_once(folder: Path) -> None:
    with pytest.raises(DescriptionError) as refused:
        expand(document(include("", file="parts/ptz_camera.xml")), folder)
    assert [problem.message.partition(" (from")[0] for problem in refused.value.problems] == [
        "With does not say what {name} is; write <With>name=...</With>",
        "With does not say what {body} is; write <With>body=...</With>",
    ]
