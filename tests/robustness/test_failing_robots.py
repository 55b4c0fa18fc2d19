"""Whatever goes wrong while commands are executed and motors drive costs the robot that it goes wrong with."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.components.drives.test_drives import cart as kinematic
from tests.components.drives.test_drives import holonomic
from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from ubersim.errors import ActuationError
from ubersim.protocol import Ack, Command
from ubersim.protocol.properties import JOINT_PROPERTIES, MOTOR_PROPERTIES
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

VEL = JOINT_PROPERTIES["Vel"]
LEFT_WHEEL = MOTOR_PROPERTIES["LeftWheel"]


def differential(radius: str, distance: str, rest: str = "") -> str:
    sizes = f"<WheelRadius>{radius}</WheelRadius><WheelDistance>{distance}</WheelDistance>"
    return f'<DifferentialDrive name="Drive">{sizes}{rest}</DifferentialDrive>'


FAILING = {
    "faster than bodies can be": differential("100", "1e-6", "<LeftWheel>9000</LeftWheel>"),
    "beyond all numbers": differential("5e-324", "1", "<Speed>1000</Speed>"),
    "turning without end": differential("100", "5e-324", "<RightWheel>9000</RightWheel>"),
}


@pytest.mark.parametrize("motion", FAILING.values(), ids=FAILING.keys())
def test_a_motion_that_cannot_be_costs_its_robot_alone(motion: str) -> None:
    def run(document: str) -> list[str]:
        simulation, digests = Simulation(), []
        simulation.spawn(cart("Before", x=5.0))
        if document:
            simulation.spawn(document)
        after = simulation.spawn(cart("After", x=8.0))
        for frame in range(40):
            if frame == 20 and document and "Cart" in simulation.robots:
                simulation.robots["Cart"].command("Drive", "LeftWheel", 9000.0)
            after.command("Motor", "Vel", 0.1 * frame)
            try:
                simulation.step()
            except ActuationError as error:
                assert error.robot == "Cart" and "Drive" in str(error)
                simulation.remove(error.robot)
                simulation.step()
            if frame > 30:
                digests.append(simulation.digest())
        assert list(simulation.robots) == ["Before", "After"]
        return digests

    assert run(kinematic(motion)) == run("")


def test_a_frame_that_is_taken_again_drives_motors_once(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation()
    driven: list[int] = []
    calm = simulation.spawn(kinematic(holonomic("<SpeedX>1</SpeedX>")), name="Calm")
    simulation.spawn(kinematic(differential("5e-324", "1", "<Speed>9</Speed>")), position=(9.0, 0.0, 1.0))
    drive = calm.motors["Drive"].drive

    def counted(frame: int) -> bool:
        driven.append(frame)
        return drive(frame)

    monkeypatch.setattr(calm.motors["Drive"], "drive", counted)
    while simulation.frame < 5:
        try:
            simulation.step()
        except ActuationError as error:
            simulation.remove(error.robot)
    assert driven == list(range(5))


def test_whatever_a_command_raises_names_the_robot(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: object, number: int, value: float, frame: int) -> None:
        raise ZeroDivisionError

    simulation = Simulation()
    robot = simulation.spawn(cart("Odd"))
    monkeypatch.setattr(type(robot.components["Motor"]), "set", fail)
    robot.command("Motor", "Vel", 1.0)
    with pytest.raises(ActuationError, match=r"Motor: ZeroDivisionError\(\)") as caught:
        simulation.step()
    assert caught.value.robot == "Odd" and simulation.frame == 0


def test_its_client_is_told_and_the_others_go_on(serve: Callable[..., Any]) -> None:
    serving = serve(60, clients=2)
    good = RawClient(serving.port, cart("Good", x=5.0))
    bad = RawClient(serving.port, kinematic(FAILING["faster than bodies can be"].replace("9000", "0")))
    counted: list[int] = []
    thread = threading.Thread(target=lambda: counted.append(good.serve_to_the_end()), daemon=True)
    thread.start()
    bad.acknowledge(10)
    bad.send(Command("Drive", LEFT_WHEEL, 9000.0))
    frame = bad.frame()
    assert frame is not None
    bad.send(Ack(frame[0]))
    assert "Drive: a body's velocity" in bad.error()
    serving.result()
    thread.join(60)
    assert counted == [60] and list(serving.simulation.robots) == ["Good"]


def test_a_robot_that_fails_leaves_a_log_that_replays(tmp_path: Any) -> None:
    from ubersim.recording.log import Log
    from ubersim.recording.recorder import Recorder
    from ubersim.recording.replay import replay

    simulation = Simulation()
    with Recorder(simulation, tmp_path / "run.mcap"):
        for name, x in (("Before", 5.0), ("After", 8.0)):
            simulation.spawn(cart(name, x=x))
            if name == "Before":
                simulation.spawn(kinematic(differential("100", "1e-6")))
        for frame in range(60):
            robots: list[Robot] = list(simulation.robots.values())
            for robot in robots:
                if robot.name != "Cart":
                    robot.command("Motor", "Vel", 0.1 * frame)
                elif frame == 30:
                    robot.command("Drive", "LeftWheel", 9000.0)
            try:
                simulation.step()
            except ActuationError as error:
                simulation.remove(error.robot)
                simulation.step()
        assert "Cart" not in simulation.robots
    assert replay(Log(tmp_path / "run.mcap")) is None
