"""Drives the Segway: it is balanced meanwhile."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ubersim.control.balancer import PERIOD, WHEEL_RADIUS, Balancer
from ubersim.driving.pilot import Pilot, SteeredRobot, Sticks, WantedTwist

TRACK = 0.54
"""Of the wheels [m]."""
LEAN = 0.12
"""How far it leans per speed that is missing [rad s/m]."""
LEAN_RATE = 0.05
"""How fast it leans farther while speed is missing: against friction, and a balance not quite known [rad/m]."""
STEEPEST = math.radians(4.0)


class BalancePilot(Pilot):
    """Leans it into the speed that is wanted; a difference of the wheels turns it."""

    help = "arrows or wasd: faster, slower, left, right; blank: stop; + -: coarser, finer"

    def __init__(self) -> None:
        self._balancer = Balancer()
        self._wanted = WantedTwist()
        self._trim = 0.0

    def press(self, key: str) -> None:
        self._wanted.press(key)

    def move(self, sticks: Sticks) -> None:
        self._wanted.move(sticks)

    def command(self, robot: SteeredRobot, readings: Mapping[str, Any]) -> None:
        if "Tilt" not in readings:
            return
        missing = self._wanted.speed - self._balancer.speed * WHEEL_RADIUS
        self._trim = _limited(self._trim + LEAN_RATE * missing * PERIOD)
        self._balancer.lean = -_limited(self._trim + LEAN * missing)
        rolling = self._balancer.update(float(readings["Tilt"]))
        apart = self._wanted.turn * TRACK / 2 / WHEEL_RADIUS
        robot.set("LMotor", "Vel", rolling - apart)
        robot.set("RMotor", "Vel", rolling + apart)

    def status(self) -> str:
        going = self._balancer.speed * WHEEL_RADIUS
        return f"speed {self._wanted.speed:+.2f} m/s (wheels {going:+.2f}), turn {self._wanted.turn:+.2f} rad/s"


def _limited(lean: float) -> float:
    return min(STEEPEST, max(-STEEPEST, lean))


def balance_pilot(settings: Mapping[str, Any]) -> BalancePilot | None:
    """For the robot of a welcome; None if it is not built like our Segway."""
    built = {"LMotor", "RMotor"} <= settings.get("joints", {}).keys() and "Tilt" in settings.get("sensors", {})
    return BalancePilot() if built else None
