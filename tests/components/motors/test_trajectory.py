"""Trajectories that a servo is told at once: where it is when, what is refused, and that nothing else notices."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import pytest

from tests.helpers.motor_robots import arm, flywheel, sled
from ubersim.components.motors.trajectory import decoded, target_at
from ubersim.errors import RemoteProtocolError, UberSimError
from ubersim.recording import Log, Recorder, replay
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot
from ubersim.simulation.snapshot import Snapshot

STIFF = "<Kp>4000</Kp><Kd>40</Kd><TorqueLimit>1000</TorqueLimit>"
SERVO = f'<PositionServo name="M"><Joint>H</Joint>{STIFF}</PositionServo>'


def path(*waypoints: tuple[float, float, float]) -> bytes:
    return b"".join(struct.pack("<3f", *waypoint) for waypoint in waypoints)


def alive(document: str) -> tuple[Simulation, Robot]:
    simulation = Simulation(step=0.001)
    return simulation, simulation.spawn(document)


def test_the_curve_has_the_positions_and_velocities_that_were_given() -> None:
    waypoints = [(0.0, 1.0, 0.5), (2.0, 3.0, -1.0), (3.0, 0.0, 0.0)]
    for time, position, velocity in waypoints[:2]:
        assert target_at(waypoints, time) == pytest.approx((position, velocity))
    assert target_at(waypoints, 3.0) == target_at(waypoints, 100.0) == (0.0, 0.0)
    for time in (0.3, 1.1, 1.9, 2.5):
        (before, _), (now, rate), (after, _) = (target_at(waypoints, time + shift) for shift in (-1e-6, 0.0, 1e-6))
        assert rate == pytest.approx((after - before) / 2e-6, abs=1e-6)
        assert abs(now - (after + before) / 2) < 1e-9


def test_a_servo_follows_it_frame_by_frame() -> None:
    """With equal accelerations at the ends, the cubic through rest is 3 s^2 - 2 s^3."""
    simulation, robot = alive(flywheel(SERVO))
    robot.send("M", path((0.5, 1.0, 0.0)))
    for frame in range(1, 700):
        simulation.step()
        s = min(frame * 0.001 / 0.5, 1.0)
        assert robot.joints["H"].position() == pytest.approx(3 * s**2 - 2 * s**3, abs=2e-3), frame
    assert robot.joints["H"].position() == pytest.approx(1.0, abs=1e-4)


def test_one_goes_on_from_the_last_without_a_jolt_and_a_target_ends_it() -> None:
    simulation, robot = alive(flywheel(SERVO))
    robot.send("M", path((1.0, 1.0, 1.0), (2.0, 2.0, 0.0)))
    simulation.step(1000)
    robot.send("M", path((1.0, 2.0, 1.0)))  # from (1, 1) to (2, 1): straight on
    for _ in range(900):
        simulation.step()
        assert robot.joints["H"].rate() == pytest.approx(1.0, abs=0.02)
    robot.send("M", b"")
    simulation.step(200)
    assert robot.joints["H"].rate() == pytest.approx(0.0, abs=1e-3)
    assert robot.joints["H"].position() == pytest.approx(1.9, abs=0.01)
    robot.send("M", path((5.0, 3.0, 0.0)))
    simulation.step(10)
    robot.command("M", "Target", 0.5)
    simulation.step(1000)
    assert robot.joints["H"].position() == pytest.approx(0.5, abs=1e-3)


def test_a_waypoint_at_once_is_a_jump_of_the_target() -> None:
    simulation, robot = alive(sled(SERVO.replace(">H<", ">S<")))
    robot.send("M", path((0.0, 0.2, 0.0), (1.0, 0.3, 0.0)))
    simulation.step(1)
    assert robot.motors["M"].values()["Target"] == pytest.approx(0.2, abs=1e-3)
    simulation.step(1999)
    assert robot.joints["S"].position() == pytest.approx(0.3, abs=1e-4)


def test_it_takes_the_robots_and_the_motors_latency() -> None:
    settings = "<Latency>20</Latency>"
    simulation, robot = alive(flywheel(SERVO.replace("<Kp>", "<Latency>5</Latency><Kp>"), settings=settings))
    robot.send("M", path((0.1, 1.0, 0.0)))
    simulation.step(25)
    assert robot.joints["H"].position() == 0.0
    simulation.step(1)
    assert robot.joints["H"].position() > 0.0


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"123", "a waypoint has 12 bytes"),
        (path((1, 0, 0), (1, 0, 0)), "waypoint 1 has the time 1 s; times increase"),
        (path((-1, 0, 0)), "waypoint 0 has the time -1 s"),
        (path((math.nan, 0, 0)), "waypoint 0 has the time nan s"),
        (path((1, math.inf, 0)), "waypoint 0 is at inf"),
        (path((1, 0, math.nan)), "out of range"),
    ],
)
def test_what_is_no_trajectory_is_refused(payload: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        decoded(payload)
    _, robot = alive(flywheel(SERVO))
    with pytest.raises(RemoteProtocolError, match=f"a payload of {len(payload)} bytes for 'M': .*{reason}"):
        robot.send("M", payload)


def test_who_takes_none_says_so_and_a_message_is_no_longer_than_over_the_wire() -> None:
    _, robot = alive(flywheel(SERVO))
    with pytest.raises(UberSimError, match="H takes no payload of its own; it has LoStop"):
        robot.send("H", b"abc")
    with pytest.raises(UberSimError, match="has no component 'X'"):
        robot.send("X", b"abc")
    with pytest.raises(UberSimError, match="is too long; a message has 65536"):
        robot.send("M", bytes(12 * 5462))


def test_a_snapshot_in_the_midst_of_one_goes_on_the_same_way(tmp_path: Path) -> None:
    simulation, robot = alive(arm(SERVO.replace("<Kp>", "<Latency>7</Latency><Kp>")))
    robot.send("M", path((0.5, -1.0, 0.0)))
    simulation.step(100)
    robot.send("M", path((0.3, 1.0, 2.0), (0.6, 0.5, 0.0)))  # under way while the snapshot is taken
    simulation.step(3)
    saved = simulation.snapshot().to_bytes()
    simulation.step(700)
    other, _ = alive(arm(SERVO.replace("<Kp>", "<Latency>7</Latency><Kp>")))
    other.restore(Snapshot.from_bytes(saved))
    other.step(700)
    assert other.digest() == simulation.digest()


def test_it_is_recorded_and_replayed_to_the_bit(tmp_path: Path) -> None:
    simulation, robot = alive(arm(SERVO))
    with Recorder(simulation, tmp_path / "run.mcap"):
        for number in range(5):
            robot.send("M", path((0.2, math.sin(number), 1.0), (0.4, math.cos(number), 0.0)), frame=300 * number + 7)
            robot.command("M", "Kd", 40.0 + number)
        simulation.step(2000)
    with Log(tmp_path / "run.mcap") as log:
        assert replay(log) is None
        blocks = [log.block(number) for number in range(3)]
    sent = [value for block in blocks for _, _, _, value in block.executed() if isinstance(value, bytes)]
    assert len(sent) == 5 and sent[1] == path((0.2, math.sin(1), 1.0), (0.4, math.cos(1), 0.0))
