"""What is written for others is the same robot when it comes back, and in MuJoCo."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
from typer.testing import CliRunner

from tests.helpers.documents import vector
from tests.importers.files import arm_urdf, written
from tests.importers.test_mjcf import FILE
from tests.league.localization.stage import robot as seeker
from ubersim.cli import export  # noqa: F401  # registers the verb
from ubersim.cli.app import app
from ubersim.components.motors.mimic import MimicMotor
from ubersim.description import RobotDescription, load_robot, read_robot, shipped
from ubersim.importers import import_robot
from ubersim.importers.numbers import number_text
from ubersim.importers.writing import Format, export_robot


def same(one: RobotDescription, other: RobotDescription) -> None:
    """The same bodies, of the same weight, in the same places; the same joints with the same stops."""
    assert [body.name for body in one.bodies] == [body.name for body in other.bodies]
    for ours, theirs in zip(one.bodies, other.bodies, strict=True):
        mass, back = ours.mass_properties(), theirs.mass_properties()
        assert back.mass == pytest.approx(mass.mass, rel=1e-9)
        assert back.center == pytest.approx(mass.center, abs=1e-9)
        assert back.inertia == pytest.approx(mass.inertia, abs=1e-9 * float(mass.inertia.max()))
        assert len(theirs.solids) == len(ours.solids)
    joints = {joint.name: joint for joint in other.joints}
    for joint in one.joints:
        back_joint = joints[joint.name]
        assert back_joint.tag == joint.tag
        for field in ("lo_stop", "hi_stop", "initial_position"):
            if getattr(joint, field, None) is not None:
                assert getattr(back_joint, field) == pytest.approx(getattr(joint, field), abs=1e-9), (joint.name, field)
        if getattr(joint, "axis", None) is not None:
            sign = 1.0 if joint.body1 == back_joint.body1 else -1.0
            ours_axis = np.array(joint.axes[0]) / np.linalg.norm(joint.axes[0])
            assert np.array(back_joint.axes[0]) * sign == pytest.approx(ours_axis, abs=1e-9)


@pytest.mark.parametrize("format", ["urdf", "mjcf"])
@pytest.mark.parametrize("source", ["arm", "segway", "pioneer"])
def test_a_round_trip_changes_nothing(tmp_path: Path, format: Format, source: str) -> None:
    if source == "arm":
        robot = import_robot(written(tmp_path, arm_urdf())).description()
    else:
        robot = load_robot(shipped(f"robots/{source}.xml"))
    out = tmp_path / f"out.{'urdf' if format == 'urdf' else 'xml'}"
    export_robot(robot, out, format)
    same(robot, import_robot(out).description())


@pytest.mark.parametrize("value", [0.05, 0.1 + 0.2, 1e-7, -0.0, 2.0, 1e22, np.float64(0.7)])
def test_numbers_in_files_are_as_short_as_they_can_be(value: float) -> None:
    assert float(number_text(value)) == value and len(number_text(value)) <= len(f"{value:.17g}")
    assert number_text(0.05) == "0.05" and number_text(2.0) == "2" and number_text(-0.0) == "0"


def test_what_begins_elsewhere_goes_through_zero(tmp_path: Path) -> None:
    robot = import_robot(written(tmp_path, FILE, "thing.xml")).description()
    report = export_robot(robot, tmp_path / "out.xml", "mjcf")
    m = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    assert m.njnt == 4 and m.nu == 2 and m.body_mass.sum() == pytest.approx(robot.mass_properties().mass, rel=1e-9)
    back = import_robot(tmp_path / "out.xml").description()
    assert [joint.name for joint in back.joints] == ["shoulder", "wrist_x", "wrist_z"]
    assert any(finding.what == "sensor eye" for finding in report.of("dropped"))


def test_the_command_line_writes_both(tmp_path: Path) -> None:
    segway = str(shipped("robots/segway.xml"))
    for flag, name in (("--urdf", "s.urdf"), ("--mjcf", "s.xml")):
        result = CliRunner().invoke(app, ["export", segway, flag, "-o", str(tmp_path / name)])
        assert result.exit_code == 0, result.output
        assert "dropped  sensor" in result.output and (tmp_path / name).is_file()
    assert CliRunner().invoke(app, ["export", segway]).exit_code != 0


@pytest.mark.parametrize("format", ["urdf", "mjcf"])
def test_what_follows_another_joint_still_does(tmp_path: Path, format: Format) -> None:
    joints = arm_urdf().split("</joint>")
    joints[1] += '<mimic joint="joint0" multiplier="-0.5" offset="0.2"/>'
    robot = import_robot(written(tmp_path, "</joint>".join(joints))).description()
    out = tmp_path / f"out.{'urdf' if format == 'urdf' else 'xml'}"
    report = export_robot(robot, out, format)
    assert not any("mimic" in finding.what for finding in report.of("dropped"))
    back = import_robot(out).description()
    (ours,), (theirs,) = ([one for one in each.motors if isinstance(one, MimicMotor)] for each in (robot, back))
    assert (theirs.joint, theirs.leader) == (ours.joint, ours.leader)
    assert (theirs.factor, theirs.offset) == pytest.approx((ours.factor, ours.offset))


def told(robot: RobotDescription, out: Path, format: Format) -> str:
    """What an export says that it could not say."""
    return " ".join(str(export_robot(robot, out, format)).split())


def test_what_urdf_cannot_say_is_told(tmp_path: Path) -> None:
    humanoid, car = (load_robot(shipped(f"robots/{name}.xml")) for name in ("humanoid", "car"))
    assert "gains of motor" in told(humanoid, tmp_path / "humanoid.urdf", "urdf")
    assert "is no single hinge, slider or ball" in told(car, tmp_path / "car.urdf", "urdf")
    assert "other formats know joints and forces alone" in told(seeker(), tmp_path / "seeker.xml", "mjcf")


AT = vector("Position", 0, 0, 0) + "<Material>Plastic</Material>"
HELD = f"<Body1>B</Body1><Body2>A</Body2>{vector('AnchorPos', 0, 0, 0)}{vector('Axis', 0, 0, 1)}"
LOOP = (
    "<Client><CSettings><Name>Loop</Name></CSettings><Entity><RigidBodies>"
    f'<Body name="A"><Mesh name="a">{AT}<Vertices>0 0 0 1 0 0 0 1 0 0 0 1</Vertices><Mass>1</Mass>'
    "<Triangles>0 2 1 0 1 3 0 3 2 1 2 3</Triangles><FaceColors>255 0 0 0 255 0 0 0 255 9 9 9</FaceColors></Mesh></Body>"
    f'<Body name="B"><CappedCylinder name="b">{AT}<Mass>1</Mass><Radius>0.1</Radius><Height>1</Height>'
    f'</CappedCylinder></Body><Body name="C"><Sphere name="c">{AT}<Mass>1</Mass><Radius>0.1</Radius></Sphere></Body>'
    "</RigidBodies><Joints>"
    f'<JointHinge name="h">{HELD}<Damping>0.5</Damping><Armature>0.1</Armature></JointHinge>'
    f'<JointBall name="l"><Body1>B</Body1><Body2>A</Body2>{vector("AnchorPos", 0, 1, 0)}</JointBall>'
    f'<JointHinge name="m">{HELD}</JointHinge></Joints></Entity></Client>'
)


def test_loops_and_bodies_of_their_own(tmp_path: Path) -> None:
    """URDF is a tree, MJCF closes loops with balls; a body without a joint floats."""
    robot = read_robot(LOOP)
    report = told(robot, tmp_path / "out.urdf", "urdf")
    for words in (
        "joint l it closes a loop, and URDF is a tree",
        "joint m it closes a loop",
        "armature of joint h URDF",
    ):
        assert words in report
    assert "mesh a it has one colour" in report and "capsules are an extension" in report
    back = import_robot(tmp_path / "out.urdf").description()
    assert sorted(body.name for body in back.bodies) == ["A", "B", "C"] and [one.name for one in back.joints] == ["h"]
    export_robot(robot, tmp_path / "out.xml", "mjcf")
    m = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    assert m.neq == 1 and m.eq_type[0] == mujoco.mjtEq.mjEQ_CONNECT
    data = mujoco.MjData(m)
    mujoco.mj_forward(m, data)
    place = data.xpos[m.eq_obj1id[0]] + data.xmat[m.eq_obj1id[0]].reshape(3, 3) @ m.eq_data[0, :3]
    assert place == pytest.approx([1, 0, 0], abs=1e-9), "ahead is x there"
