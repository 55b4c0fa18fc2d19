"""Robots that move as they are told: exactly along the closed forms, whatever gives way."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest

from tests.helpers.documents import vector
from ubersim.client import connect
from ubersim.description import read_robot, read_world
from ubersim.errors import DescriptionError, UberSimError
from ubersim.geometry import Array
from ubersim.server import Server
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot
from ubersim.simulation.snapshot import Snapshot

STEP = 0.001
ORACLE = f'<OracleSensor name="Truth">{vector("Position", 0, 0, 0)}<Target>Cart</Target></OracleSensor>'


def box(name: str, x: float, y: float, z: float) -> str:
    size = "<XSize>0.2</XSize><YSize>0.2</YSize><ZSize>0.2</ZSize>"
    solid = f'<Box name="{name}_box"><Mass>5</Mass>{size}{vector("Position", x, y, z)}<Material>Metal</Material></Box>'
    return f'<Body name="{name}">{solid}</Body>'


def cart(motion: str, *, settings: str = "", rest: str = "", heading: float = 0.0) -> str:
    """Two boxes one above the other, the upper one in front; the model's origin is the middle of the lower one."""
    spawn = f"<Spawn>{vector('Position', 0, 0, 0.1)}<Heading>{heading}</Heading></Spawn>"
    bodies = f"<RigidBodies>{box('Base', 0, 0, 0)}{box('Tower', 0, 0.3, 0.2)}</RigidBodies>"
    settings = f"<CSettings><Name>Cart</Name>{settings}{spawn}</CSettings>"
    return f"<Client>{settings}<Entity>{bodies}{rest}<Motion>{motion}</Motion></Entity></Client>"


def differential(parts: str = "") -> str:
    sizes = "<WheelRadius>0.05</WheelRadius><WheelDistance>0.4</WheelDistance>"
    return f'<DifferentialDrive name="Drive">{sizes}{parts}</DifferentialDrive>'


def holonomic(parts: str = "") -> str:
    return f'<HolonomicDrive name="Drive">{parts}</HolonomicDrive>'


def spawned(document: str, **commands: float) -> tuple[Simulation, Robot]:
    simulation = Simulation(step=STEP)
    robot = simulation.spawn(document)
    for property, value in commands.items():
        robot.command("Drive", property, value)
    return simulation, robot


def place(robot: Robot, body: str = "Base") -> Array:
    return robot.bodies[body].position.copy()


def test_speed_grows_by_a_linear_ramp_and_falls_by_one() -> None:
    simulation, robot = spawned(cart(differential("<Acceleration>2</Acceleration>")), Speed=1.0)
    for frames, way in ((250, 0.0625), (250, 0.25), (1000, 1.25)):  # a t^2 / 2 for half a second, then at 1 m/s
        simulation.step(frames)
        np.testing.assert_allclose(place(robot), (0, way, 0.1), atol=1e-12)
    np.testing.assert_allclose(robot.bodies["Base"].linear_velocity, (0, 1, 0), atol=1e-12)
    robot.command("Drive", "Speed", 0.0)
    simulation.step(500)
    np.testing.assert_allclose(place(robot), (0, 1.5, 0.1), atol=1e-12)
    simulation.step(1)
    assert not robot.bodies["Base"].linear_velocity.any() and not robot.busy


def test_a_ramp_that_ends_within_a_frame_ends_there() -> None:
    simulation, robot = spawned(cart(differential("<Acceleration>4</Acceleration>")), Speed=0.01)
    simulation.step(4)  # 2.5 ms of ramp, then 1.5 ms of 0.01 m/s
    np.testing.assert_allclose(place(robot)[1], 0.5 * 4 * 0.0025**2 + 0.0015 * 0.01, atol=1e-15)


def test_without_a_bound_the_speed_is_there_at_once() -> None:
    simulation, robot = spawned(cart(differential()), Speed=1.0)
    simulation.step(7)
    np.testing.assert_allclose(place(robot), (0, 0.007, 0.1), atol=1e-15)


@pytest.mark.parametrize(
    "commands",
    [
        {"Speed": 0.75, "TurnRate": 0.5},
        {"LeftWheel": 13.0, "RightWheel": 17.0},  # 0.05 (13 + 17) / 2 = 0.75, 0.05 (17 - 13) / 0.4 = 0.5
        {"Speed": -0.75, "TurnRate": -0.5},
        {"TurnRate": 0.5, "Speed": 0.2, "LeftWheel": 13.0, "RightWheel": 17.0},  # the last word counts
    ],
)
def test_a_circle_has_radius_speed_over_turn_rate(commands: dict[str, float]) -> None:
    simulation, robot = spawned(cart(differential(), heading=30.0), **commands)
    turn = math.copysign(0.5, commands["TurnRate"]) if "TurnRate" in commands else 0.5
    left = np.array([-math.cos(math.radians(30)), -math.sin(math.radians(30)), 0.0])
    middle = np.array([0, 0, 0.1]) + 1.5 * left  # v / omega has the same sign both ways: to the left
    for quarter in range(1, 9):
        simulation.step(785)
        arm = place(robot) - middle
        angle = turn * 0.785 * quarter
        turned = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        np.testing.assert_allclose(arm[:2], turned @ (-1.5 * left[:2]), atol=1e-11)
        forward = robot.bodies["Base"].rotation[:2, 1]
        np.testing.assert_allclose(forward, turned @ (-math.sin(math.pi / 6), math.cos(math.pi / 6)), atol=1e-11)


def test_all_bodies_move_as_one_piece_about_the_center() -> None:
    simulation, robot = spawned(cart(holonomic(f"{vector('Center', 0, 0.3, 0)}"), heading=-90.0), TurnRate=2.0)
    simulation.step(3000)
    np.testing.assert_allclose(place(robot, "Tower"), (0.3, 0, 0.3), atol=1e-12)  # it turns on the spot
    arm = place(robot, "Tower") - place(robot)
    forward = robot.bodies["Tower"].rotation[:, 1]
    np.testing.assert_allclose(arm, 0.3 * forward + (0, 0, 0.2), atol=1e-12)
    np.testing.assert_array_equal(robot.bodies["Base"].quaternion, robot.bodies["Tower"].quaternion)


def test_a_holonomic_diagonal_is_straight_with_one_bound_for_the_vector() -> None:
    simulation, robot = spawned(cart(holonomic("<Acceleration>5</Acceleration>")), SpeedX=0.3, SpeedY=0.4)
    simulation.step(50)  # at 5 m/s^2 in the direction of (3, 4): 6.25 mm after 50 ms
    np.testing.assert_allclose(place(robot), (0.6 * 0.00625, 0.8 * 0.00625, 0.1), atol=1e-13)
    simulation.step(1050)  # 25 mm of ramp, then a second of 0.5 m/s
    np.testing.assert_allclose(place(robot), (0.6 * 0.525, 0.8 * 0.525, 0.1), atol=1e-12)


def test_holonomic_sideways_in_a_circle() -> None:
    simulation, robot = spawned(cart(holonomic()), SpeedX=1.0, TurnRate=1.0)
    simulation.step(1571)  # to the right, turning to the left: about a point ahead
    angle = 1.571
    np.testing.assert_allclose(place(robot), (math.sin(angle), 1 - math.cos(angle), 0.1), atol=1e-12)


def test_it_pushes_a_ball_and_is_not_pushed() -> None:
    ball = f"""<Body name="Ball"><Sphere name="ball"><Mass>0.5</Mass><Radius>0.1</Radius>
      {vector("Position", 0, 0.5, 0.1)}<Material>Rubber</Material></Sphere></Body>"""
    wall = f"""<Box name="wall"><XSize>2</XSize><YSize>0.1</YSize><ZSize>1</ZSize>{vector("Position", 0, 3, 0.5)}
      <Material>Wood</Material></Box>"""
    ground = "<Ground><Material>Ground</Material></Ground>"
    world = f"<World>{ground}<Static>{wall}</Static><Objects>{ball}</Objects></World>"
    simulation = Simulation(read_world(world), step=STEP)
    robot = simulation.spawn(cart(differential()))
    robot.command("Drive", "Speed", 0.5)
    simulation.step(1500)
    moved = simulation.objects["Ball"]
    assert moved.position[1] > 0.75 + 0.2 - 0.01 and moved.linear_velocity[1] >= 0.49
    np.testing.assert_allclose(place(robot), (0, 0.75, 0.1), atol=1e-12)
    simulation.body("Cart").add_force((1e4, 0, 0))
    simulation.step(100)
    np.testing.assert_allclose(place(robot), (0, 0.8, 0.1), atol=1e-12)


def test_what_it_touches_is_felt_though_nobody_gives_way() -> None:
    simulation, robot = spawned(cart(differential()), Speed=1.0)
    robot.bodies["Base"].feel()
    simulation.step(1)
    touches = robot.bodies["Base"].touches()  # the ground, on which its weight stands for what nobody knows
    assert len(touches.geoms) > 0
    np.testing.assert_allclose(touches.forces.sum(axis=0), (0, 0, 5 * 9.81), atol=1e-9)


def test_it_stands_still_until_it_is_told() -> None:
    simulation, robot = spawned(cart(differential()))
    simulation.step(500)
    np.testing.assert_array_equal(place(robot), (0, 0, 0.1))
    assert not robot.busy


@pytest.mark.parametrize(("client", "own", "frames"), [("0", "0", 0), ("20", "0", 20), ("20", "5.5", 26)])
def test_latency_is_exact(client: str, own: str, frames: int) -> None:
    drive = differential(f"<Latency>{own}</Latency>")
    simulation, robot = spawned(cart(drive, settings=f"<Latency>{client}</Latency>"), Speed=1.0)
    simulation.step(frames)
    assert place(robot)[1] == 0.0
    simulation.step(1)
    assert place(robot)[1] == pytest.approx(0.001, abs=1e-15)


def run(server: Server, frames: int) -> None:
    """Whatever happens, the client does not wait for ever."""
    with server:
        server.run(frames)


@pytest.mark.parametrize("property", ["Speed", 38])
def test_over_the_wire_with_the_clients_latency(property: str | int) -> None:
    document = cart(differential(), settings="<Latency>10</Latency>")
    places = []
    server = Server(Simulation(step=STEP), port=0, clients=1)
    thread = threading.Thread(target=run, args=(server, 112), daemon=True)
    thread.start()
    with connect(document.replace("</Box></Body>", f"</Box>{ORACLE}</Body>", 1), port=server.address[1]) as robot:
        drive = robot.settings["motors"]["Drive"]
        assert drive["type"] == "DifferentialDrive" and drive["properties"]["Speed"] == 38
        for number, frame in enumerate(robot):
            if number == 0:
                robot.set("Drive", property, 1.0)
            places.append(float(frame["Truth"].ravel()[1]))  # type: ignore[union-attr]
    thread.join(60)
    assert len(places) == 112
    assert places[:11] == [0.0] * 11  # executed in frame 10, seen from frame 11 on
    np.testing.assert_allclose(places[11:], STEP * np.arange(1, len(places) - 10), rtol=1e-6)


def test_snapshots_are_exact_and_runs_are_the_same() -> None:
    document = cart(holonomic("<Acceleration>1</Acceleration><Latency>7</Latency>"))
    digests = []
    simulation, robot = spawned(document, SpeedX=0.5, TurnRate=1.0)
    simulation.step(100)
    robot.command("Drive", "SpeedY", -0.5)
    simulation.step(3)
    stored = simulation.snapshot().to_bytes()
    for run in (simulation, simulation, Simulation(step=STEP)):
        run.restore(Snapshot.from_bytes(stored))
        run.step(500)
        digests.append(run.digest())
    assert len(set(digests)) == 1
    run.robots["Cart"].command("Drive", "SpeedX", 0.6)
    run.step(1)
    assert run.digest() != digests[0]


def test_a_teleported_robot_goes_on_from_there() -> None:
    simulation, robot = spawned(cart(differential()), Speed=1.0)
    simulation.step(10)
    quarter = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    robot.bodies["Base"].set_state((5, 5, 0.1), quarter)
    robot.bodies["Tower"].set_state((4.7, 5, 0.3), quarter)
    simulation.step(100)
    np.testing.assert_allclose(place(robot), (4.9, 5, 0.1), atol=1e-12)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (cart(differential() + holonomic()), "holds 2 motions; allowed are 1 to 1"),
        (cart(""), "holds 0 motions; allowed are 1 to 1"),
        (cart("<Hover/>"), "unknown element Hover"),
        (cart(differential("<Speed>1</Speed><LeftWheel>1</LeftWheel>")), "LeftWheel and RightWheel, not both"),
        (
            cart(differential(), rest='<Joints><JointFixed name="J"><Body1>Base</Body1></JointFixed></Joints>'),
            "Motion moves 'Base': joint 'J' cannot hold it to the world",
        ),
    ],
)
def test_documents_that_make_no_sense_are_refused(document: str, message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read_robot(document)


def test_properties_out_of_range_are_refused() -> None:
    _, robot = spawned(cart(differential()))
    with pytest.raises(UberSimError, match=r"Speed of 'Drive' cannot be 20000: it takes -10000 to 10000"):
        robot.command("Drive", "Speed", 2e4)
    with pytest.raises(UberSimError, match="no property 'SpeedX'"):
        robot.command("Drive", "SpeedX", 1.0)


def test_a_robot_without_motion_has_nothing_to_do() -> None:
    simulation = Simulation(step=STEP)
    robot = simulation.spawn(cart(differential()).replace(f"<Motion>{differential()}</Motion>", ""))
    simulation.step(1)
    assert not robot.busy and not robot.motors
