"""What an MJCF file says, and what becomes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.importers.files import written
from ubersim.components.motors.servo import PositionServo
from ubersim.components.motors.torque import TorqueMotor
from ubersim.importers import ImportedRobot, import_robot
from ubersim.simulation import Simulation

FILE = """<mujoco model="thing">
  <default><geom density="500" rgba="1 0 0 1"/><joint damping="0.1"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="base" pos="0 0 1">
      <freejoint/>
      <geom name="trunk" type="box" size="0.1 0.2 0.05"/>
      <geom name="shell" type="sphere" size="0.3" contype="0" conaffinity="0" rgba="0 0 1 1"/>
      <site name="imu"/><camera name="eye" pos="0.1 0 0" xyaxes="0 -1 0 0 0 1" fovy="60"/>
      <body name="arm" pos="0.1 0 0">
        <joint name="shoulder" axis="0 1 0" range="-90 45"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03"/>
        <body name="hand" pos="0.3 0 0">
          <joint name="wrist_x" axis="1 0 0"/><joint name="wrist_z" axis="0 0 1" stiffness="2" springref="10"/>
          <geom type="ellipsoid" size="0.05 0.04 0.03"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="lift" joint="shoulder" kp="30" kv="2" forcerange="-5 5"/>
    <motor name="twist" joint="wrist_x" gear="3" ctrlrange="-2 2" ctrllimited="true"/>
    <general name="odd" joint="wrist_z" biastype="affine" biasprm="1 2 3"/>
  </actuator>
  <sensor><gyro name="turning" site="imu"/><jointpos name="angle" joint="shoulder"/><clock name="now"/></sensor>
  <keyframe><key name="home" qpos="0 0 1 1 0 0 0 -0.5 0 0"/></keyframe>
</mujoco>"""


@pytest.fixture
def made(tmp_path: Path) -> ImportedRobot:
    return import_robot(written(tmp_path, FILE, "thing.xml"))


def test_bodies_joints_motors_and_sensors(made: ImportedRobot) -> None:
    robot = made.description()
    assert robot.name == "thing"
    assert [body.name for body in robot.bodies] == ["base", "arm", "hand_1", "hand"]
    assert [joint.name for joint in robot.joints] == ["shoulder", "wrist_x", "wrist_z"]
    lift, twist, spring = robot.motors
    assert isinstance(lift, PositionServo) and (lift.kp, lift.kd, lift.torque_limit) == (30, 2, 5)
    assert isinstance(twist, TorqueMotor) and twist.torque_limit == 6
    assert spring.tag == "SpringDamper"
    assert [sensor.tag for sensor in robot.sensors] == ["GyroSensor", "CameraSensor", "JointSensor"]


def test_it_begins_at_home_and_counts_as_in_the_file(made: ImportedRobot) -> None:
    with Simulation() as simulation:
        robot = simulation.spawn(made.description())
        assert robot.joints["shoulder"].position() == pytest.approx(-0.5)
        simulation.step(300)
        assert robot.joints["shoulder"].position() == pytest.approx(-0.5, abs=0.2)


def test_what_is_seen_and_what_is_touched(made: ImportedRobot) -> None:
    base = made.description().bodies[0]
    assert [solid.tag for solid in base.solids] == ["Box"]
    assert [(shape.tag, shape.color) for shape in base.shown] == [("Box", (1, 0, 0)), ("Sphere", (0, 0, 1))]


def test_everything_else_is_in_the_report_with_its_line(made: ImportedRobot) -> None:
    dropped = {finding.what: finding.line for finding in made.report.of("dropped")}
    assert dropped == {"geom floor": 4, "actuator odd": 23, "sensor now": 25}


def test_loops_are_closed(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1" pos="0 0 -3"/>
      <body name="a" pos="0 0 1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02"/></body>
      <body name="b" pos="0 0 0.6"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02"/>
        <body name="c" pos="0.5 0 0"><joint axis="0 1 0"/>
          <geom type="capsule" fromto="0 0 0 0 0 0.4" size="0.02"/></body>
      </body></worldbody><equality><connect body1="a" body2="c" anchor="0.5 0 0"/></equality></mujoco>"""
    robot = import_robot(written(tmp_path, text, "bars.xml")).description()
    assert [joint.tag for joint in robot.joints] == ["JointHinge"] * 3 + ["JointBall"]
    with Simulation() as simulation:
        made = simulation.spawn(robot)
        simulation.step(700)
        a, b = (made.bodies[name].rotation for name in "ab")
        assert a == pytest.approx(b, abs=1e-3), "a parallelogram's bars stay parallel"


def test_what_is_not_active_holds_nothing(tmp_path: Path) -> None:
    idle = '<equality><weld name="idle" body1="base" body2="arm" active="false"/></equality></mujoco>'
    made = import_robot(written(tmp_path, FILE.replace("</mujoco>", idle), "idle.xml"))
    assert "idle" not in [joint.name for joint in made.description().joints]
    assert ("equality idle", "it is not active") in [(one.what, one.detail) for one in made.report.of("dropped")]


def test_what_no_robot_of_ours_has_is_dropped_and_bodies_may_be_welded(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><site name="corner"/>
      <body name="a" pos="0 0 1"><freejoint/><geom size="0.1"/></body>
      <body name="b" pos="0 0 2"><joint name="hip" axis="0 1 0"/><geom size="0.1"/></body></worldbody>
      <equality><weld name="glue" body1="a" body2="b"/></equality>
      <actuator><muscle name="biceps" joint="hip" lengthrange="0 1"/></actuator>
      <sensor><gyro name="still" site="corner"/></sensor></mujoco>"""
    made = import_robot(written(tmp_path, text, "odd.xml"))
    assert [joint.tag for joint in made.description().joints if joint.name == "glue"] == ["JointFixed"]
    dropped = {one.what: one.detail for one in made.report.of("dropped")}
    assert dropped["sensor still"] == "it is on no body" and any("biceps" in what for what in dropped)
