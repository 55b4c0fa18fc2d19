"""The Segway's whole program, for runs in process: it reads the tilt, and tells both motors the speed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from ubersim.control.balancer import KD, KP, PERIOD, Balancer


class DrivenRobot(Protocol):
    """What a program needs of its robot."""

    def read(self, sensor: str) -> Any:
        """The newest reading; None before the first."""

    def set(self, component: str, name: str, value: float) -> None:
        """Sets a property."""


def balance(robot: DrivenRobot, kp: float = KP, kd: float = KD) -> Iterator[float]:
    """Keeps it upright; yields how long it waits [s]."""
    balancer = Balancer(kp, kd)
    while True:
        tilt = robot.read("Tilt")
        if tilt is not None:
            speed = balancer.update(float(tilt))
            robot.set("LMotor", "Vel", speed)
            robot.set("RMotor", "Vel", speed)
        yield PERIOD
