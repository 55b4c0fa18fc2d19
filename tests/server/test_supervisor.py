"""A supervisor over a real socket: time, things, truth; every command in the very frame it was meant for."""

from __future__ import annotations

import math
import select
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.robots import cart
from ubersim.client import connect
from ubersim.client.supervisor import Supervisor, supervise
from ubersim.errors import RefusedError, UberSimError
from ubersim.protocol.messages import message
from ubersim.protocol.supervisor_connection import LONGEST_REQUEST
from ubersim.simulation import Simulation

BALL = (
    '<Body name="Ball"><Sphere name="b"><Mass>2</Mass><Radius>0.1</Radius>'
    "<Position><x>0</x><y>0</y><z>0</z></Position><Material>Rubber</Material></Sphere></Body>"
)
GRAVITY, STEP = 9.81, 0.001


@pytest.fixture
def world(serve: Any) -> Iterator[Supervisor]:
    """A supervisor of a world that nobody is in, and that stands still."""
    with supervise(port=serve().port) as supervisor:
        supervisor.pause()
        yield supervisor


def fallen(frames: int) -> float:
    """How far a body falls in that many steps [m]."""
    return GRAVITY * (STEP * frames) ** 2 / 2


def test_world_without_robots_steps(world: Supervisor) -> None:
    assert world.spawn(BALL, position=(0, 0, 5)) == "Ball"
    assert world.step(100) == 100
    truth = world.truth()
    assert truth.frame == 100
    assert truth.time == pytest.approx(0.1)
    assert truth.standing
    assert truth.legend["bodies"] == ["Ball/Ball"]
    assert truth["Ball"].position == pytest.approx([0, 0, 5 - fallen(100)], abs=1e-12)
    assert truth["Ball"].linear == pytest.approx([0, 0, -GRAVITY * 0.1])
    assert world.truth().frame == 100


def test_it_brings_robots_by_name_and_with_their_parts(world: Supervisor, tmp_path: Path) -> None:
    assert world.spawn("scout", name="Ann") == "Ann"
    (tmp_path / "crate.xml").write_text(f"<Part><RigidBodies>{BALL.replace('Ball', 'Crate')}</RigidBodies></Part>")
    whole = cart(x=3.0).replace("</Entity>", "<Parts><Include><File>crate.xml</File></Include></Parts></Entity>")
    (tmp_path / "cart.xml").write_text(whole)
    name = world.spawn(tmp_path / "cart.xml")
    assert {"Ann/Base", f"{name}/Crate"} <= set(world.truth().legend["bodies"])
    with pytest.raises(UberSimError, match="did you mean scout"):
        world.spawn("scuot")


def test_time_stands_still_until_somebody_resumes(world: Supervisor) -> None:
    frame = world.truth().frame
    world.resume()
    world.watch(every=10)
    pictures = [world.next_truth(30) for _ in range(3)]
    frames = [picture.frame for picture in pictures if picture is not None]
    assert frames[0] >= frame
    assert sorted(set(frames)) == frames
    assert all(later % 10 == 0 for later in frames[1:])
    world.watch()
    world.pause()
    stopped = world.frame
    assert world.truth().frame == stopped == world.truth().frame


def test_scheduled_commands_come_in_their_frame(world: Supervisor) -> None:
    """A force for exactly 10 frames: v = F t / m; the same ball teleported later."""
    world.spawn(BALL, position=(0, 0, 50))
    world.push("Ball", (4.0, 0.0, 0.0), 0.010, frame=20)
    world.teleport("Ball", (7.0, 0.0, 60.0), linear=(0.0, 1.0, 0.0), frame=40)
    world.step(20)
    assert world.truth()["Ball"].linear[0] == 0.0
    world.step(1)
    assert world.truth()["Ball"].linear[0] == pytest.approx(4.0 / 2.0 * STEP)
    world.step(18)
    assert world.truth()["Ball"].linear[0] == pytest.approx(4.0 / 2.0 * 0.010)
    world.step(1)
    assert world.truth()["Ball"].position == pytest.approx([7.0, 0.0, 60.0])
    world.step(5)
    assert world.truth()["Ball"].position == pytest.approx([7.0, 0.005, 60.0 - fallen(5)])
    with pytest.raises(UberSimError, match=r"Teleport, scheduled for frame 3: .*frame 3 is over, it is 45"):
        world.teleport("Ball", (0, 0, 0), frame=3)
        world.truth()


def test_what_is_scheduled_and_fails_spoils_nothing_else(world: Supervisor) -> None:
    """Each failure is told once, by itself; the call that hears of it has done what it should."""
    world.push("Nobody", (1.0, 0.0, 0.0), 0.1, frame=5)
    world.remove("Nothing", frame=6)
    with pytest.raises(UberSimError, match=r"^Push, scheduled for frame 5: there is no 'Nobody'"):
        world.step(10)
    assert world.frame == 10
    with pytest.raises(UberSimError, match=r"^Remove, scheduled for frame 6: there is no"):
        world.step(10)
    assert world.frame == 10  # it was told before anything was asked
    assert world.step(10) == 20


def test_what_is_scheduled_and_fails_is_told_at_the_end(serve: Any) -> None:
    """A program that asks for nothing more hears of it when it leaves; its own failure wins."""
    serving = serve(50, clients=1)
    with (
        pytest.raises(UberSimError, match=r"^Push, scheduled for frame 20: there is no 'Nobody'"),
        supervise(port=serving.port) as supervisor,
        connect(cart(), port=serving.port) as robot,
    ):
        supervisor.push("Nobody", (1.0, 0.0, 0.0), 0.1, frame=20)
        supervisor.truth()  # it has come before that frame
        assert len(list(robot)) == 50
        select.select([supervisor._connection._socket], [], [])
    assert supervisor._connection._socket.fileno() == -1
    serving = serve(clients=0)
    with pytest.raises(KeyError, match="mine"), supervise(port=serving.port) as supervisor:
        supervisor.push("Nobody", (1.0, 0.0, 0.0), 0.1, frame=0)
        raise KeyError("mine")


def test_steps_that_meet_end_together(world: Supervisor) -> None:
    """One that was scheduled begins while another is under way, and says when both end."""
    world.ask("Step", 20, frames=5)
    assert world.step(50) == 25
    assert world.step(1) == 26


def test_push_off_centre_turns(world: Supervisor) -> None:
    """A sphere's moment of inertia is 2/5 m r²; the torque is arm x force."""
    world.spawn(BALL, position=(0, 0, 50))
    world.push("Ball/Ball", (1.0, 0.0, 0.0), STEP, point=(0.0, 0.1, 0.0))
    world.step(1)
    assert world.truth()["Ball"].angular == pytest.approx([0, 0, -0.1 * STEP / (0.4 * 2 * 0.01)])


def test_snapshot_and_restore(world: Supervisor) -> None:
    world.spawn(BALL, position=(0, 0, 5))
    world.push("Ball", (1.0, 2.0, 3.0), 0.1)
    world.step(50)
    world.snapshot("here")
    world.step(100)
    first = world.truth()
    world.restore("here")
    assert world.frame == 50
    world.step(100)
    again = world.truth()
    assert (first.positions == again.positions).all()
    assert (first.linear == again.linear).all()
    assert first.frame == again.frame == 150
    with pytest.raises(UberSimError, match="no snapshot 'there'; there are here"):
        world.restore("there")


def test_restore_brings_back_whoever_was_there(world: Supervisor) -> None:
    world.snapshot("empty")
    world.spawn(BALL, position=(0, 0, 5))
    world.step(10)
    world.snapshot("ball")
    world.restore("empty")
    assert world.truth().legend["bodies"] == []
    world.restore("ball")
    assert world.truth()["Ball"].position[2] == pytest.approx(5 - fallen(10))


def test_teleport_keeps_the_shape_of_a_robot(world: Supervisor) -> None:
    world.spawn(cart(x=0.0))
    world.step(100)
    before = world.truth()
    world.teleport("Cart", (3.0, 4.0, 0.3), heading=math.pi / 2)
    after = world.truth()
    base, wheel = (after[f"Cart/{body}"].position for body in ("Base", "Wheel"))
    distance = np.linalg.norm(before["Cart/Wheel"].position - before["Cart/Base"].position)
    assert base == pytest.approx([3.0, 4.0, 0.3])
    assert np.linalg.norm(wheel - base) == pytest.approx(distance)
    assert wheel - base == pytest.approx([-0.3, 0.0, 0.0], abs=1e-2)  # +y turned by 90 degrees is -x
    assert after["Cart/Base"].rotation[:, 1] == pytest.approx([-1.0, 0.0, 0.0], abs=1e-12)
    assert not after.linear.any()


def test_set_reaches_joints_and_sensors(world: Supervisor) -> None:
    world.spawn(cart(x=0.0))
    world.set("Cart", "Motor", "Vel", 2.0)
    world.set("Cart", "Motor", 3, 1000.0)
    world.step(1)
    assert world.truth().joint("Cart/Motor")[1] == pytest.approx(2.0, rel=1e-6)
    world.set("Cart", "Tilt", "Frequency", 10.0)
    world.step(150)
    truth = world.truth(sensors=["Cart/Tilt"])
    assert truth.captured == {"Cart/Tilt": pytest.approx(0.1)}
    assert set(truth.readings) == {"Cart/Tilt"}
    for component, property, complaint in (("Motor", "Colour", "no property"), ("Arm", "Vel", "no component")):
        with pytest.raises(UberSimError, match=complaint):
            world.set("Cart", component, property, 1.0)
    with pytest.raises(UberSimError, match="FMax"):
        world.set("Cart", "Motor", "FMax", -1.0)


def test_contacts(world: Supervisor) -> None:
    world.spawn(BALL, position=(0.5, 0, 0.0999))
    world.step(2)
    contacts = world.truth(contacts=True).contacts
    assert contacts is not None
    assert contacts.shape == (1, 7)
    assert contacts[0, :2] == pytest.approx([0.5, 0.0])
    assert abs(contacts[0, 5]) == pytest.approx(1.0)


def test_scene_names_the_rows_of_the_truth(world: Supervisor) -> None:
    world.spawn(cart(x=0.0))
    scene, names = world.scene(), world.truth().legend["bodies"]
    shapes = [(shape["kind"], names[shape["body"]]) for shape in scene["shapes"]]
    assert shapes == [("box", "Cart/Base"), ("sphere", "Cart/Wheel")]


@pytest.mark.parametrize(
    ("verb", "arguments", "complaint"),
    [
        ("Dance", {}, "there is no request 'Dance'"),
        ("Teleprot", {}, "there is no request 'Teleprot'; did you mean Teleport?"),
        ("Teleport", {}, "Teleport needs thing"),
        ("Teleport", {"thing": "Nobody"}, "there is no 'Nobody'"),
        ("Teleport", {"thing": "Cart", "position": [0, 0]}, "3 finite numbers"),
        ("Teleport", {"thing": "Cart", "position": [0, 0, 1e7]}, "farther"),
        ("Teleport", {"thing": "Cart", "quaternion": [0, 0, 0, 0]}, "length"),
        ("Teleport", {"thing": "Cart", "speed": 3}, "has no speed"),
        ("Push", {"body": "Cart/Nose", "force": [1, 0, 0], "seconds": 1}, "no body 'Nose'"),
        ("Push", {"body": "Cart", "force": [1, 0, 0], "seconds": -1}, "seconds"),
        ("Spawn", {"xml": "<Robot/>"}, "Robot"),
        ("Spawn", {"xml": "no XML"}, "XML"),
        ("Spawn", {"xml": cart()}, "already"),
        ("Remove", {"thing": "Nobody"}, "no robot 'Nobody'"),
        ("Latency", {"robot": "Cart", "milliseconds": -5}, "between 0 and"),
        ("Latency", {"robot": "Cart", "milliseconds": "5"}, "finite number"),
        ("Step", {"frames": -1}, "frames is 0 to"),
        ("Step", {"frames": 1.5}, "whole number"),
        ("Rate", {"rate": 1e-9}, "0.001"),
        ("Rate", {"rate": 10**400}, "rate is 0 to"),
        ("Watch", {"every": 1, "hertz": 1}, "one of them"),
        ("Truth", {"sensors": ["Cart/Nose"]}, "no sensor 'Cart/Nose'"),
        ("Watch", {"every": 1, "forces": "Nobody"}, "no robot or object 'Nobody' whose forces could be shown"),
    ],
)
def test_what_cannot_be_done_is_said(world: Supervisor, verb: str, arguments: dict[str, Any], complaint: str) -> None:
    world.spawn(cart(x=0.0))
    before = world.truth()
    with pytest.raises(UberSimError, match=complaint):
        world.ask(verb, **arguments)
    after = world.truth()
    assert (after.positions == before.positions).all()
    assert world.step(1) == 1


@pytest.mark.parametrize(
    "nonsense",
    [
        message("Pause", b"{"),
        message("Pause", b"[]"),
        message("Pause", b'{"id": "x"}'),
        message("Pause", b"[" * 100_000),
        (LONGEST_REQUEST + 1).to_bytes(4, "little"),
        b"\x03\0\0\0abc",
    ],
)
def test_malformed_requests_end_the_connection_and_nothing_else(serve: Any, nonsense: bytes) -> None:
    port = serve().port
    with supervise(port=port) as other, supervise(port=port, name="bad") as bad:
        other.pause()
        bad._connection._socket.sendall(nonsense)
        with pytest.raises(RefusedError):
            bad.truth()
        assert other.step(5) == 5


def test_token(serve: Any) -> None:
    port = serve(token="secret").port
    for token in (None, "wrong"):
        with pytest.raises(RefusedError, match="token"):
            supervise(port=port, token=token)
    with supervise(port=port, token="secret") as supervisor:
        supervisor.pause()


def test_supervisor_documents(serve: Any) -> None:
    port = serve().port
    with pytest.raises(RefusedError, match="CSettings/Name"):
        supervise(port=port, name="two words")


def test_held_robots_are_not_teleported(world: Supervisor) -> None:
    held = cart(x=0.0).replace("<Body2>Wheel</Body2>", "")
    world.spawn(held)
    with pytest.raises(UberSimError, match="Motor holds it to the world"):
        world.teleport("Cart", (1, 1, 1))


def test_a_world_that_needs_no_robots_goes_on(serve: Any) -> None:
    with supervise(port=serve(clients=0).port) as world:
        assert not world.truth().standing
        world.pause()
        assert world.truth().standing


def test_who_watches_sees_that_time_stands_still(serve: Any) -> None:
    with supervise(port=serve().port) as world:
        world.resume()
        world.watch(hertz=20)
        world.pause()
        while (picture := world.next_truth(60.0)) is not None and not picture.standing:
            pass
        assert picture is not None


def test_objects_of_the_world(serve: Any, tmp_path: Path) -> None:
    file = tmp_path / "world.xml"
    file.write_text(f"<World><Ground/><Objects>{BALL.replace('<z>0</z>', '<z>1</z>')}</Objects></World>")
    simulation = Simulation(file)
    with supervise(port=serve(simulation=simulation).port) as world:
        world.pause()
        assert world.truth().legend["bodies"] == ["Ball"]
        world.teleport("Ball", (1.0, 2.0, 3.0))
        assert world.truth()["Ball"].position == pytest.approx([1.0, 2.0, 3.0])
        with pytest.raises(UberSimError, match="Teleport"):
            world.remove("Ball")
        with pytest.raises(UberSimError, match="already"):
            world.spawn(BALL)
        world.reset()
        assert world.truth()["Ball"].position == pytest.approx([0.0, 0.0, 1.0])


def test_the_last_supervisor_lets_time_go_on(serve: Any) -> None:
    serving = serve(frames=500)
    supervisor = supervise(port=serving.port)
    supervisor.pause()
    done = threading.Event()

    def drive() -> None:
        with connect(cart(x=0.0), port=serving.port) as robot:
            for _ in robot:
                pass
        done.set()

    threading.Thread(target=drive, daemon=True).start()
    while "Cart" not in supervisor.truth().legend["robots"]:
        pass
    assert supervisor.step(10) == 10
    assert not done.is_set()
    supervisor.close()
    assert done.wait(60)
    assert serving.result().frame == 500
