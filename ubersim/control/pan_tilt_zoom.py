"""A camera on two joints: where it looks, what it looks at, and what it looks for.

head = PanTiltZoom(robot, camera="Eye", pan="PanServo", tilt="TiltServo", joints=("Pan", "Tilt"), at=(0.0, 0.1, 0.4))
head.look_at((0.5, 2.0, 0.1))               # a point seen from the robot
head.zoom(math.radians(20))
for frame in robot:
    found = head.search("Ball")             # sweeps until it is in sight, then follows it
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ubersim.control.program import ProgramRobot
from ubersim.errors import UberSimError
from ubersim.protocol.frames import Value
from ubersim.protocol.suggestion import suggestion

_COLUMNS = 5
"""Of a row about something in sight."""
_REMEMBERED = 1000
"""Frames whose angles are known when a reading comes late."""


@dataclass(frozen=True)
class Sighting:
    """Something that the camera sees, from where the robot stands: its model's axes."""

    name: str
    bearing: float
    """To the left of straight ahead [rad]."""
    elevation: float
    """Above the horizontal [rad]."""
    distance: float
    """From the camera [m]."""


class PanTiltZoom:
    """Angles are to the left and up [rad]; points are in the robot's model axes, x to the right, y ahead, z up [m].

    It needs a servo for each joint (`Target`), whose axes are +z (pan) and +x (tilt) of the head's body, joints that
    report where they are, and for what is in sight a camera on the level `objects`.
    """

    def __init__(
        self,
        robot: ProgramRobot,
        *,
        camera: str,
        pan: str,
        tilt: str,
        joints: tuple[str, str],
        at: Sequence[float] = (0.0, 0.0, 0.0),
        limits: tuple[float, float] = (-math.pi / 2, math.pi / 2),
        tilt_limits: tuple[float, float] = (-math.pi / 4, math.pi / 4),
        sweep: float = 1.0,
    ) -> None:
        """`pan` and `tilt` are the servos, `joints` what tells their angles: a joint's `Report`, or a `JointSensor`.

        `at` is where both axes meet, in the robot's model space [m]; `sweep`, how fast it searches [rad/s].
        """
        self._robot, self._camera, self._servos, self._joints = robot, camera, (pan, tilt), joints
        self._at, self._sweep = tuple(map(float, at)), sweep
        self._limits, self._tilt_limits = limits, tilt_limits
        about: dict[str, Any] = getattr(robot, "settings", {}).get("sensors", {}).get(camera, {})
        self._legend = {int(number): name for number, name in about.get("legend", {}).items()}
        self.pan = self.tilt = 0.0
        """Where it was told to look."""
        self._direction = 1.0
        self._searched_at: float | None = None
        self._angles: deque[tuple[float, float, float]] = deque(maxlen=_REMEMBERED)  # time [s], pan, tilt
        self._reading: Value | None = None
        self._sightings: list[Sighting] = []

    def look(self, pan: float, tilt: float = 0.0) -> None:
        """Turns the camera, as far as its joints allow."""
        self.pan = min(max(pan, self._limits[0]), self._limits[1])
        self.tilt = min(max(tilt, self._tilt_limits[0]), self._tilt_limits[1])
        for servo, angle in zip(self._servos, (self.pan, self.tilt), strict=True):
            self._robot.set(servo, "Target", angle)

    def look_at(self, point: Sequence[float], pose: Sequence[float] | None = None) -> None:
        """Looks at a point; with the robot's `pose` (x, y, heading, as of a `LocalizationSensor`), one of the world."""
        x, y, z = (float(part) for part in point)
        if pose is not None:
            right, ahead, turn = x - float(pose[0]), y - float(pose[1]), float(pose[2])
            x = right * math.cos(turn) + ahead * math.sin(turn)
            y = ahead * math.cos(turn) - right * math.sin(turn)
        x, y, z = x - self._at[0], y - self._at[1], z - self._at[2]
        self.look(math.atan2(-x, y), math.atan2(z, math.hypot(x, y)))

    def zoom(self, fov: float) -> None:
        """Sets the horizontal field of view [rad]."""
        self._robot.set(self._camera, "Fov", fov)

    def in_sight(self) -> list[Sighting]:
        """What the newest reading tells, from where the robot stands."""
        frame, rows = self._robot.frame, self._robot.read(self._camera)
        if frame is None or rows is None:
            return []
        self._angles.append((frame.time, *self._turned()))
        if rows is not self._reading:
            table = np.asarray(rows)
            if table.ndim != 2 or table.shape[1] != _COLUMNS:
                raise UberSimError(f"{self._camera} tells pictures; with <Level>objects</Level> it tells what it sees")
            when = frame.captured.get(self._camera, frame.time)
            _, pan, tilt = min(self._angles, key=lambda known: abs(known[0] - when))
            self._sightings = [self._sighting(row, pan, tilt) for row in table.tolist()]
            self._reading = rows
        return self._sightings

    def _turned(self) -> tuple[float, float]:
        """Where the joints are, or if they have not told yet, where they should be [rad]."""
        readings = [self._robot.read(joint) for joint in self._joints]
        told = [float(np.ravel(np.asarray(reading))[0]) for reading in readings if reading is not None]
        return (told[0], told[1]) if len(told) == len(self._joints) else (self.pan, self.tilt)

    def search(self, name: str) -> Sighting | None:
        """Follows a thing that is in sight; else looks on, from side to side. Once in each frame."""
        if self._legend and name not in self._legend.values():
            raise UberSimError(f"nothing is called {name!r}; {suggestion(name, list(self._legend.values()))}")
        found = next((seen for seen in self.in_sight() if seen.name == name), None)
        now = self._robot.frame.time if self._robot.frame is not None else 0.0
        passed = 0.0 if self._searched_at is None else now - self._searched_at
        self._searched_at = now
        if found is not None:
            self.look(found.bearing, found.elevation)
        elif passed > 0.0:
            pan = self.pan + self._direction * self._sweep * passed
            if not self._limits[0] < pan < self._limits[1]:
                self._direction = -self._direction
            self.look(pan, self.tilt)
        return found

    def _sighting(self, row: list[float], pan: float, tilt: float) -> Sighting:
        """From the camera's axes to the robot's: up by the tilt, then to the left by the pan."""
        number, bearing, elevation, distance, _ = row
        level = math.cos(elevation)
        x, y, z = -math.sin(bearing) * level, math.cos(bearing) * level, math.sin(elevation)
        y, z = y * math.cos(tilt) - z * math.sin(tilt), y * math.sin(tilt) + z * math.cos(tilt)
        x, y = x * math.cos(pan) - y * math.sin(pan), x * math.sin(pan) + y * math.cos(pan)
        name = self._legend.get(round(number), str(round(number)))
        return Sighting(name, math.atan2(-x, y), math.atan2(z, math.hypot(x, y)), distance)
