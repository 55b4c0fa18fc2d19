"""Clocks for programs: sleeping and interval timers in simulated time, the estimate of the simulation's speed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from ubersim.client import connect
from ubersim.simulation import Simulation
from ubersim.simulation.local_robot import LocalRobot
from ubersim.timing.program_clock import ProgramClock
from ubersim.timing.speed import SpeedEstimate


def test_the_speed_is_a_moving_average() -> None:
    estimate = SpeedEstimate(window=2)
    assert estimate.speed == estimate.instantaneous == 0.0 and estimate.duration(1.0) == math.inf
    for simulated, wall in ((0.0, 10.0), (1.0, 10.5), (2.0, 11.5), (3.0, 11.75)):
        estimate.update(simulated, wall)
    assert estimate.instantaneous == 4.0
    assert estimate.speed == 2.0 / 1.25
    assert estimate.duration(0.8) == 0.5
    assert estimate.simulated_at(12.0) == 3.0 + 0.25 * 1.6
    assert estimate.simulated_at(11.0) == 3.0
    estimate.update(0.5, 12.0)  # time was set back
    assert estimate.speed == 0.0


def test_predictions_of_erratic_steps_are_within_two_percent() -> None:
    """As the paper measures it: steps that take very different times, intervals of 10 to 100 ms."""
    rng = np.random.default_rng(1)
    walls = np.cumsum(0.0005 * rng.lognormal(0.0, 0.25, 20_000))
    estimate = SpeedEstimate(window=400)
    errors: dict[int, list[float]] = {10: [], 20: [], 50: [], 100: []}
    for frame, wall in enumerate(walls):
        estimate.update(0.001 * frame, float(wall))
        if frame > 1000 and frame % 20 == 0:
            for interval in errors:
                if frame + interval < len(walls):
                    took = walls[frame + interval] - wall
                    errors[interval].append(abs(estimate.duration(0.001 * interval) - took) / took)
    assert abs(np.diff(walls)).std() / np.diff(walls).mean() > 0.2
    for interval, found in errors.items():
        assert np.mean(found) < 0.25 / math.sqrt(interval) + 0.01
    assert np.mean(errors[100]) < 0.025


def test_a_late_update_of_a_paced_simulation_shortens_what_is_left() -> None:
    rng = np.random.default_rng(2)
    late = 0.0002 * rng.random(100)
    late[-1] = 0.005
    paced, free = SpeedEstimate(), SpeedEstimate()
    wandering = np.cumsum(rng.lognormal(0.0, 0.5, 100)) * 0.001
    for frame in range(100):
        paced.update(0.001 * frame, 0.001 * frame + float(late[frame]))
        free.update(0.001 * frame, float(wandering[frame]))
    assert paced.duration(0.02) == pytest.approx(0.0151, abs=0.0015)
    assert free.duration(0.02) == 0.02 / free.speed


def test_sleep_and_interval_timers_are_in_simulated_time() -> None:
    with Simulation() as simulation, LocalRobot(simulation, simulation.spawn(cart())) as robot:
        robot.next_frame()
        clock = robot.clock
        frame = clock.sleep(0.05)
        assert frame is not None and frame.time == clock.time == simulation.time == pytest.approx(0.05)
        seen = []
        for look in clock.every(0.02):
            seen.append(round(1000 * look.time))
            if len(seen) == 3:
                clock.sleep(0.05)  # two intervals pass meanwhile
            if len(seen) == 6:
                break
        assert seen == [51, 70, 90, 141, 150, 170]
        assert clock.now() >= clock.time and clock.estimate.speed > 0.0 and clock.real(0.1) < math.inf


def test_timers_go_on_when_time_is_set_back() -> None:
    with Simulation() as simulation, LocalRobot(simulation, simulation.spawn(cart())) as robot:
        times = []
        for look in robot.clock.every(0.01):
            times.append(round(1000 * look.time))
            if len(times) == 4:
                simulation.reset()
            if len(times) == 6:
                break
        assert times == [0, 10, 20, 30, 0, 10]


def test_a_sleep_ends_with_the_frames() -> None:
    clock = ProgramClock[Any](lambda: None, 0.001)
    assert clock.sleep(1.0) is None


def test_no_average_over_nothing() -> None:
    with pytest.raises(ValueError, match="over one update at least"):
        SpeedEstimate(0)


def test_over_tcp_too() -> None:
    serving = Serving(Simulation(), 200, clients=1)
    with connect(cart(), port=serving.port) as robot:
        robot.next_frame()
        frame = robot.clock.sleep(0.05)
        assert frame is not None and frame.time == robot.clock.time == pytest.approx(0.05)
        assert robot.next_frame() is not None and robot.clock.time == pytest.approx(0.051)
        for _ in robot.clock.every(0.02):
            pass
    assert serving.result().frame == 200


def test_frames_that_a_busy_machine_delivers_late_do_not_spoil_predictions() -> None:
    """Paced by a clock, 0.1 ms of jitter; every 40th frame, and one row of them, comes up to 20 ms late."""
    rng, step, interval = np.random.default_rng(3), 0.002, 0.05
    late = rng.exponential(1e-4, 700)
    late[::40] += 0.02
    late[320:330] += 0.02 - step * np.arange(10)
    walls, count = step * np.arange(700) + late, round(interval / step)
    estimate, errors = SpeedEstimate(), []
    for frame, wall in enumerate(walls[:-count]):
        estimate.update(step * frame, float(wall))
        if frame > 200:
            errors.append(abs(estimate.duration(interval) - (walls[frame + count] - wall)) / interval)
    assert np.median(errors) < 0.002
    ends_in_time = late[201 + count :] < 0.001  # that others end late cannot be known
    assert np.max(np.array(errors)[ends_in_time]) < 0.02
