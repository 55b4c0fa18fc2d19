"""Worlds, robots and time without sockets."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.robots import cart, segway
from ubersim.control.balancer import Balancer
from ubersim.description import load_robot, read_world, shipped
from ubersim.errors import DescriptionError, ExplodedError, UberSimError
from ubersim.physics._ode import doubles, lib
from ubersim.simulation import Simulation
from ubersim.simulation.actor import Actor
from ubersim.simulation.observer import Observer
from ubersim.simulation.robot import Robot
from ubersim.simulation.snapshot import Snapshot
from ubersim.timing.latency import NEVER


def balance(simulation: Simulation, robot: Robot, balancer: Balancer, seconds: float) -> None:
    for _ in range(round(seconds * 100)):
        tilt = robot.read("Tilt")
        assert isinstance(tilt, float)
        speed = balancer.update(tilt)
        robot.command("LMotor", "Vel", speed)
        robot.command("RMotor", "Vel", speed)
        simulation.step(10)


def test_a_robot_without_spawn_stands_on_the_ground() -> None:
    simulation = Simulation()
    robot = simulation.spawn(cart())
    assert robot.bodies["Wheel"].position[2] == pytest.approx(0.1), "its lowest point is the wheel's"
    before = robot.bodies["Base"].position.copy()
    simulation.step(5)
    assert robot.bodies["Base"].position == pytest.approx(before, abs=1e-3), "it neither falls nor jumps"


def test_spawn_puts_the_models_origin_where_it_says() -> None:
    simulation = Simulation()
    robot = simulation.spawn(cart(), position=(3.0, 2.0, 1.0), heading=np.pi / 2)
    assert robot.bodies["Base"].position == pytest.approx([3.0, 2.0, 1.0])
    assert robot.bodies["Wheel"].position == pytest.approx([2.7, 2.0, 1.0]), "forward (+y) now points along -x"


def test_robots_without_spawn_do_not_stand_in_each_other() -> None:
    simulation = Simulation()
    robots = [simulation.spawn(cart(f"Cart{index}")) for index in range(30)]
    places = np.array([robot.bodies["Base"].position[:2] for robot in robots])
    distances = np.linalg.norm(places[:, None] - places[None], axis=2) + 10 * np.eye(30)
    assert distances.min() > 0.6
    simulation.step(10)
    assert max(abs(robot.bodies["Base"].linear_velocity).max() for robot in robots) < 0.2


def test_names_are_unique() -> None:
    simulation = Simulation()
    simulation.spawn(cart("Twin"))
    with pytest.raises(UberSimError, match="Twin"):
        simulation.spawn(cart("Twin"))
    simulation.spawn(cart("Twin"), name="Other")
    assert list(simulation.robots) == ["Twin", "Other"]


def test_a_refused_robot_leaves_no_trace() -> None:
    simulation = Simulation()
    bodies = len(simulation.world.bodies)
    with pytest.raises(DescriptionError, match="Materiel"):
        simulation.spawn(cart().replace("Material", "Materiel"))
    assert len(simulation.world.bodies) == bodies


def test_commands_and_readings_take_their_latency_in_process_too() -> None:
    simulation = Simulation()
    robot = simulation.spawn(cart(latency="5", sensor="<Latency>3</Latency>"))
    assert robot.read("Tilt") is None
    robot.command("Motor", "Vel", 2.0)
    simulation.step(3)
    assert robot.read("Tilt") is not None and robot.sensors["Tilt"].latest_frame == 0
    simulation.step(2)
    assert robot.joints["Motor"].get(2) == 0.0
    simulation.step(1)
    assert robot.joints["Motor"].get(2) == 2.0


def test_many_steps_at_once_are_the_same_as_one_by_one() -> None:
    def run(chunk: int) -> str:
        simulation = Simulation()
        robot = simulation.spawn(segway())
        balancer = Balancer()
        for _ in range(40):
            balance(simulation, robot, balancer, 0.01)
            for _ in range(50 // chunk):
                simulation.step(chunk)
        return simulation.digest()

    assert run(1) == run(10) == run(50)


@pytest.mark.parametrize("wrong", ["Mtor", "Vle", "Sensor"])
def test_wrong_names_are_answered_with_the_right_ones(wrong: str) -> None:
    robot = Simulation().spawn(cart())
    with pytest.raises(UberSimError, match=r"Motor|Vel|Tilt"):
        match wrong:
            case "Mtor":
                robot.command("Mtor", "Vel", 1.0)
            case "Vle":
                robot.command("Motor", "Vle", 1.0)
            case "Sensor":
                robot.read("Sensor")


def test_the_history_of_a_world_does_not_matter() -> None:
    def run(with_history: bool) -> str:
        simulation = Simulation()
        if with_history:
            simulation.spawn(cart("Before"), position=(0.0, 0.0, 0.4))
            simulation.spawn(cart("Brief"), position=(0.1, 0.5, 0.9))
            simulation.step(400)
            simulation.remove("Before")
            simulation.remove("Brief")
            simulation.frame = simulation.world.frame = 0
        for index in range(3):
            simulation.spawn(cart(f"Cart{index}"), position=(0.15 * index, 0.05 * index, 0.3 + 0.2 * index))
        simulation.step(500)
        return simulation.digest()

    assert run(with_history=True) == run(with_history=False)


def test_a_snapshot_goes_on_to_the_bit_in_the_same_process() -> None:
    simulation = Simulation()
    robot = simulation.spawn(segway())
    balancer = Balancer()
    balance(simulation, robot, balancer, 1.0)
    snapshot, speed, last = simulation.snapshot(), balancer.speed, balancer._last
    balance(simulation, robot, balancer, 1.0)
    digest = simulation.digest()
    simulation.step(700)
    simulation.restore(snapshot)
    balancer.speed, balancer._last = speed, last
    balance(simulation, robot, balancer, 1.0)
    assert simulation.digest() == digest


def test_a_snapshot_brings_robots_back_and_takes_others_away() -> None:
    simulation = Simulation()
    simulation.spawn(cart("Stays", latency="7"))
    simulation.step(50)
    snapshot = simulation.snapshot()
    simulation.step(50)
    digest = simulation.digest()
    simulation.remove("Stays")
    simulation.spawn(cart("Later"))
    simulation.step(10)
    simulation.restore(Snapshot.from_bytes(snapshot.to_bytes()))
    assert list(simulation.robots) == ["Stays"]
    simulation.step(50)
    assert simulation.digest() == digest


def test_a_snapshot_goes_on_to_the_bit_in_a_new_process(tmp_path: Path) -> None:
    simulation = Simulation(shipped("worlds/room.xml"), seed=5)
    document = segway().replace("<Frequency>100</Frequency>", "<Frequency>100</Frequency><Noise>0.01</Noise>")
    robot = simulation.spawn(document)
    robot.command("LMotor", "Vel", 3.0)
    simulation.step(300)
    (tmp_path / "snapshot").write_bytes(simulation.snapshot().to_bytes())
    simulation.step(400)
    program = (
        "import sys; from pathlib import Path; from ubersim.simulation import Simulation; "
        "from ubersim.simulation.snapshot import Snapshot; from ubersim.description import shipped; "
        "s = Simulation(shipped('worlds/room.xml'), seed=5); "
        "s.restore(Snapshot.from_bytes(Path(sys.argv[1]).read_bytes())); "
        "s.step(400); print(s.digest(), s.robots['Segway'].read('Tilt'))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "snapshot")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.split() == [simulation.digest(), str(robot.read("Tilt"))]


def test_a_snapshot_of_another_world_is_refused() -> None:
    snapshot = Simulation(seed=1).snapshot()
    with pytest.raises(UberSimError, match="another"):
        Simulation(seed=2).restore(snapshot)
    with pytest.raises(UberSimError, match="no snapshot"):
        Snapshot.from_bytes(b"PK\x03\x04 but nothing else")


def test_an_exploding_robot_is_named() -> None:
    simulation = Simulation()
    simulation.spawn(cart("Calm"), position=(9.0, 0.0, 0.1))
    robot = simulation.spawn(cart("Dynamite"))
    with pytest.raises(ExplodedError, match="Dynamite"):
        for _ in range(10):
            robot.bodies["Base"].add_force((1e12, 0.0, 0.0))
            simulation.step()
    frame = simulation.frame
    simulation.remove("Dynamite")
    simulation.step(10)
    assert simulation.frame == frame + 10


def test_a_motor_acts_once_in_a_frame_that_is_taken_again() -> None:
    """A ramp of 1000 rad/s² is at 1 rad/s after 1 ms, whether another robot had to leave in it or not."""
    ramp = '<VelocityMotor name="M"><Joint>Motor</Joint><TorqueLimit>1</TorqueLimit><Acceleration>1000</Acceleration>'
    simulation = Simulation()
    calm = (
        cart("Calm")
        .replace("</Joints>", f"</Joints><Motors>{ramp}</VelocityMotor></Motors>")
        .replace("<FMax>5</FMax>", "")
    )
    robot = simulation.spawn(calm, position=(9.0, 0.0, 0.1))
    other = simulation.spawn(cart("Dynamite"))
    simulation.step(10)
    robot.command("M", "Speed", 100.0)
    bomb = other.bodies["Base"]
    lib.body_add_torque(bomb.world.handle, bomb.handle, doubles(np.array([np.nan, 0.0, 0.0])))
    with pytest.raises(ExplodedError, match="Dynamite"):
        simulation.step()
    simulation.remove("Dynamite")
    simulation.step()
    assert robot.motors["M"].controller.state()["kept"] == pytest.approx(1.0)


def test_world_files_make_worlds() -> None:
    simulation = Simulation(shipped("worlds/room.xml"))
    assert simulation.objects, "the room has a ball"
    simulation.step(200)
    assert all(np.isfinite(body.position).all() for body in simulation.objects.values())


def test_the_digest_does_not_depend_on_who_came_first() -> None:
    def run(names: list[str]) -> str:
        simulation = Simulation()
        for name in names:
            simulation.spawn(cart(name), position=(2.0 * ord(name[0]), 0.0, 0.3))
        return simulation.digest()

    assert run(["A", "B"]) == run(["B", "A"])


def test_every_shipped_robot_stands_in_the_default_world() -> None:
    for path in sorted(shipped("robots/segway.xml").parent.glob("*.xml")):
        with Simulation() as simulation:
            robot = simulation.spawn(load_robot(path))
            simulation.step(20)
            assert all(np.isfinite(body.position).all() for body in robot.bodies.values()), path.name


def test_an_object_takes_the_ground_that_it_covers_and_no_more() -> None:
    ball = """<World><Ground/><Objects><Body name="Ball"><Sphere name="S"><Mass>1</Mass><Radius>0.1</Radius>
      <Position><x>3</x><y>0</y><z>0.1</z></Position><Material>Ball</Material></Sphere></Body></Objects>
      <SpawnPoints><SpawnPoint><Position><x>3</x><y>0</y><z>0</z></Position></SpawnPoint>
        <SpawnPoint><Position><x>2</x><y>0</y><z>0</z></Position></SpawnPoint></SpawnPoints></World>"""
    simulation = Simulation(read_world(ball))
    robot = simulation.spawn(cart())
    assert robot.spawned_at.position[0] == 2.0, "the first point is the ball's, the second is free"


@pytest.mark.parametrize("name", ["", "a/b", "../up", "World", "x" * 65, "new\nline", "Zäd"])
def test_a_name_that_no_document_may_have_is_refused(name: str) -> None:
    with Simulation() as simulation, pytest.raises(UberSimError, match="no robot's name"):
        simulation.spawn(segway(), name=name)


def test_observers_hear_what_a_robot_senses_that_has_a_client_again() -> None:
    heard: list[str] = []

    class Listening(Observer):
        def sensed(self, robot: Robot) -> None:
            heard.append(robot.name)

    with Simulation() as simulation:
        robot = simulation.spawn(cart())
        robot.ignore_sensors()
        simulation.observers.append(Listening())
        simulation.heed_sensors(robot)
        assert heard == ["Cart"] and robot.readings


def test_an_actor_that_wants_nothing_holds_up_nothing() -> None:
    """It is never asked to act: physics goes on without a stop."""
    with Simulation() as simulation:
        simulation.actors.append(Actor())
        simulation.step(100)
        assert (simulation.frame, Actor().next_frame) == (100, NEVER)
