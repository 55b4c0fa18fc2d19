"""Motors against closed forms: what they exert, how they settle, what bounds them."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from tests.helpers.motor_robots import ARM_WEIGHT, WHEEL_INERTIA, arm, car, flywheel, sled
from ubersim.description import read_robot, summary
from ubersim.description.motors import MotorDescription
from ubersim.description.registry import registry
from ubersim.errors import UberSimError
from ubersim.protocol.properties import MOTOR_PROPERTIES
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

STEP = 0.001
DC = """<DCMotor name="M"><Joint>H</Joint><Voltage>{voltage}</Voltage><NominalVoltage>24</NominalVoltage>
  <Resistance>1.5</Resistance><TorqueConstant>0.03</TorqueConstant><Gear>10</Gear>{more}</DCMotor>"""


def alive(document: str) -> tuple[Simulation, Robot]:
    simulation = Simulation(step=STEP)
    return simulation, simulation.spawn(document)


def servo(gains: str, limit: float = 100.0) -> str:
    limits = f"<TorqueLimit>{limit}</TorqueLimit>"
    return f'<PositionServo name="M"><Joint>H</Joint>{gains}{limits}</PositionServo>'


# DC motor


def test_dc_motor_follows_its_step_response() -> None:
    """w(t) = U / (k N) * (1 - exp(-t / T)), with T = I R / (k N)^2; here 1 / (1 + h/T)^n is the exp."""
    simulation, robot = alive(flywheel(DC.format(voltage=12, more="")))
    final, constant = 12 / (0.03 * 10), WHEEL_INERTIA * 1.5 / (0.03 * 10) ** 2
    hinge = robot.joints["H"]
    for frames in (1, 20, 79, 200, 700):
        simulation.step(frames)
        time = simulation.time
        assert hinge.rate() == pytest.approx(final * (1 - (1 + STEP / constant) ** -simulation.frame), rel=1e-6)
        assert hinge.rate() == pytest.approx(final * (1 - math.exp(-time / constant)), abs=final * STEP / constant)


def test_dc_motor_loses_speed_to_friction_and_stands_below_it() -> None:
    """Dry friction takes friction / damping off the speed, and holds a motor that exerts less than it."""
    damping = (0.03 * 10) ** 2 / 1.5
    stall = 10 * 0.03 * 12 / 1.5
    simulation, robot = alive(flywheel(DC.format(voltage=12, more="<Friction>0.5</Friction>")))
    simulation.step(3000)
    assert robot.joints["H"].rate() == pytest.approx((stall - 0.5) / damping, rel=1e-6)
    robot.command("M", "Voltage", -12)
    simulation.step(3000)
    assert robot.joints["H"].rate() == pytest.approx(-(stall - 0.5) / damping, rel=1e-6)
    robot.command("M", "Voltage", 2.4)  # exerts 0.48 N m
    simulation.step(3000)
    place = robot.joints["H"].position()
    simulation.step(1000)
    assert robot.joints["H"].position() == pytest.approx(place, abs=1e-9)


def test_dc_motor_runs_at_its_no_load_speed() -> None:
    simulation, robot = alive(flywheel(DC.format(voltage=24, more="<NoLoadSpeed>700</NoLoadSpeed>")))
    simulation.step(5000)
    assert robot.joints["H"].rate() == pytest.approx(70.0, rel=1e-6)


def test_dc_motor_is_bounded_by_voltage_and_current() -> None:
    simulation, robot = alive(flywheel(DC.format(voltage=100, more="<MaxCurrent>2</MaxCurrent>")))
    simulation.step(100)
    assert robot.joints["H"].rate() == pytest.approx(10 * 0.03 * 2 / WHEEL_INERTIA * 0.1, rel=1e-6)
    simulation.step(10000)
    assert robot.joints["H"].rate() == pytest.approx(24 / (0.03 * 10), rel=1e-6)


def test_friction_brakes_a_wheel_on_a_hinge2() -> None:
    """The friction of a motor on the second axis is about the axle: a spinning wheel loses friction / inertia."""
    motor = """<DCMotor name="M"><Joint>FL</Joint><Axis>2</Axis><NominalVoltage>12</NominalVoltage>
      <Resistance>1e6</Resistance><TorqueConstant>1e-3</TorqueConstant><Friction>0.01</Friction></DCMotor>"""
    simulation = Simulation(step=STEP)
    robot = simulation.spawn(car(motor, "<LoStop>0</LoStop><HiStop>0</HiStop>"), position=(0, 0, 50))
    wheel = robot.bodies["WFL"]
    wheel.set_state(angular=(30.0, 0.0, 0.0))
    before = robot.joints["FL"].rate(1)
    simulation.step(500)
    lost = 0.01 / (0.4 * 1.0 * 0.1**2) * 0.5
    assert before == pytest.approx(-30.0)
    assert robot.joints["FL"].rate(1) == pytest.approx(-30.0 + lost, rel=0.01)


# The others


def test_torque_motor_exerts_its_torque_up_to_its_speed() -> None:
    motor = '<TorqueMotor name="M"><Joint>H</Joint><Torque>0.02</Torque><SpeedLimit>3</SpeedLimit></TorqueMotor>'
    simulation, robot = alive(flywheel(motor))
    simulation.step(500)
    assert robot.joints["H"].rate() == pytest.approx(0.02 / WHEEL_INERTIA * 0.5, rel=1e-9)
    simulation.step(5000)
    assert robot.joints["H"].rate() == pytest.approx(3.0, rel=1e-9)
    robot.command("M", "Torque", -0.02)
    simulation.step(500)
    assert robot.joints["H"].rate() == pytest.approx(3.0 - 0.02 / WHEEL_INERTIA * 0.5, rel=1e-6)


def test_torque_motor_brakes_beyond_its_speed() -> None:
    motor = '<TorqueMotor name="M"><Joint>H</Joint><Torque>0.02</Torque><SpeedLimit>3</SpeedLimit></TorqueMotor>'
    simulation, robot = alive(flywheel(motor))
    robot.bodies["Wheel"].set_state(angular=(8.0, 0.0, 0.0))
    simulation.step(500)
    assert robot.joints["H"].rate() == pytest.approx(8.0 - 0.02 / WHEEL_INERTIA * 0.5, rel=1e-6)


def test_torque_motor_pushes_a_slider() -> None:
    simulation, robot = alive(sled('<TorqueMotor name="M"><Joint>S</Joint><Torque>3</Torque></TorqueMotor>'))
    simulation.step(200)
    assert robot.joints["S"].rate() == pytest.approx(3 / 2 * 0.2, rel=1e-9)


def test_velocity_motor_ramps() -> None:
    motor = """<VelocityMotor name="M"><Joint>H</Joint><Speed>4</Speed><TorqueLimit>10</TorqueLimit>
      <Acceleration>8</Acceleration></VelocityMotor>"""
    simulation, robot = alive(flywheel(motor))
    simulation.step(250)
    assert robot.joints["H"].rate() == pytest.approx(2.0, rel=1e-6)
    simulation.step(500)
    assert robot.joints["H"].rate() == pytest.approx(4.0, rel=1e-6)
    assert not robot.busy  # nothing to do until the next command


def test_servo_without_integral_sags_by_the_load() -> None:
    """Level weight: Kp * error = weight * cos(angle)."""
    simulation, robot = alive(arm(servo("<Kp>40</Kp><Kd>4</Kd>")))
    simulation.step(4000)
    angle = robot.joints["H"].position()
    assert -40 * angle == pytest.approx(ARM_WEIGHT * math.cos(angle), rel=1e-6)


def test_servo_with_integral_reaches_and_holds() -> None:
    simulation, robot = alive(arm(servo("<Target>30</Target><Kp>40</Kp><Ki>60</Ki><Kd>4</Kd>")))
    simulation.step(8000)
    assert robot.joints["H"].position() == pytest.approx(math.radians(30), abs=1e-6)
    robot.command("M", "Target", -0.4)
    simulation.step(8000)
    assert robot.joints["H"].position() == pytest.approx(-0.4, abs=1e-6)
    assert robot.joints["H"].rate() == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("gains", ["<Kp>1e7</Kp>", "<Kp>1e7</Kp><Kd>1e6</Kd>", "<Kp>1</Kp><Kd>1e6</Kd>"])
def test_no_gain_is_too_stiff(gains: str) -> None:
    simulation, robot = alive(arm(servo(gains, 1e9)))
    fastest = 0.0
    for _ in range(200):
        simulation.step(5)
        fastest = max(fastest, abs(robot.joints["H"].rate()))
    assert fastest < 0.1


def test_servo_keeps_its_speed_and_torque_limits() -> None:
    simulation, robot = alive(
        flywheel(servo("<Target>170</Target><Kp>50</Kp><Kd>1</Kd><SpeedLimit>2</SpeedLimit>", 0.1))
    )
    simulation.step(100)
    assert robot.joints["H"].rate() == pytest.approx(0.1 / WHEEL_INERTIA * 0.1, rel=1e-9)
    simulation.step(400)
    assert robot.joints["H"].rate() == pytest.approx(2.0, rel=1e-6)


def test_servo_has_its_torque_also_where_its_speed_is_limited() -> None:
    """It carries a weight far from its target, lifts it at the speed that it may, and sags by weight / Kp at most."""
    gains = "<Kp>20</Kp><Kd>0.2</Kd><SpeedLimit>0.5</SpeedLimit>"
    simulation, robot = alive(arm(servo(gains, 2 * ARM_WEIGHT)))
    hinge, target = robot.joints["H"], math.radians(60)
    robot.command("M", "Target", target)
    simulation.step(1000)
    assert hinge.rate() == pytest.approx(0.5, rel=1e-3)
    simulation.step(4000)
    assert 0.0 < target - hinge.position() < ARM_WEIGHT / 20


def test_windup_limit_shortens_the_overshoot() -> None:
    """Held back by too small a torque, the integral grows; what it has grown to has to be paid back as overshoot."""
    overshoots = {}
    for limit in (0.2, 1e6):
        gains = f"<Kp>2</Kp><Ki>4</Ki><Kd>0.5</Kd><WindupLimit>{limit}</WindupLimit>"
        simulation, robot = alive(flywheel(servo(gains, 0.0), "<LoStop>-170</LoStop><HiStop>170</HiStop>"))
        robot.command("M", "Target", 1.0)
        simulation.step(1000)  # no torque yet: the wheel stands, the error lasts
        controller = robot.motors["M"].controller
        assert controller.integral == pytest.approx(min(limit, 4.0 * 1.0 * 1.0), rel=1e-6)  # type: ignore[attr-defined]
        robot.command("M", "TorqueLimit", 1.0)
        places = []
        for _ in range(400):
            simulation.step(10)
            places.append(robot.joints["H"].position())
        overshoots[limit] = max(places) - 1.0
    assert overshoots[0.2] < 0.15 < 0.5 < overshoots[1e6]


def test_servo_goes_the_short_way_round_unless_there_are_stops() -> None:
    gains = "<Target>170</Target><Kp>5</Kp><Kd>0.5</Kd>"
    for stops, through_the_back in (("", True), ("<LoStop>-175</LoStop><HiStop>175</HiStop>", False)):
        simulation, robot = alive(flywheel(servo(gains), stops))
        simulation.step(3000)
        robot.command("M", "Target", math.radians(-170))
        simulation.step(50)
        assert (abs(robot.joints["H"].position()) > math.radians(170)) is through_the_back
        simulation.step(3000)
        assert robot.joints["H"].position() == pytest.approx(math.radians(-170), abs=1e-4)


def test_spring_swings_with_its_own_frequency_and_damping() -> None:
    """Without damping of its own, implicit Euler damps by exp(-w^2 h t / 2): that much and no more."""
    motor = """<SpringDamper name="M"><Joint>S</Joint><Stiffness>50</Stiffness><Damping>0.4</Damping>
      <Rest>0.1</Rest></SpringDamper>"""
    simulation, robot = alive(sled(motor))
    omega, decay = math.sqrt(50 / 2), 0.4 / (2 * 2) + 50 / 2 * STEP / 2
    for _ in range(20):
        simulation.step(100)
        time = simulation.time
        swing = math.sqrt(omega**2 - decay**2)
        wanted = 0.1 - 0.1 * math.exp(-decay * time) * (math.cos(swing * time) + decay / swing * math.sin(swing * time))
        assert robot.joints["S"].position() == pytest.approx(wanted, abs=6e-4)


def test_manipulator_switches_between_poses_at_its_speed() -> None:
    motor = """<Manipulator name="M"><Joint>H</Joint><Poses>0 90 -45</Poses><Speed>2</Speed>
      <TorqueLimit>5000</TorqueLimit></Manipulator>"""
    simulation, robot = alive(arm(motor))
    hinge = robot.joints["H"]
    for pose, angle in ((1, 90.0), (2, -45.0), (0, 0.0)):
        start, goal = hinge.position(), math.radians(angle)
        robot.command("M", "Pose", pose)
        simulation.step(200)
        assert hinge.position() == pytest.approx(start + math.copysign(2 * 0.2, goal - start), abs=1e-3)
        simulation.step(1500)
        assert hinge.position() == pytest.approx(goal, abs=1e-5)
    with pytest.raises(UberSimError, match="0 to 2"):
        robot.command("M", "Pose", 3)


# In time


def test_a_motors_own_latency_comes_on_top() -> None:
    motor = """<TorqueMotor name="M"><Joint>H</Joint><Latency>5</Latency></TorqueMotor>"""
    simulation, robot = alive(flywheel(motor, settings="<Latency>10</Latency>"))
    robot.command("M", "Torque", 0.01)
    simulation.step(15)
    assert robot.joints["H"].rate() == 0.0
    simulation.step(1)
    assert robot.joints["H"].rate() == pytest.approx(0.01 / WHEEL_INERTIA * STEP, rel=1e-9)


def test_many_steps_at_once_are_the_same_to_the_bit() -> None:
    digests = []
    for portion in (1, 7, 100):
        simulation, robot = alive(arm(servo("<Kp>40</Kp><Ki>60</Ki><Kd>4</Kd>")))
        robot.command("M", "Target", 0.5, frame=50)
        for _ in range(700 // portion):
            simulation.step(portion)
        digests.append(simulation.digest())
    assert len(set(digests)) == 1


def test_a_snapshot_keeps_integral_delay_and_phase() -> None:
    motor = servo("<Kp>40</Kp><Ki>60</Ki><Kd>4</Kd><Latency>20</Latency>")
    simulation, robot = alive(arm(motor))
    simulation.step(300)
    robot.command("M", "Target", 0.5)
    simulation.step(10)
    kept = simulation.snapshot()
    simulation.step(500)
    wanted = simulation.digest()
    simulation.restore(kept)
    simulation.step(500)
    assert simulation.digest() == wanted
    other = Simulation(step=STEP)
    other.restore(type(kept).from_bytes(kept.to_bytes()))
    other.step(500)
    assert other.digest() == wanted


def test_idle_motors_let_physics_run_on() -> None:
    """A motor without work per frame leaves the kernel its long runs."""
    simulation, _ = alive(flywheel(DC.format(voltage=12, more="")))
    simulation.step(1)
    runs: list[int] = []
    run = simulation.world.run
    simulation.world.run = lambda steps=1: (runs.append(steps), run(steps))[1]  # type: ignore[method-assign, func-returns-value]
    simulation.step(500)
    assert runs == [500]


# Documents


def test_the_documentation_has_all_numbers_and_a_robot_that_works() -> None:
    page = (Path(__file__).parents[3] / "docs" / "actuators.md").read_text(encoding="utf-8")
    rows = {
        name: (int(number), motors)
        for name, number, motors in re.findall(r"(?m)^\| (\w+) \| (\d+) \|.*\| (.*) \|$", page)
    }
    motors = registry().members(MotorDescription).values()
    numbers = {name: number for cls in motors for name, number in cls.properties().items()}
    assert {name: number for name, (number, _) in rows.items()} == numbers
    for name, (_, tags) in rows.items():
        having = [tag for tag, cls in registry().members(MotorDescription).items() if name in cls.properties()]
        assert sorted(tags.split(", ")) == having
    simulation, robot = alive(re.findall(r"(?ms)^```xml\n(.*?)^```", page)[0])
    simulation.step(3000)
    assert robot.joints["Neck"].position() == pytest.approx(math.radians(30), abs=1e-3)


def test_the_summary_tells_of_motors() -> None:
    assert "1 motor\n  DCMotor M: H\n" in summary(read_robot(flywheel(DC.format(voltage=0, more=""))))


def test_all_motors_call_a_property_by_the_wires_number() -> None:
    for cls in registry().members(MotorDescription).values():
        for name, number in cls.properties().items():
            assert MOTOR_PROPERTIES[name] == number
