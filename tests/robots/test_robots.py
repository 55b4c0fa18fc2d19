"""The robots of robots/ are sound, stand, and do what their programs in clients/ promise."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree

from tests.helpers.robot_programs import Program, document
from ubersim.components.motors.servo import PositionServo
from ubersim.components.sensors.joint import JointSensor
from ubersim.description import load_robot, shipped, shipped_names, xsd
from ubersim.errors import UberSimError
from ubersim.geometry import Array
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

NAMES = sorted(set(shipped_names("robots")) - {"segway"})
"""All but the one that has to be balanced; it has tests of its own."""
CLIENTS = Path(__file__).parents[2] / "clients"
Import = Callable[[str], Any]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Import:
    monkeypatch.syspath_prepend(CLIENTS)
    return importlib.import_module


def enter(name: str, world: str | None = None, **where: Any) -> tuple[Simulation, Robot, Program]:
    simulation = Simulation(None if world is None else shipped(f"worlds/{world}.xml"))
    robot = simulation.spawn(document(name, cameras=name == "msl_omni"), **where)
    if name == "msl_omni":
        robot.command("OmniCam", "Frequency", 1e-3)
    return simulation, robot, Program(simulation, robot)


def tilt(robot: Robot) -> float:
    """Of its first body [rad]."""
    return math.acos(min(1.0, float(next(iter(robot.bodies.values())).rotation[2, 2])))


def test_the_stable_is_complete() -> None:
    assert NAMES == ["aibo", "car", "humanoid", "msl_omni", "pioneer", "scout", "ssl"]


@pytest.mark.parametrize("name", NAMES)
def test_a_robot_is_valid_and_says_where_its_figures_are_from(name: str) -> None:
    path = shipped(f"robots/{name}.xml")
    etree.XMLSchema(etree.fromstring(xsd("robot"))).assertValid(etree.parse(path))
    load_robot(path)
    head = path.read_text(encoding="utf-8").split("-->")[0]
    assert ("Published:" in head or "Recalled:" in head) and "Guessed:" in head


@pytest.mark.parametrize("name", NAMES)
def test_a_robot_stands_where_it_was_put(name: str) -> None:
    simulation, robot, _ = enter(name)
    body = next(iter(robot.bodies.values()))
    place, fastest = body.position.copy(), 0.0
    for _ in range(50):
        simulation.step(20)
        fastest = max(fastest, float(np.linalg.norm(body.linear_velocity)))
    assert np.linalg.norm(body.position - place) < 2.5e-3  # the car sits down on its springs, by 2.1 mm
    assert tilt(robot) < math.radians(0.2)
    assert fastest < 0.08


def test_the_aibo_is_complete() -> None:
    robot = load_robot(shipped("robots/aibo.xml"))
    assert len(robot.joints) == len(robot.motors) == 20
    assert len(robot.sensors) == 31
    measured = {sensor.joint for sensor in robot.sensors if isinstance(sensor, JointSensor)}
    assert measured == {joint.name for joint in robot.joints}
    speeds = {motor.name: motor.speed_limit for motor in robot.motors if isinstance(motor, PositionServo)}
    assert (speeds["LF1Servo"], speeds["RH2Servo"], speeds["RF3Servo"]) == (2.81, 2.50, 2.84)
    assert (speeds["HeadTiltServo"], speeds["HeadPanServo"], speeds["HeadRollServo"]) == (2.11, 3.01, 3.01)
    assert robot.mass_properties().mass == pytest.approx(1.4, rel=0.01)


def test_the_aibos_switches_and_lamps() -> None:
    simulation, robot, program = enter("aibo")
    simulation.step(300)
    paws = [robot.read(f"{leg}Foot") for leg in ("LF", "RF", "LH", "RH")]
    assert all(robot.read(f"{leg}Foot.contacts") for leg in ("LF", "RF", "LH", "RH"))
    assert sum(float(np.asarray(paw)[3]) for paw in paws) == pytest.approx(1.4 * 9.81, rel=0.03)  # they carry it
    assert not any(robot.read(f"{name}.contacts") for name in ("HeadFront", "HeadBack", "ChinSwitch", "BackSwitch"))
    for lamp in ("SadL", "SadR", "AngryL", "AngryR", "HeadBar", "EyeL", "EyeR", "TailRed", "TailBlue"):
        program.set(lamp, "Red", 1.0)
    simulation.step(20)
    assert robot.colors()["TailRed"][0] == robot.colors()["EyeL"][0] == 1.0


def test_the_humanoid_has_as_many_joints_as_qrio() -> None:
    robot = load_robot(shipped("robots/humanoid.xml"))
    assert len(robot.motors) == sum(len(joint.axes) for joint in robot.joints) == 38


def test_every_servo_of_the_humanoid_moves_its_own_joint_the_way_it_is_told() -> None:
    simulation, robot, program = enter("humanoid")
    simulation.step(50)
    standing = simulation.snapshot()
    for servo in load_robot(shipped("robots/humanoid.xml")).motors:
        assert isinstance(servo, PositionServo)
        simulation.restore(standing)
        joint, axis = robot.joints[servo.joint], max(servo.axis, 1) - 1
        before = joint.position(axis)
        program.set(servo.name, "Target", 0.1)
        simulation.step(80)
        assert joint.position(axis) - before > 0.02, servo.name


def test_the_car_is_as_published() -> None:
    whole = load_robot(shipped("robots/car.xml")).mass_properties()
    assert whole.mass == pytest.approx(3.74)
    assert whole.center[1:] == pytest.approx([0.17145, 0.074], abs=1e-5)
    assert whole.inertia[2, 2] == pytest.approx(0.04712, rel=1e-3)
    simulation, robot, program = enter("car")
    program.set("Drive", "Speed", 20.0)
    simulation.step(150)
    before = float(robot.bodies["Car"].linear_velocity[1])
    simulation.step(100)
    assert (float(robot.bodies["Car"].linear_velocity[1]) - before) / 0.1 == pytest.approx(8.83, rel=0.01)  # mu * g


@pytest.mark.parametrize(("name", "asked"), [("ssl", "Vision"), ("msl_omni", "Place")])
def test_a_team_is_one_file_with_many_names(name: str, asked: str) -> None:
    simulation = Simulation()
    team = [
        simulation.spawn(document(name, cameras=False), name=f"Blue{number}", position=(2.0 * number, 0.0, 0.0))
        for number in (1, 2)
    ]
    team[1].command("TeamMarker", "Red", 1.0)
    simulation.step(60)
    places = [robot.read(asked) for robot in team]
    assert [round(float(np.asarray(place)[0, 0]), 1) for place in places] == [2.0, 4.0]
    assert team[0].colors()["TeamMarker"][0] < 0.5 < team[1].colors()["TeamMarker"][0]


def test_an_omni_robot_is_short() -> None:
    assert len(shipped("robots/msl_omni.xml").read_text(encoding="utf-8").splitlines()) < 80


# Drives


@pytest.mark.parametrize(
    ("name", "module", "degrees"),
    [("msl_omni", "msl_square", degrees) for degrees in range(0, 360, 30)]
    + [("ssl", "ssl_kick", degrees) for degrees in (0, 75, 195)],
)
def test_an_omni_robot_goes_where_it_is_told(client: Import, name: str, module: str, degrees: int) -> None:
    simulation, robot, program = enter(name)
    wanted = 0.5 * np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))])
    client(module).PLATFORM.drive(program, *wanted, 0.0)
    simulation.step(400)
    base = robot.bodies["Base"]
    place, axes = base.position.copy(), base.rotation.copy()
    simulation.step(250)
    velocity = (axes.T @ (base.position - place))[:2] / 0.25
    assert np.linalg.norm(velocity - wanted) < 0.03 * 0.5
    turned = axes.T @ base.rotation
    assert abs(math.atan2(turned[1, 0], turned[0, 0])) / 0.25 < 0.05


def circle(places: list[Array]) -> float:
    """Radius of the circle through places."""
    xy = np.array(places)[:, :2]
    solution = np.linalg.lstsq(np.column_stack([2 * xy, np.ones(len(xy))]), (xy**2).sum(axis=1), rcond=None)[0]
    return float(np.linalg.norm(xy - solution[:2], axis=1).mean())


@pytest.mark.parametrize(
    ("name", "wheel", "track", "left", "right"),
    [("scout", 0.07, 0.345, 4.0, 6.0), ("scout", 0.07, 0.345, 3.0, -3.0), ("pioneer", 0.0825, 0.33, 5.0, 3.0)],
)
def test_a_differential_drives_circle(name: str, wheel: float, track: float, left: float, right: float) -> None:
    simulation, robot, program = enter(name)
    program.set("LMotor", "Speed", left)
    program.set("RMotor", "Speed", right)
    simulation.step(1000)
    places, base = [], robot.bodies["Base"]
    for _ in range(80):
        simulation.step(100)
        places.append((robot.bodies["LWheel"].position + robot.bodies["RWheel"].position) / 2)
    assert circle(places) == pytest.approx(abs(track / 2 * (right + left) / (right - left)), rel=0.01, abs=0.001)
    assert base.angular_velocity[2] == pytest.approx(wheel * (right - left) / track, rel=0.01)


def test_the_cars_circle() -> None:
    simulation, robot, program = enter("car")
    program.set("Drive", "Curvature", 0.8)
    program.set("Drive", "Speed", 1.0)
    simulation.step(1500)
    places = []
    for _ in range(60):
        simulation.step(100)
        places.append((robot.bodies["RLWheel"].position + robot.bodies["RRWheel"].position) / 2)
    assert circle(places) == pytest.approx(1 / 0.8, rel=0.02)


# Kickers


@pytest.mark.parametrize(
    ("name", "world", "behind", "radius", "rolling", "strength"),
    [("ssl", "ssl_9x6", 0.105, 0.0215, 0.0015, 0.4), ("msl_omni", "msl_18x12", 0.34, 0.11, 0.005, 0.4)],
)
def test_a_kicked_ball_rolls_as_far_as_rolling_friction_says(
    name: str, world: str, behind: float, radius: float, rolling: float, strength: float
) -> None:
    """A ball that rolls loses speed by rolling * g / (1.4 * radius), so that it goes on for v^2 / 2 over that."""
    simulation, robot, program = enter(name, world, position=(0.0, -behind, 0.0))
    program.set("Kicker", "Kick", strength)
    simulation.step(300)
    simulation.remove(robot.name)
    simulation.step(500)  # by now it no longer slides
    ball = simulation.objects["Ball"]
    speed, place = float(ball.linear_velocity[1]), float(ball.position[1])
    assert 0.8 < speed < 3.0
    loss = rolling * 9.81 / (1.4 * radius)
    simulation.step(round(1000 * speed / loss) + 500)
    assert abs(ball.linear_velocity[1]) < 1e-3
    assert ball.position[1] - place == pytest.approx(speed**2 / (2 * loss), rel=0.02)


@pytest.mark.parametrize("spinning", [True, False])
def test_the_dribbler_keeps_the_ball_while_the_robot_drives_back(client: Import, spinning: bool) -> None:
    simulation, robot, program = enter("ssl", "ssl_9x6", position=(0.0, -0.11, 0.0))
    platform = client("ssl_kick").PLATFORM
    ball, base = simulation.objects["Ball"], robot.bodies["Base"]
    program.set("Dribbler", "Vel", 150.0 if spinning else 0.0)
    platform.drive(program, 0.0, 0.25, 0.0)
    simulation.step(400)
    held = ball.position[1] - base.position[1]
    for tick in range(80):
        platform.drive(program, 0.0, max(-0.3, 0.25 - 0.01 * tick), 0.0)
        simulation.step(10)
    assert base.linear_velocity[1] == pytest.approx(-0.3, rel=0.05)
    assert (ball.position[1] - base.position[1] < held + 0.005) == spinning


# Programs


def test_the_scout_wanders_and_touches_nothing(client: Import) -> None:
    _, robot, program = enter("scout", "office")
    said = client("scout_wander").wander(program, program.frames(25.0))
    assert "touched in 0 frames" in said
    assert float(said.split()[1]) > 8.0
    assert tilt(robot) < 0.01


def test_the_pioneer_follows_the_wall(client: Import) -> None:
    _, robot, program = enter("pioneer", "office")
    base, places = robot.bodies["Base"], []
    said = client("pioneer_wall").follow(program, program.frames(30.0, lambda: places.append(base.position.copy())))
    assert float(said.split("was ")[1].split()[0]) == pytest.approx(0.6, abs=0.15)
    assert max(place[1] for place in places) > 2.0  # it has been in the corner behind the partition
    assert tilt(robot) < 0.01


def test_the_car_drives_eights(client: Import) -> None:
    _, robot, program = enter("car")
    body, places = robot.bodies["Car"], []
    said = client("car_eight").eights(program, program.frames(11.0, lambda: places.append(body.position.copy())))
    assert said.startswith("1 figures of eight")
    width = np.ptp(np.array(places)[:, 0])
    assert width == pytest.approx(4 * 1.2, rel=0.05)  # two circles side by side


def test_the_small_size_robot_shoots_a_goal(client: Import) -> None:
    simulation, _, program = enter("ssl", "ssl_9x6", position=(0.3, -0.6, 0.0))
    ball, speeds = simulation.objects["Ball"], [0.0]
    watch = program.frames(3.2, lambda: speeds.append(float(np.linalg.norm(ball.linear_velocity))))
    said = client("ssl_kick").kick(program, watch)
    assert said.endswith("; goal")
    assert 6.0 < max(speeds) < 6.5  # what the league's rules allow


def test_the_middle_size_robot_drives_a_square_and_shoots_a_goal(client: Import) -> None:
    simulation = Simulation(shipped("worlds/msl_12x8.xml"))
    program = Program(simulation, simulation.spawn(document("msl_omni", cameras=True)))
    said = client("msl_square").square(program, program.frames(11.5))
    assert said.endswith("then it kicked the ball")
    assert float(said.split("at most ")[1].split()[0]) < 0.12
    ball = simulation.objects["Ball"].position
    assert ball[1] > 6.0 and abs(ball[0]) < 1.0


@pytest.mark.parametrize(("name", "behave"), [("msl_omni", "msl_square.square"), ("ssl", "ssl_kick.kick")])
def test_a_program_that_needs_a_ball_says_where_there_is_one(client: Import, name: str, behave: str) -> None:
    simulation = Simulation(shipped("worlds/ground.xml"))
    program = Program(simulation, simulation.spawn(document(name, cameras=True)))
    module, function = behave.split(".")
    with pytest.raises(UberSimError, match=r"there is no Ball in this world; `ubersim serve --world \w+` has one"):
        getattr(client(module), function)(program, program.frames(0.5))


def test_the_aibo_finds_the_ball_with_its_head(client: Import) -> None:
    simulation = Simulation(shipped("worlds/legged_4x3.xml"))
    robot = simulation.spawn(document("aibo", cameras=True), position=(0.5, -0.9, 0.0))  # the ball is 29 degrees left
    program = Program(simulation, robot)
    said = client("aibo_search").search(program, program.frames(1.2))
    assert "found the ball at" in said
    assert float(np.asarray(robot.read("HeadPanAngle"))[0]) == pytest.approx(math.atan2(0.5, 0.9), abs=0.12)
    assert robot.colors()["EyeL"][1] == pytest.approx(0.85)


def test_the_aibo_follows_the_ball_and_searches_again_when_it_is_lost(client: Import) -> None:
    """The ball rolls past it, is taken away to behind its back, and lies on its other side then."""
    simulation = Simulation(shipped("worlds/legged_4x3.xml"))
    robot = simulation.spawn(document("aibo", cameras=True), position=(0.0, -0.7, 0.0))
    program, ball, head = Program(simulation, robot), simulation.objects["Ball"], robot.bodies["Head"]
    watched: list[tuple[float, float, float]] = []
    """Time, how far the ball is from where the head points, across [rad], and how green its eyes are."""

    def watch() -> None:
        way = head.rotation.T @ (ball.position - head.position)
        watched.append((simulation.time, abs(math.atan2(way[0], way[1])), float(robot.colors()["EyeL"][1])))
        for time, place, velocity in (
            (0.3, (0.0, 0.0), (-0.6, 0.0)),
            (1.5, (0.0, -1.9), (0.0, 0.0)),
            (3.0, (0.7, 0.0), (0.0, 0.0)),
        ):
            if simulation.frame == round(time / simulation.step_size):
                ball.set_state((*place, 0.0425), None, (*velocity, 0.0), (0.0, 0.0, 0.0))

    said = client("aibo_search").search(program, program.frames(5.5, watch))
    assert len(said.split(" s, and")[0].split("at ")[1].split(", ")) == 2, "it was lost once, and found twice"
    followed = [(away, eye) for time, away, eye in watched if 0.6 < time < 1.5]
    assert max(away for away, _ in followed) < math.radians(12.0) and {eye for _, eye in followed} == {0.85}
    assert {eye for time, _, eye in watched if 1.7 < time < 3.0} == {0.15}
    _, away, eye = watched[-1]
    assert away < math.radians(2.0) and eye == 0.85


def test_the_aibo_trots(client: Import) -> None:
    _, robot, program = enter("aibo", "legged_4x3", position=(-0.7, -1.2, 0.0))
    trunk, tilts = robot.bodies["Trunk"], [0.0]
    start = trunk.position.copy()
    said = client("aibo_trot").walk(program, program.frames(6.0, lambda: tilts.append(tilt(robot))))
    way = trunk.position - start
    assert way[1] > 0.35 and abs(way[0]) < 0.15
    assert max(tilts) < math.radians(5.0)
    assert int(said.split("down ")[1].split()[0]) >= 8  # as many steps as there were cycles


def test_the_humanoid_bows_and_stands(client: Import) -> None:
    _, robot, program = enter("humanoid")
    chest, feet, bows = robot.bodies["Chest"], [robot.bodies["LFoot"], robot.bodies["RFoot"]], [0.0]
    before = [foot.position.copy() for foot in feet]

    def watch() -> None:
        bows.append(math.atan2(-float(chest.rotation[2, 1]), float(chest.rotation[2, 2])))

    said = client("humanoid_bow").greet(program, program.frames(4.7, watch))
    assert "stood all the time" in said
    assert max(bows) > math.radians(40.0)
    assert abs(bows[-1]) < math.radians(2.0)
    for foot, place in zip(feet, before, strict=True):
        np.testing.assert_allclose(foot.position, place, atol=3e-3)
