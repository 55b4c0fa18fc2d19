"""Latencies are found again from what a program logs; logs that say nothing are told apart from those that do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.command_line import ubersim
from tests.helpers.spun_wheel import STEP, Wheel, spin
from tests.identification.proof import misses
from ubersim.description import read_robot
from ubersim.errors import UberSimError
from ubersim.identification import identify
from ubersim.identification.distribution import Fit
from ubersim.identification.flaws import drift_of
from ubersim.identification.responses import _onset, response_delays
from ubersim.identification.samples import DelaySamples
from ubersim.recording import Recorder
from ubersim.signals import Signal, open_signals
from ubersim.simulation import Simulation
from ubersim.timing.latency import Constant
from ubersim.timing.normal import Normal
from ubersim.timing.uniform import Uniform


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """100 changes, 20 ms there and 7 ms back, stamped."""
    wheel = Wheel(Constant(20.0), Constant(7.0), stamped=True, noise=0.02)
    return spin(wheel, tmp_path_factory.mktemp("log") / "log.csv", changes=100, hold=0.06)


def signals(path: Path) -> tuple[Signal, Signal]:
    source = open_signals(path)
    return source.signal("command"), source.signal("rate")


@pytest.mark.parametrize("number", [0, 1])
def test_random_cases(number: int) -> None:
    """The same as the proof, with fewer changes: then sigma is known to 8 %, and mean and loss need no more."""
    for off in misses(number, changes=400).values():
        assert abs(off.mean) <= 1.0 and abs(off.loss) < 0.025
        assert np.isnan(off.relative_sigma) or abs(off.relative_sigma) < 0.11


def test_both_ways_apart(log: Path) -> None:
    found = {delay.stage: delay for delay in identify(*signals(log)).delays}
    assert set(found) == {"sensing", "actuation"}
    assert found["actuation"].element() == "<Latency>20</Latency>"
    assert found["sensing"].element() == "<Latency>7</Latency>"
    low, high = found["actuation"].fit.intervals["Value"]
    assert low <= 0.02 <= high + 1e-9 and high - low <= STEP + 1e-9


def test_a_program_as_slow_as_its_sensor(tmp_path: Path) -> None:
    """Commands and captures lie on a raster of 4 ms; by when readings come a frame is still 1 ms."""
    wheel = Wheel(Normal(30.0, 5.0, 15.0), Uniform(4.0, 12.0), stamped=True, frequency=250.0)
    path = spin(wheel, tmp_path / "log.csv", changes=300, hold=0.12, raster=4)
    found = {delay.stage: delay for delay in identify(*signals(path)).delays}
    assert 1000 * found["actuation"].fit.mean == pytest.approx(30.0, abs=1.0)


def test_without_stamps_it_is_the_sum(log: Path) -> None:
    command, rate = signals(log)
    (delay,) = identify(command, replace(rate, stamps=None)).delays
    assert delay.stage == "both" and delay.element() == "<Latency>27</Latency>"


def test_what_it_prints_can_be_pasted(tmp_path: Path) -> None:
    wheel = Wheel(Normal(30.0, 5.0, 0.0, loss=0.05))
    (delay,) = identify(*signals(spin(wheel, tmp_path / "log.csv", changes=200, hold=0.09))).delays
    document = wheel.document()
    begin, end = document.index("<Latency"), document.index("</Latency>") + len("</Latency>")
    pasted = read_robot(document[:begin] + delay.element() + document[end:]).settings.latency
    assert isinstance(pasted, Normal) and pasted.mean == pytest.approx(30.0, rel=0.05)
    assert pasted.loss == pytest.approx(0.05, abs=0.04) and pasted.min <= pasted.mean


def test_a_slow_response(tmp_path: Path) -> None:
    """A weak motor: the wheel needs many samples from one speed to the next."""
    wheel = Wheel(Constant(25.0), torque=0.6)
    (delay,) = identify(*signals(spin(wheel, tmp_path / "log.csv", changes=60, hold=0.3))).delays
    assert 1000 * delay.fit.mean == pytest.approx(25.0, abs=1.0)


def test_a_stream_of_commands_gives_the_common_delay(tmp_path: Path) -> None:
    """Commands that never rest: no single response can be told from the others."""
    wheel = Wheel(Constant(25.0), torque=0.6)
    found = identify(*signals(spin(wheel, tmp_path / "log.csv", changes=600, hold=0.01)))
    assert found.delays[0].loss is None and 1000 * found.total == pytest.approx(25.0, abs=1.0)
    assert any("jitter" in remark for remark in found.remarks)


def silent(command: Signal, rate: Signal) -> tuple[Signal, Signal]:
    return replace(command, values=np.ones(len(command))), rate


def drifting(command: Signal, rate: Signal) -> tuple[Signal, Signal]:
    assert rate.stamps is not None
    return command, replace(rate, stamps=None, times=rate.times * 1.001)


def drifting_stamps(command: Signal, rate: Signal) -> tuple[Signal, Signal]:
    assert rate.stamps is not None
    return command, replace(rate, stamps=rate.stamps * 0.999)


def holed(command: Signal, rate: Signal) -> tuple[Signal, Signal]:
    assert rate.stamps is not None
    kept = (rate.times < 1.0) | (rate.times > 3.0)
    return command, Signal(rate.name, rate.times[kept], rate.values[kept], rate.stamps[kept])


def ahead(command: Signal, rate: Signal) -> tuple[Signal, Signal]:
    return command.shifted(0.035), replace(rate, stamps=None)


def unrelated(command: Signal, rate: Signal) -> tuple[Signal, Signal]:
    noise = np.random.default_rng(0).normal(size=len(rate))
    return command, replace(rate, values=noise, stamps=None)


def stuck(command: Signal, rate: Signal) -> tuple[Signal, Signal]:
    return command, replace(rate, values=np.zeros(len(rate)))


def apart(command: Signal, rate: Signal) -> tuple[Signal, Signal]:
    return command.shifted(1e6), rate


def timeless(command: Signal, rate: Signal) -> tuple[Signal, Signal]:
    return command, replace(rate, times=rate.times * 1e-300, stamps=None)


def huge(command: Signal, rate: Signal) -> tuple[Signal, Signal]:
    return command, replace(rate, values=rate.values * 1e200)


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (silent, "no excitation"),
        (drifting, "clock drift"),
        (drifting_stamps, "clock drift"),
        (holed, "missing samples"),
        (ahead, "clock offset"),
        (unrelated, "does not follow"),
        (stuck, "no response"),
        (apart, "do not overlap"),
        (timeless, "samples of 1 instants"),
        (huge, "nothing can be computed"),
    ],
)
def test_what_is_wrong_is_named(
    log: Path, spoil: Callable[[Signal, Signal], tuple[Signal, Signal]], named: str
) -> None:
    with pytest.raises(UberSimError, match=named):
        identify(*spoil(*signals(log)))


def test_a_short_gap_is_a_remark(log: Path) -> None:
    command, rate = signals(log)
    assert rate.stamps is not None
    kept = (rate.times < 1.0) | (rate.times > 1.2)
    found = identify(command, Signal(rate.name, rate.times[kept], rate.values[kept], rate.stamps[kept]))
    assert found.remarks == ["missing samples: rate has 1 gaps, the longest 0.2 s"]
    assert found.delays[1].element() == "<Latency>20</Latency>"


def test_our_own_logs_have_sensing_alone(tmp_path: Path) -> None:
    """They note commands when these are executed."""
    with Simulation(step=STEP) as simulation:
        robot = simulation.spawn(Wheel(Constant(20.0), Constant(7.0)).document(), position=(0.0, 0.0, 0.0))
        with Recorder(simulation, tmp_path / "run.mcap"):
            for number in range(40):
                robot.command("Motor", "Vel", (-1.0) ** number * (number % 3 + 2))
                simulation.step(60)
    source = open_signals(tmp_path / "run.mcap")
    found = identify(source.signal("/Wheel/Motor/Vel"), source.signal("/Wheel/Meter.rate"), sent=source.sent)
    (delay,) = found.delays
    assert delay.stage == "sensing" and delay.element() == "<Latency>7</Latency>"


def test_the_command_line(log: Path, tmp_path: Path) -> None:
    words = ["identify", log, "--command", "command", "--response", "rate"]
    done = ubersim(*words, "--plot", tmp_path / "p.png")
    assert (done.returncode, done.stderr) == (0, "")
    assert "<Latency>20</Latency>   in <CSettings>" in done.stdout
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_commands_noted_when_executed_say_nothing_of_actuation(log: Path) -> None:
    found = identify(*signals(log), sent=False)
    assert [delay.stage for delay in found.delays] == ["sensing"]
    assert "note: the log notes commands when they were executed: actuation is not in it" in str(found)


def test_few_changes_have_no_delays_one_by_one(log: Path) -> None:
    command, rate = signals(log)
    few = replace(command, times=command.times[:10], values=command.values[:10])
    assert response_delays(few, rate) is None


def test_a_uniform_fit_has_the_moments_of_its_ends() -> None:
    found = Fit("uniform", {"Min": 0.002, "Max": 0.008}, {}, 0.002)
    assert (found.mean, found.sigma) == pytest.approx((0.005, 0.006 / 12**0.5))


def test_few_delays_do_not_drift() -> None:
    few = np.arange(10.0)
    assert drift_of(DelaySamples(few, few, few, 0.001, 10, 0), "responses") == ""


def test_a_response_that_was_under_way_before_has_no_onset() -> None:
    assert _onset(np.arange(4.0), np.array([0.2, 0.25, 0.3, 0.9])) is None
    assert _onset(np.arange(4.0), np.array([0.0, 0.0, 1.0, 1.0])) == (1.0, 2.0, 0.0)
