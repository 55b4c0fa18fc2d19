"""What a URDF file says, and what becomes of it."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from tests.importers.files import written
from ubersim.components.joints.hinge import JointHinge
from ubersim.components.motors.servo import PositionServo
from ubersim.components.sensors.camera import CameraSensor
from ubersim.components.sensors.lidar import LidarSensor
from ubersim.components.solids.capped_cylinder import CappedCylinder
from ubersim.components.solids.mesh import Mesh
from ubersim.geometry import Pose
from ubersim.importers import ImportedRobot, ImportOptions, import_robot
from ubersim.importers.bounds import impossible
from ubersim.importers.collision import hull
from ubersim.importers.model import RobotJoint, RobotModel, RobotSensor
from ubersim.png import encode_png
from ubersim.simulation import Simulation

INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>'
BOX = '<geometry><box size="0.1 0.2 0.3"/></geometry>'
AHEAD_IS_Y = ImportOptions(forward="y")
CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1)) + "".join(
    f"f {face}\n" for face in ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")
)


def joint(kind: str, content: str = "", parent: str = "base", child: str = "tip", name: str = "elbow") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0 0 1"/><axis xyz="0 0 2"/>{content}</joint>'
    )


def link(content: str = "", name: str = "tip") -> str:
    return f'<link name="{name}">{INERTIAL}{content}</link>'


def imported(folder: Path, content: str, options: ImportOptions = AHEAD_IS_Y) -> ImportedRobot:
    return import_robot(written(folder, f'<robot name="test">\n{link(name="base")}\n{content}\n</robot>'), options)


def test_limits_of_a_joint_are_stops(tmp_path: Path) -> None:
    made = imported(tmp_path, link() + joint("revolute", '<limit lower="-1" upper="0.5" effort="7" velocity="3"/>'))
    (found,) = made.description().joints
    assert isinstance(found, JointHinge) and (found.body1, found.body2) == ("tip", "base")
    assert found.axis == (0, 0, 1) and found.anchor_pos == (0, 0, 1)
    assert found.lo_stop == pytest.approx(-1) and found.hi_stop == pytest.approx(0.5)
    assert "effort 7, velocity 3: no motor drives it" in str(made.report)


def test_joints_that_cannot_be_at_zero_begin_at_their_stop(tmp_path: Path) -> None:
    made = imported(tmp_path, link() + joint("revolute", '<limit lower="0.5" upper="1" effort="7" velocity="3"/>'))
    with Simulation() as simulation:
        robot = simulation.spawn(made.description())
        assert robot.joints["elbow"].position() == pytest.approx(0.5)
        assert robot.bodies["tip"].rotation[0] == pytest.approx([1, 0, 0])  # model space is as the document's
        simulation.step(200)
        assert robot.joints["elbow"].position() == pytest.approx(0.5, abs=0.01)


def test_fixed_links_are_one_body_and_weigh_what_they_weigh(tmp_path: Path) -> None:
    made = imported(tmp_path, link() + joint("fixed"))
    (body,) = made.description().bodies
    found = body.mass_properties()
    assert found.mass == 2 and found.center == pytest.approx([0, 0, 0.5])
    assert found.inertia == pytest.approx(np.diag([0.7, 0.7, 0.2]))
    assert any("is part of body base" in finding.detail for finding in made.report.losses)


@pytest.mark.parametrize(("kind", "tags"), [("continuous", ["JointHinge"]), ("prismatic", ["JointSlider"]),
                                            ("floating", []), ("spherical", ["JointBall"]),
                                            ("planar", ["JointSlider", "JointSlider", "JointHinge"])])  # fmt: skip
def test_every_type_of_joint(tmp_path: Path, kind: str, tags: list[str]) -> None:
    assert [found.tag for found in imported(tmp_path, link() + joint(kind)).description().joints] == tags


def test_shapes_are_seen_and_touched_apart(tmp_path: Path) -> None:
    content = (
        f'<visual><origin xyz="1 0 0"/>{BOX}<material name="green"/></visual>'
        '<collision><geometry><capsule radius="0.1" length="0.4"/></geometry></collision>'
    )
    made = imported(tmp_path, '<material name="green"><color rgba="0 1 0 1"/></material>' + link(content))
    tip = next(body for body in made.description().bodies if body.name == "tip")
    assert [shape.color for shape in tip.shown] == [(0, 1, 0)] and tip.visual[0].position == (1, 0, 0)
    (solid,) = tip.solids
    assert isinstance(solid, CappedCylinder) and (solid.radius, solid.height) == (0.1, 0.4) and not solid.visible


def test_a_material_of_one_link_may_be_named_by_others(tmp_path: Path) -> None:
    spelt = f'<visual>{BOX}<material name="red"><color rgba="1 0 0 1"/></material></visual>'
    named = f'<visual>{BOX}<material name="red"/></visual>'
    made = imported(tmp_path, link(spelt, "one") + link(named, "two"))
    assert [shape.color for body in made.description().bodies[1:] for shape in body.shown] == [(1, 0, 0)] * 2


def test_meshes_collide_as_was_chosen_and_keep_their_texture(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "skin.png").write_bytes(encode_png(np.zeros((4, 4, 3), np.uint8)))
    (tmp_path / "meshes" / "cube.mtl").write_text("newmtl skin\nmap_Kd skin.png\n")
    textured = re.sub(r"f (\d) (\d) (\d) (\d)", r"f \1/1 \2/2 \3/3 \4/4", CUBE).replace(
        "f ", "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf ", 1
    )
    (tmp_path / "meshes" / "cube.obj").write_text(f"mtllib cube.mtl\nusemtl skin\n{textured}")
    (tmp_path / "meshes" / "closed.obj").write_text(CUBE)
    cube = '<geometry><mesh filename="package://robot/meshes/{}.obj" scale="0.1 0.1 0.1"/></geometry>'
    seen, touched = cube.format("cube"), cube.format("closed")
    text = f'<robot name="test">{link(f"<visual>{seen}</visual><collision>{touched}</collision>")}</robot>'
    (tmp_path / "package.xml").write_text("<package/>")
    path = written(tmp_path, text, "urdf/robot.urdf")
    (tmp_path.parent / "robot").unlink(missing_ok=True)
    (tmp_path.parent / "robot").symlink_to(tmp_path)
    for mode, kind in (("hull", Mesh), ("trimesh", Mesh), ("convex", Mesh)):
        made = import_robot(path, ImportOptions(meshes=mode, package_path=(tmp_path.parent,)))  # type: ignore[arg-type]
        (body,) = made.description().bodies
        assert body.solids and all(isinstance(solid, kind) for solid in body.solids), mode
        low = np.min([solid.bounds()[0] for solid in body.solids], axis=0)
        assert low == pytest.approx([-0.1, 0, 0], abs=0.01)
        assert isinstance(body.visual[0], Mesh) and body.visual[0].texture
    (tmp_path.parent / "robot").unlink()


def test_open_meshes_are_named_by_an_edge_or_mended(tmp_path: Path) -> None:
    (tmp_path / "open.obj").write_text(CUBE.replace("f 2 6 8 4\n", ""))
    content = link('<collision><geometry><mesh filename="open.obj"/></geometry></collision>')
    plain = imported(tmp_path, content, ImportOptions(meshes="trimesh"))
    assert any("is not closed: edge" in finding.detail for finding in plain.report.losses)
    mended = imported(tmp_path, content, ImportOptions(meshes="trimesh", repair=True))
    assert any("mended: the surface is not closed" in finding.detail for finding in mended.report.losses)
    for made in (plain, mended):
        assert len(made.description().bodies[1].solids) == 1


def test_inertia_that_no_body_has_is_mended_and_told(tmp_path: Path) -> None:
    wrong = '<link name="tip"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="5"/></inertial></link>'
    made = imported(tmp_path, "\n" + wrong)
    assert made.description().bodies[1].mass_properties().inertia == pytest.approx(np.eye(3) * 7 / 3)
    (finding,) = made.report.of("changed")
    assert finding.line == 4 and "the largest cannot exceed the sum of the others, 2" in finding.detail


def test_motors_of_ros2_control_and_sensors_of_gazebo(tmp_path: Path) -> None:
    limits = '<limit lower="-1" upper="1" effort="7" velocity="3"/>'
    extras = """
      <ros2_control><joint name="elbow"><command_interface name="position"/></joint></ros2_control>
      <gazebo reference="tip"><mu1>0.9</mu1>
        <sensor name="eye" type="camera"><update_rate>20</update_rate><camera><horizontal_fov>1.5</horizontal_fov>
          <image><width>64</width><height>48</height></image></camera></sensor>
        <sensor name="scan" type="ray"><pose>0 0 0.1 0 0 0</pose><ray><scan><horizontal><samples>9</samples>
          <min_angle>-1</min_angle><max_angle>1</max_angle></horizontal></scan><range><min>0.1</min><max>8</max></range></ray>
        </sensor><sensor name="odd" type="sonar9"/></gazebo>"""
    made = imported(tmp_path, link() + joint("revolute", limits) + extras)
    robot = made.description()
    (motor,) = robot.motors
    assert isinstance(motor, PositionServo) and motor.torque_limit == 7 and motor.speed_limit == 3
    eye, scan = robot.sensors
    assert isinstance(eye, CameraSensor) and (eye.width, eye.height, eye.frequency) == (64, 48, 20)
    assert eye.fov == pytest.approx(1.5) and eye.pose.rotation[:, 1] == pytest.approx([1, 0, 0])  # looks along x
    assert isinstance(scan, LidarSensor) and scan.beams == 9 and scan.range == 8 and scan.fov == pytest.approx(2)
    dropped = " ".join(finding.what for finding in made.report.of("dropped"))
    assert "gazebo mu1 of tip" in dropped and "gazebo sensor of tip" in dropped


def test_names_are_kept_or_told(tmp_path: Path) -> None:
    tip, elbow = link(name="a/b c"), joint("continuous", child="a/b c", name="base")
    made = imported(tmp_path, tip + elbow)
    robot = made.description()
    assert [body.name for body in robot.bodies] == ["base_link", "a_b_c"] and robot.joints[0].name == "base"
    assert {finding.detail for finding in made.report.of("changed")} == {"is called base_link", "is called a_b_c"}


def test_a_base_may_be_fixed_and_joints_may_get_motors(tmp_path: Path) -> None:
    limits = '<limit lower="-1" upper="1" effort="70" velocity="3"/>'
    options = ImportOptions(fixed_base=True, motors="position")
    made = imported(tmp_path, link(f"<collision>{BOX}</collision>") + joint("revolute", limits), options)
    with Simulation() as simulation:
        robot = simulation.spawn(made.description(), position=(0.0, 0.0, 2.0))
        robot.command("elbow_motor", "Target", 0.5)
        simulation.step(1000)
        assert robot.joints["elbow"].position() == pytest.approx(0.5, abs=0.01)
        assert robot.bodies["tip"].position[2] == pytest.approx(3.0, abs=1e-3)


def test_a_mass_of_zero_stands_still(tmp_path: Path) -> None:
    text = (
        '<robot name="t"><link name="table"><inertial><mass value="0"/></inertial><collision>'
        + BOX
        + "</collision></link></robot>"
    )
    with Simulation() as simulation:
        robot = simulation.spawn(import_robot(written(tmp_path, text)).description(), position=(0.0, 0.0, 5.0))
        simulation.step(500)
        assert robot.bodies["table"].position[2] == pytest.approx(5.0, abs=1e-6)


def test_angles_beyond_half_a_turn_are_told(tmp_path: Path) -> None:
    made = imported(tmp_path, link() + joint("revolute", '<limit lower="-4" upper="1" effort="7" velocity="3"/>'))
    (found,) = made.description().joints
    assert isinstance(found, JointHinge) and found.lo_stop == pytest.approx(-math.pi)
    assert any("limits -4 to 1 rad are -3.142 to 1" in finding.detail for finding in made.report.of("changed"))


def test_a_slider_that_cannot_be_at_zero_takes_its_camera_along(tmp_path: Path) -> None:
    """What stands on a moved link moves with it: the camera is as far above its body as in the file."""
    camera = '<gazebo reference="tip"><sensor name="eye" type="camera"><camera/></sensor></gazebo>'
    content = link() + camera + joint("prismatic", '<limit lower="{}" upper="2" effort="7" velocity="3"/>')
    places = []
    for lower in (0.0, 0.5):
        made = imported(tmp_path, content.format(lower)).description()
        (eye,) = made.sensors
        tip = next(part for part in made.bodies if part.name == "tip")
        places.append(np.asarray(eye.position)[2] - tip.mass_properties().center[2])
        model = tip.mass_properties().center[2]
        assert model == pytest.approx(1.0 + lower)
    assert places[0] == pytest.approx(places[1])


def test_places_that_no_robot_has_are_told_with_their_line(tmp_path: Path) -> None:
    model = RobotModel(
        "far",
        joints=[RobotJoint("elbow", "hinge", None, "tip", anchor=(1e9, 0.0, 0.0), line=7)],
        sensors=[RobotSensor("eye", "CameraSensor", "tip", Pose(np.array([0.0, 0.0, np.nan])), line=9)],
    )
    found = list(impossible(model))
    assert [line for line, _ in found] == [7, 9]
    assert "the place or axis of joint elbow" in found[0][1] and "the place of sensor eye" in found[1][1]


def test_points_of_which_no_hull_can_be_made_are_a_box(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(points: object) -> None:
        raise ValueError("QH6154 initial simplex is flat")

    monkeypatch.setattr("trimesh.convex.convex_hull", fail)
    made = hull(np.array([[0.0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]))
    assert made.vertices.min(axis=0).tolist() == [0, 0, 0] and made.vertices.max(axis=0).tolist() == [1, 2, 3]
    assert len(made.triangles) == 12
