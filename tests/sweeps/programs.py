"""Programs and metrics for sweeps in tests; some of them fail, each in its own way."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterator
from typing import Any


def drive(robot: Any, speed: float = 1.0) -> Iterator[float]:
    """Both wheels at one speed."""
    while True:
        robot.command("LMotor", "Vel", speed)
        robot.command("RMotor", "Vel", speed)
        yield 0.05


def fails(robot: Any, how: str) -> Iterator[float]:
    """Fails after a while."""
    yield 0.05
    if how == "raises":
        raise ValueError("on purpose")
    if how == "crashes":
        ctypes.string_at(0)
    if how == "hangs":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(1000)
    if how == "exits":
        os._exit(7)
    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "prints":
        print("what programs print must not get in between")
    yield 0.05


def slow(robot: Any, number: int) -> Iterator[float]:
    """Takes a little of real time, so that a sweep can be interrupted."""
    time.sleep(0.05)
    robot.command("LMotor", "Vel", float(number))
    yield 0.05


def far(run: Any) -> dict[str, float]:
    """Two numbers at once."""
    return {"x": float(run.positions[-1, 0]), "y": float(run.positions[-1, 1])}
