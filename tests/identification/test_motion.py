"""Drives learned from logs, against robots whose laws of motion are known, and against our own Scout."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.documents import ball, body, robot
from tests.helpers.robots import cart
from ubersim.components.drives.motion_network import MotionNetwork
from ubersim.errors import UberSimError
from ubersim.identification.motion import LearnedMotion, MotionRecord, learn_motion
from ubersim.identification.motion.logs import _merged, record_of
from ubersim.identification.motion.network import fit_models
from ubersim.identification.motion.rollout import linear_acceleration, rollout_errors
from ubersim.recording import Recorder
from ubersim.signals import Signal
from ubersim.simulation import Simulation

PERIOD = 0.02
LAG = 0.25
"""Of a robot whose velocity approaches what it is told exponentially [s]."""


def commands(seconds: float, seed: int = 1) -> np.ndarray:
    """New velocities every half second: none to the right, forward, turning; one row per period."""
    rng = np.random.default_rng(seed)
    told = rng.uniform(-1, 1, (round(seconds / 0.5), 3)) * (0.0, 1.0, 2.0)
    return np.repeat(told, round(0.5 / PERIOD), axis=0)


def driven(told: np.ndarray, after: float = math.exp(-PERIOD / LAG)) -> MotionRecord:
    """v -> u + (v - u) e^(-t/lag) in every period, and places that follow from that."""
    velocities, poses = [np.zeros(3)], [np.zeros(3)]
    for command in told:
        velocities.append(command + (velocities[-1] - command) * after)
        right, forward, turn = (velocities[-1] + velocities[-2]) / 2 * PERIOD
        x, y, heading = poses[-1]
        middle = heading + turn / 2
        x += right * math.cos(middle) - forward * math.sin(middle)
        y += right * math.sin(middle) + forward * math.cos(middle)
        poses.append(np.array([x, y, heading + turn]))
    return MotionRecord(PERIOD, np.array(poses), np.array(velocities), told)


@cache
def lagging() -> LearnedMotion:
    return learn_motion(driven(commands(60.0)), units=8)


def test_a_first_order_lag_is_learned() -> None:
    """Its law is linear, so that next to nothing is left; bounded acceleration is another law."""
    learned = lagging()
    assert learned.error.place < 1e-3 and learned.error.heading < 1e-3
    assert learned.compared.place > 0.02
    network = MotionNetwork(learned.weights.tolist())
    change = network.change((0.0, 0.2, -0.3), (0.0, 0.8, 1.0), (0.0, 0.01, 0.02))
    share = 1 - math.exp(-PERIOD / LAG)
    assert change == pytest.approx((0.0, share * 0.6, share * 1.3), abs=2e-3)


def test_the_model_to_compare_with_is_exact_for_its_own_law() -> None:
    told = commands(30.0)
    model = linear_acceleration(np.array([1.5]), np.array([4.0]), PERIOD)
    velocities, poses = [np.zeros(3)], [np.zeros(3)]
    for command in told:
        after, mean = (
            part[0, 0] for part in model(velocities[-1][None, None], command[None, None], np.zeros((1, 1, 3)))
        )
        x, y, heading = poses[-1]
        middle = heading + mean[2] * PERIOD / 2
        x -= PERIOD * mean[1] * math.sin(middle)
        y += PERIOD * mean[1] * math.cos(middle)
        velocities.append(after)
        poses.append(np.array([x, y, heading + PERIOD * mean[2]]))
    record = MotionRecord(PERIOD, np.array(poses), np.array(velocities), told)
    (error,) = rollout_errors(model, record, 1)
    assert error.place < 1e-12
    found = learn_motion(record, units=0)
    assert found.accelerations == pytest.approx((1.5, 4.0), rel=0.15)


def test_one_network_or_many_at_once_say_the_same() -> None:
    models = fit_models(driven(commands(60.0)), 12, (1e-3, 1e-6), 0)
    rng = np.random.default_rng(5)
    inputs = rng.standard_normal((3, 2, 20, 3))
    for number, changes in enumerate(models.changes(*inputs)):
        network = MotionNetwork(models.numbers(number).tolist())
        single = zip(*inputs[:, number], strict=True)
        alone = [network.change(*(tuple(part.tolist()) for part in parts)) for parts in single]
        assert np.array(alone) == pytest.approx(changes, abs=1e-12)
    assert network.change((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)) == (0.0, 0.0, 0.0)


def test_the_same_log_gives_the_same_numbers() -> None:
    again = learn_motion(driven(commands(60.0)), units=8)
    assert again.weights.tobytes() == lagging().weights.tobytes()


def write_csv(path: Path, record: MotionRecord, turns: bool = True) -> None:
    """A log of another robot: times, places, and what it was told."""
    rows = ["time,x,y,heading,speed,turn"]
    for count, (pose, told) in enumerate(zip(record.poses[:-1], record.commands, strict=True)):
        wrapped = (pose[2] + math.pi) % math.tau - math.pi
        rows.append(f"{count * PERIOD},{pose[0]},{pose[1]},{wrapped if turns else 0.0},{told[1]},{told[2]}")
    path.write_text("\n".join(rows))


def test_a_log_of_another_robot(tmp_path: Path) -> None:
    path = tmp_path / "drive.csv"
    write_csv(path, driven(commands(60.0)))
    named = {"x": "x", "y": "y", "heading": "heading", "forward": "speed", "turn": "turn"}
    learned = learn_motion(record_of(path, "", PERIOD, named), units=16)
    assert learned.error.place < 0.01 < learned.compared.place
    with pytest.raises(UberSimError, match="--x, --y and --heading"):
        record_of(path, "", PERIOD, {"forward": "speed"})


def test_what_tells_nothing_is_named() -> None:
    with pytest.raises(UberSimError, match="never told to move"):
        learn_motion(driven(0 * commands(30.0)))
    stuck = driven(commands(30.0), after=1.0)
    with pytest.raises(UberSimError, match="never moved"):
        learn_motion(stuck)


@pytest.fixture(scope="module")
def scout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half a minute of our own Scout, told something else every now and then."""
    path, rng = tmp_path_factory.mktemp("logs") / "scout.mcap", np.random.default_rng(3)
    with Simulation(step=0.005, seed=1) as simulation:
        robot = simulation.spawn("scout")
        recorder = Recorder(simulation, path)
        for _ in range(55):
            forward, turn = rng.uniform(-1, 1), rng.uniform(-2.5, 2.5)
            robot.command("Drive", "Speed", forward)
            robot.command("Drive", "Turn", turn)
            simulation.step(int(rng.integers(40, 200)))
        recorder.close()
    return path


def test_our_own_scout_one_second_ahead(scout: Path) -> None:
    record = record_of(scout, "", 0.01, {})
    settled = np.abs(record.commands[1:] - record.commands[:-1]).max(axis=1) == 0
    assert np.corrcoef(record.commands[1:][settled, 1], record.velocities[2:][settled, 1])[0, 1] > 0.7
    learned = learn_motion(record, units=48)
    assert learned.error.place < 0.5 * learned.compared.place
    assert learned.error.heading < 0.5 * learned.compared.heading


def test_wheels_that_are_told_one_by_one(tmp_path: Path) -> None:
    """What they amount to follows from the OdometrySensor, which knows them."""
    with Simulation(step=0.01) as simulation:
        robot = simulation.spawn("scout")
        recorder = Recorder(simulation, tmp_path / "log.mcap")
        robot.command("LMotor", "Speed", 1.0)
        robot.command("RMotor", "Speed", 4.0)
        simulation.step(2100)
        recorder.close()
    told = record_of(tmp_path / "log.mcap", "Scout", 0.01, {}).commands[-1]
    assert told == pytest.approx((0.0, 0.07 * 2.5, 0.07 * 3.0 / 0.345))


def test_a_robot_that_is_not_in_the_log(scout: Path) -> None:
    with pytest.raises(UberSimError, match="say --robot Scout"):
        record_of(scout, "Car", 0.01, {})


def test_topics_may_be_named_for_our_own_logs_too(scout: Path) -> None:
    own = record_of(scout, "", 0.01, {}).commands
    named = record_of(scout, "", 0.01, {"forward": "/Scout/Drive/Speed"}).commands
    np.testing.assert_array_equal(named[:, 1], own[:, 1])
    assert not named[:, 2].any() and own[:, 2].any()


def _log_of(path: Path, document: str, *commands: tuple[str, str, float]) -> Path:
    """A log of a robot that is told these, one after the other."""
    with Simulation(step=0.01) as simulation, Recorder(simulation, path):
        robot = simulation.spawn(document)
        for command in commands:
            robot.command(*command)
            simulation.step(1500)
    return path


def test_wheels_of_a_differential_drive(tmp_path: Path) -> None:
    drive = '<Motion><DifferentialDrive name="D"><WheelRadius>0.1</WheelRadius><WheelDistance>0.5</WheelDistance>'
    document = robot(body(ball("b"))).replace("</Entity>", f"{drive}</DifferentialDrive></Motion></Entity>")
    log = _log_of(tmp_path / "log.mcap", document, ("D", "LeftWheel", 1.0), ("D", "RightWheel", 2.0))
    told = record_of(log, "R", 0.01, {}).commands
    assert told[-1] == pytest.approx((0.0, 0.1 * 1.5, 0.1 * 1.0 / 0.5))


def test_one_command_by_two_names_is_what_was_told_last() -> None:
    names = {"Speed": 0.0, "SpeedY": 1.0}
    early, late = (Signal.of(name, np.array([at, at + 2.0]), np.full(2, at)) for name, at in names.items())
    merged = _merged([late, None, early])
    assert merged is not None
    assert (merged.times.tolist(), merged.values.tolist()) == ([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 0.0, 1.0])


def test_a_robot_of_which_nobody_knows_what_it_was_told(tmp_path: Path) -> None:
    log = _log_of(tmp_path / "log.mcap", cart(), ("Motor", "Vel", 1.0))
    with pytest.raises(UberSimError, match="Cart has neither a drive nor two wheels"):
        record_of(log, "Cart", 0.01, {})


@pytest.mark.parametrize(("seconds", "period"), [(3.0, PERIOD), (30.0, 2.0)])
def test_too_little_is_named(seconds: float, period: float) -> None:
    place = [Signal(name, np.array([0.0, seconds]), np.array([0.0, 1.0])) for name in ("x", "y", "heading")]
    with pytest.raises(UberSimError, match=rf"the log tells of {seconds:.1f} s of motion; learning takes .* at least"):
        MotionRecord.of(place, [None, place[0], None], period)
