"""What of a file is changed or left out is told, line by line; nothing goes silently."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.importers.files import written
from tests.importers.test_urdf import AHEAD_IS_Y, BOX, CUBE, INERTIAL, imported, joint, link
from ubersim.components.motors.servo import PositionServo
from ubersim.components.motors.torque import TorqueMotor
from ubersim.components.sensors.contact import ContactSensor
from ubersim.components.solids.box import Box
from ubersim.components.solids.mesh import Mesh
from ubersim.errors import DescriptionError
from ubersim.importers import ImportedRobot, ImportOptions, import_robot, mjcf_files
from ubersim.importers.packages import MeshFinder
from ubersim.png import encode_png
from ubersim.render.textures import pixels

REVOLUTE = joint("revolute", '<limit lower="-1" upper="1" effort="7" velocity="3"/>')
PWM = '<command_interface name="pwm"/>'
LIMITED = '<limit effort="7" velocity="3"/>'


def mass(value: float, moments: str) -> str:
    return f'<inertial><mass value="{value}"/><inertia {moments}/></inertial>'


def weighing(inertial: str, content: str = "") -> str:
    """A link of that mass on a hinge."""
    return f'<link name="tip">{inertial}{content}</link>{REVOLUTE}'


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (link('<visual><origin xyz="0 0 0"/></visual>') + REVOLUTE, "visual of link tip  it has no geometry"),
        (link("<visual><geometry><torus/></geometry></visual>") + REVOLUTE, "a torus is no shape that robots have"),
        (link() + joint("screw"), "type 'screw' is not known; it is fixed"),
        (link() + joint("revolute", '<limit lower="1" upper="-1" effort="7" velocity="3"/>'), "1 to -1 cross"),
        (link() + joint("revolute", LIMITED), "its limit gives no range; it moves freely"),
        (link() + joint("continuous", '<calibration rising="0"/>'), "calibration of joint elbow  there is nothing"),
        ("<vendor/>" + link() + REVOLUTE, "vendor  there is nothing like it here"),
        (link() + REVOLUTE + '<ros2_control><joint name="wrist"/></ros2_control>', "it has no axis to drive"),
        (
            link() + REVOLUTE + f'<ros2_control><joint name="elbow">{PWM}</joint></ros2_control>',
            "its interfaces are pwm; known are position, velocity, effort",
        ),
        ('<gazebo reference="tail"><sensor name="s" type="imu"/></gazebo>', "it is on no link: 'tail'"),
        (weighing(mass(1e9, 'ixx="1e9" iyy="1e9" izz="1e9"')), "1e+09 kg is too much"),
        (weighing(mass(1e-9, 'ixx="1e-9" iyy="1e-9" izz="1e-9"')), "1e-09 kg is too little"),
        (weighing(mass(1, 'ixx="0" iyy="0" izz="0"')), "they are those of a ball"),
        (weighing(mass(1, 'ixx="0" iyy="0" izz="0"'), f"<collision>{BOX}</collision>"), "they are those of its shapes"),
        (weighing(mass(1, 'ixx="1e-9" iyy="1" izz="1"')), "its least moment 1e-09 is raised to 0.001"),
        (weighing(INERTIAL, '<collision><geometry><sphere radius="1e-6"/></geometry></collision>'), "sizes below"),
        (link() + joint("revolute", LIMITED + '<mimic joint="nobody"/>'), "there is no joint nobody"),
    ],
)  # fmt: skip
def test_of_a_urdf_file(tmp_path: Path, content: str, told: str) -> None:
    made = imported(tmp_path, content)
    assert " ".join(told.split()) in " ".join(str(made.report).split())
    made.description()


def test_commas_between_numbers_and_second_shapes_are_let_pass(tmp_path: Path) -> None:
    box = '<geometry><box size="0.1 0.2 0.3"/><sphere radius="9"/></geometry>'
    made = imported(tmp_path, link(f'<collision><origin xyz="1,2,3"/>{box}</collision>') + REVOLUTE).description()
    (solid,) = made.bodies[1].solids
    assert solid.tag == "Box" and solid.position == (1, 2, 4)


def test_a_transmission_is_a_motor_and_a_contact_sensor_comes_along(tmp_path: Path) -> None:
    effort = "<hardwareInterface>EffortJointInterface</hardwareInterface>"
    drive = f'<transmission><joint name="elbow">{effort}</joint></transmission>'
    touch = '<gazebo reference="tip"><sensor name="touch" type="contact"/></gazebo>'
    made = imported(tmp_path, link(f"<collision>{BOX}</collision>") + REVOLUTE + drive + touch).description()
    (motor,), (sensor,) = made.motors, made.sensors
    assert isinstance(motor, TorqueMotor) and motor.torque_limit == 7
    assert isinstance(sensor, ContactSensor)


@pytest.mark.parametrize(
    ("text", "told"),
    [("<robot name='r'/>", "it has no links"), ("<urdf/>", "the root element is urdf; known are robot, mujoco")],
)
def test_what_is_no_robot_is_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(DescriptionError, match=told):
        import_robot(written(tmp_path, text))


def meshed(folder: Path, scale: str, options: ImportOptions) -> ImportedRobot:
    written(folder, CUBE, "cube.obj")
    mesh = f'<collision><geometry><mesh filename="cube.obj" scale="{scale}"/></geometry></collision>'
    return imported(folder, link(mesh) + REVOLUTE, options)


def test_a_mesh_may_collide_as_the_simplest_shape_around_it(tmp_path: Path) -> None:
    (solid,) = meshed(tmp_path, "1 2 3", ImportOptions(forward="y", meshes="primitive")).description().bodies[1].solids
    assert solid.position == pytest.approx((0.5, 1.0, 1.0 + 1.5))
    assert isinstance(solid, Box) and sorted((solid.x_size, solid.y_size, solid.z_size)) == pytest.approx([1, 2, 3])


def test_a_ball_collides_as_a_sphere_and_a_flat_mesh_gets_a_back(tmp_path: Path) -> None:
    options = ImportOptions(forward="y", meshes="primitive")
    turns = [
        (np.sin(h) * np.cos(t), np.sin(h) * np.sin(t), np.cos(h)) for h in (0.1, 0.8, 1.6, 2.3, 3.0) for t in range(6)
    ]
    faces = "".join(f"f {a} {a + 1} {a + 2}\n" for a in range(1, len(turns) - 1))
    written(tmp_path, "".join(f"v {x} {y} {z}\n" for x, y, z in turns) + faces, "cube.obj")
    mesh = '<collision><geometry><mesh filename="cube.obj"/></geometry></collision>'
    (solid,) = imported(tmp_path, link(mesh) + REVOLUTE, options).description().bodies[1].solids
    assert solid.tag == "Sphere"
    (hull,) = meshed(tmp_path, "1 1 0", AHEAD_IS_Y).description().bodies[1].solids
    assert isinstance(hull, Mesh)
    assert np.ptp(np.reshape(hull.vertices, (-1, 3)), axis=0) == pytest.approx([1, 1, 1e-3], abs=1e-6)


def seen(folder: Path, content: str, beside: str = "") -> ImportedRobot:
    text = (
        f'<mujoco><worldbody><body name="base"><freejoint/><geom size="0.1"/><body name="arm"><joint name="j"/>'
        f'<joint name="k" axis="1 0 0"/><geom size="0.1"/><site name="s"/><site name="z"/>{content}</body></body>'
        f"</worldbody>{beside}</mujoco>"
    )
    return import_robot(written(folder, text, "thing.xml"))


@pytest.mark.parametrize(
    ("content", "beside", "told"),
    [
        ("", '<actuator><motor name="jet" site="s"/></actuator>', "actuator jet it drives no joint"),
        ('<body><joint name="b" type="ball"/><geom size="1"/></body>', '<actuator><motor joint="b"/></actuator>',
         "joint b has no axis to drive"),
        ("", '<actuator><motor joint="j"/><motor joint="j"/></actuator>', "joint j has another motor already"),
        ("", '<actuator><general joint="j" dyntype="filter" dynprm="1"/></actuator>', "its activation takes no time"),
        ("", '<actuator><muscle joint="j" lengthrange="0 1"/></actuator>', "its law is neither a motor's"),
        ('<body><joint name="b" type="ball" stiffness="1" limited="true" range="0 1"/><geom size="1"/></body>', "",
         "a ball joint has no spring here"),
        ('<body><joint name="b" type="ball" limited="true" range="0 1"/><geom size="1"/></body>', "",
         "limit of joint b a ball joint has no stops"),
        ('<geom name="ghost" size="1" contype="0" conaffinity="0" rgba="1 1 1 0"/>', "",
         "geom ghost it is neither seen nor touched"),
        ("", '<sensor><jointpos name="a" joint="j"/><jointvel name="b" joint="j"/></sensor>', "tells it, too"),
        ("", '<keyframe><key name="away"/></keyframe>', "keyframe away the one that counts is 'home'"),
        ("", '<equality><joint name="e" joint1="j" joint2="k" polycoef="0 0 1 0 0"/></equality>', "no more"),
        ("", '<equality><weld name="e" site1="s" site2="z"/></equality>', "equality e there is nothing like it here"),
    ],
)  # fmt: skip
def test_of_an_mjcf_file(tmp_path: Path, content: str, beside: str, told: str) -> None:
    made = seen(tmp_path, content, beside)
    assert told in " ".join(str(made.report).split())
    made.description()


def test_a_servo_a_speed_controller_and_a_touch_sensor(tmp_path: Path) -> None:
    motors = '<actuator><position joint="j" kp="3"/><velocity joint="k" kv="2" ctrlrange="-4 4"/></actuator>'
    made = seen(tmp_path, "", motors + '<sensor><touch name="t" site="s"/></sensor>').description()
    servo, speed = made.motors
    assert isinstance(servo, PositionServo) and servo.kp == 3
    assert getattr(speed, "torque_limit", None) == 8
    assert [sensor.tag for sensor in made.sensors] == ["ContactSensor"] and "Radius" in made.source_text


def test_a_texture_is_where_mujoco_has_it(tmp_path: Path) -> None:
    """Upside down in MuJoCo's numbers; a colour that only the material says counts."""
    (tmp_path / "paint.png").write_bytes(encode_png(np.full((2, 2, 3), 200, np.uint8)))
    corners = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
    faces = "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\nf 1/1 4/4 2/2\nf 2/2 4/4 3/3\n"
    (tmp_path / "square.obj").write_text(corners + faces)
    assets = (
        '<asset><texture name="t" type="2d" file="paint.png"/><material name="m" texture="t"/>'
        '<material name="red" rgba="1 0 0 1"/><mesh name="q" file="square.obj"/></asset>'
    )
    made = seen(tmp_path, '<geom type="mesh" mesh="q" material="m"/><geom size="0.2" material="red"/>', assets)
    solids = [solid for body in made.description().bodies for solid in (*body.solids, *body.visual)]
    (mesh,) = [solid for solid in solids if isinstance(solid, Mesh) and solid.texture]
    assert len(mesh.texture_points) == 2 * len(mesh.vertices) // 3
    assert (1.0, 0.0, 0.0) in [getattr(solid, "color", None) for solid in solids]


def test_a_texture_is_tinted_as_in_mujoco_or_said_to_be_dropped(tmp_path: Path) -> None:
    """A material's colour is a factor on its picture. Boxes have no places in a picture, so theirs is in the report."""
    (tmp_path / "paint.png").write_bytes(encode_png(np.full((2, 2, 3), (200, 100, 40), np.uint8)))
    corners = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 1\nvt 0 0\n"
    (tmp_path / "pyramid.obj").write_text(corners + "f 1/1 2/1 3/1\nf 1/1 3/1 4/1\nf 1/1 4/1 2/1\nf 2/1 4/1 3/1\n")
    assets = (
        '<asset><texture name="t" type="2d" file="paint.png"/><material name="m" texture="t" rgba="1 .5 0 1"/>'
        '<texture name="c" type="cube" builtin="flat" rgb1="1 0 0" width="4" height="4"/>'
        '<material name="c" texture="c"/><mesh name="q" file="pyramid.obj"/></asset>'
    )
    geoms = (
        '<geom name="pyramid" type="mesh" mesh="q" material="m"/>'
        '<geom name="brick" type="box" size="1 1 1" material="m"/>'
        '<geom name="tube" type="capsule" size=".1 1" material="c"/>'
    )
    made = seen(tmp_path, geoms, assets)
    solids = [solid for body in made.description().bodies for solid in body.visual]
    (mesh,) = [solid for solid in solids if isinstance(solid, Mesh)]
    assert mesh.texture is not None and mesh.color == (1.0, 1.0, 1.0)
    assert (pixels(mesh.texture) == (200, 50, 0)).all()
    assert [finding.what for finding in made.report.of("dropped")] == ["texture of geom brick", "texture of geom tube"]


def test_files_that_a_file_names(tmp_path: Path) -> None:
    """Includes are looked into before MuJoCo opens what they name."""
    home = tmp_path / "a" / "b" / "c"
    inner = '<mujoco><worldbody><body name="more"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'
    written(home, inner, "inner.xml")
    made = import_robot(written(home, '<mujoco><include file="inner.xml"/></mujoco>', "outer.xml"))
    assert [body.name for body in made.description().bodies] == ["more"]
    with pytest.raises(DescriptionError, match="leaves the robot's folder"):
        import_robot(written(home, '<mujoco><include file="/etc/passwd"/></mujoco>', "away.xml"))
    with (home / "large.stl").open("wb") as file:
        file.truncate(1 << 31)
    with pytest.raises(DescriptionError, match="bytes; allowed are"):
        import_robot(written(home, '<mujoco><asset><mesh file="large.stl"/></asset></mujoco>', "large.xml"))
    with pytest.raises(DescriptionError):
        import_robot(written(home, '<mujoco><asset><mesh file="nowhere.stl"/></asset></mujoco>', "missing.xml"))


def test_what_turns_by_more_than_a_turn_has_no_stops_and_a_motor_follows_nobody(tmp_path: Path) -> None:
    wide = joint("revolute", '<limit lower="-9" upper="9" effort="7" velocity="3"/><mimic joint="elbow"/>')
    drive = '<ros2_control><joint name="elbow"><command_interface name="position"/></joint></ros2_control>'
    made = imported(tmp_path, link() + wide + drive)
    (found,) = made.description().joints
    assert getattr(found, "lo_stop", None) is None
    assert "it has a motor of its own, and does not follow elbow" in str(made.report)


def test_a_mesh_of_many_triangles_is_seen_with_fewer_and_keeps_its_colours(tmp_path: Path) -> None:
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=5, radius=0.2)
    ball.visual.vertex_colors = np.tile([255, 0, 0, 255], (len(ball.vertices), 1))
    ball.export(str(tmp_path / "ball.ply"))
    mesh = '<visual><geometry><mesh filename="ball.ply"/></geometry></visual>'
    made = imported(tmp_path, link(mesh) + REVOLUTE)
    assert f"of {len(ball.faces)} triangles" in str(made.report) and "are left" in str(made.report)
    (seen_as,) = made.description().bodies[1].visual
    assert isinstance(seen_as, Mesh) and len(seen_as.triangles) <= 3 * 8000
    assert set(seen_as.vertex_colors or seen_as.face_colors) == {255, 0}


def test_links_that_are_fixed_twice_lose_the_joint_between_them(tmp_path: Path) -> None:
    """A weld that closes a loop between links which are one body anyway."""
    weld = '<equality><weld name="w" body1="hand" body2="arm"/></equality>'
    made = seen(tmp_path, '<body name="hand" pos="0 0 1"><geom size="0.1"/></body>', weld)
    assert "both of its ends are fixed to each other" in str(made.report)
    made.description()


def test_a_package_is_the_folder_of_its_name_above_the_file(tmp_path: Path) -> None:
    file = tmp_path / "arm" / "urdf" / "arm.urdf"
    for folder in (file.parent, tmp_path / "arm" / "meshes"):
        folder.mkdir(parents=True)
    mesh = tmp_path / "arm" / "meshes" / "link.stl"
    mesh.touch()
    assert MeshFinder(file).find("package://arm/meshes/link.stl") == mesh.resolve()


def test_files_that_include_too_many_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mjcf_files, "MOST_FILES", 3)
    for number in range(3):
        written(tmp_path, "<mujoco/>", f"part{number}.xml")
    includes = "".join(f'\n<include file="part{number}.xml"/>' for number in range(3))
    with pytest.raises(DescriptionError, match=r"robot\.xml:4: .*it includes more than 3 files"):
        import_robot(written(tmp_path, f"<mujoco>{includes}</mujoco>", "robot.xml"))


def test_a_law_of_somebodys_own_is_no_motor_of_ours(tmp_path: Path) -> None:
    body = '<body name="b"><joint name="j"/><geom size="0.1" mass="1"/></body>'
    actuator = '<general name="m" joint="j" gaintype="fixed" biastype="user"/>'
    file = f"<mujoco><worldbody>{body}</worldbody><actuator>{actuator}</actuator></mujoco>"
    made = import_robot(written(tmp_path, file, "robot.xml"))
    assert made.description().motors == () and "its law is neither a motor's" in str(made.report)


@pytest.mark.parametrize("place", ["0 0", "0 0 up", "0 0 inf", "0 0 0 0"])
def test_an_origin_that_is_not_three_numbers_is_refused_with_its_line(place: str, tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=rf"robot\.urdf:3: .*xyz of origin is '{place}', not 3 finite numbers"):
        imported(tmp_path, link(f'<collision><origin xyz="{place}"/>{BOX}</collision>') + REVOLUTE)
