"""A log of another clock and with noise against one of ours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.helpers.command_line import ubersim
from tests.helpers.recording_robots import record
from ubersim.comparison.error_table import compare_aligned
from ubersim.errors import UberSimError
from ubersim.signals import open_signals


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A simulated log, and a CSV file with its height and speed as a tracker saw them: 20 s later, noisy, biased."""
    folder = tmp_path_factory.mktemp("logs")
    record(folder / "run.mcap", folder, 2500)
    source = open_signals(folder / "run.mcap")
    x, y = source.signal("/One/Chassis/pose.x"), source.signal("/One/Chassis/pose.y")
    rng = np.random.default_rng(0)
    times = np.arange(0.2, 2.3, 0.007)
    lines = ["time,x,y"]
    for time in times.tolist():
        noise = rng.normal(0.0, 0.002, 2)
        here = np.array([np.interp(time, x.times, x.values) + 0.01, np.interp(time, y.times, y.values)]) + noise
        lines.append(f"{time + 20.0!r},{here[0]!r},{here[1]!r}".replace("np.float64(", "").replace(")", ""))
    (folder / "real.csv").write_text("\n".join(lines) + "\n")
    return folder / "real.csv", folder / "run.mcap"


def test_one_shift_then_errors(logs: tuple[Path, Path]) -> None:
    real, simulated = map(open_signals, logs)
    found = compare_aligned(real, simulated, {"x": "/One/Chassis/pose.x", "y": "/One/Chassis/pose.y"})
    assert found.shift == pytest.approx(20.0, abs=0.005)
    x, y = found.topics
    assert x.bias == pytest.approx(-0.01, abs=0.002) and y.rms < 0.02
    assert min(x.correlation, y.correlation) > 0.99


def test_the_command_line(logs: tuple[Path, Path]) -> None:
    done = ubersim("diff", *logs, "--topic", "x=/One/Chassis/pose.x")
    assert done.returncode == 1 and done.stderr == ""
    assert done.stdout.startswith("the second log is shifted by +") and "correlation" in done.stdout


def test_what_cannot_be_compared(logs: tuple[Path, Path]) -> None:
    real, simulated = map(open_signals, logs)
    with pytest.raises(UberSimError, match="say what belongs together"):
        compare_aligned(real, simulated, {})
    with pytest.raises(UberSimError, match="there is no 'z'"):
        compare_aligned(real, simulated, {"z": "/One/Chassis/pose.z"})
