"""The PD controller that keeps the Segway upright: one law for its client, for programs in process, for studies.

The motors take speeds, so the controller's output, an acceleration of the wheels, is summed up to a speed:

    acceleration = KP * (wanted tilt - tilt) - KD * rate of tilt

Tilt is positive nose up. When the robot leans forward, the wheels speed up until they are under its centre of mass
again. The gains were found by experiment, as in the paper. examples/latency_study.py derives that KP has to be above
15 / s^2 to win against gravity, and measures how much latency the loop bears with these gains: 63 ms.
"""

from __future__ import annotations

import math

KP = 200.0
"""Wheel acceleration per tilt [1/s^2]."""
KD = 40.0
"""Wheel acceleration per rate of tilt [1/s]."""
BALANCE = math.radians(4.0)
"""The tilt at which its centre of mass is above the axle; it is heavier in front, so it leans back."""
TOP_SPEED = 14.9
"""Of a wheel [rad/s]: 3.576 m/s."""
WHEEL_RADIUS = 0.24
"""[m]"""
PERIOD = 0.01
"""Between two tilt readings [s]."""


class Balancer:
    """The controller: a tilt reading in, the wheels' speed out."""

    def __init__(self, kp: float = KP, kd: float = KD) -> None:
        self.lean = 0.0
        """Wanted tilt beyond the balance angle [rad]; negative is forward."""
        self.speed = 0.0
        """Of the wheels [rad/s]; positive is forward."""
        self._kp, self._kd = kp, kd
        self._last: float | None = None

    def update(self, tilt: float) -> float:
        """The wheels' speed that answers a tilt reading."""
        rate = 0.0 if self._last is None else (tilt - self._last) / PERIOD
        self._last = tilt
        acceleration = self._kp * (BALANCE + self.lean - tilt) - self._kd * rate
        self.speed = min(TOP_SPEED, max(-TOP_SPEED, self.speed + acceleration * PERIOD))
        return self.speed
