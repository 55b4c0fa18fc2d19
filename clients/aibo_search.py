#!/usr/bin/env python3
"""Lets the AIBO look for the ball: its head sweeps until the camera sees orange, follows that, and sweeps
again once it is lost.

    ubersim serve --world worlds/legged_4x3.xml   # in one terminal
    python clients/aibo_search.py                 # in another

Its eyes are dark while it searches, and green while it sees the ball. All it goes by are the camera's pictures and the
angles of its neck.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from program import run  # beside this file

import ubersim

FOV = math.radians(57.6)
"""Of the camera, across [rad]."""
SWEEP, SWEEP_TIME = math.radians(85.0), 4.0
"""How far to either side it looks, and how long it takes there and back [s]."""
TILTS = (-0.1, -0.5, -0.9)
"""From one sweep to the next it looks lower [rad]."""
PATIENCE = 0.3
"""For how long it waits for a ball that is out of sight, before it searches [s]."""
LEAST = 8
"""Orange pixels that make a ball."""
GAIN = 0.6
"""Share of the error that a new target makes good."""
PAN, TILT = (-1.6, 1.6), (-1.45, 0.75)
"""As far as the neck goes [rad]."""
LATE = 5
"""Readings of the neck, every 8 ms, in the 40 ms that a picture is under way."""


def ball_in(picture: NDArray[np.uint8]) -> tuple[float, float] | None:
    """Where a BGRA picture is orange: to the left and up from its middle [rad]; None: nowhere."""
    blue, green, red = (picture[..., channel].astype(int) for channel in range(3))
    orange = (red > 90) & (red > 1.6 * green) & (green > 1.2 * blue)
    rows, columns = np.nonzero(orange)
    if len(rows) < LEAST:
        return None
    height, width = orange.shape
    focal = width / 2 / math.tan(FOV / 2)
    return (
        math.atan((width / 2 - columns.mean()) / focal),
        math.atan((height / 2 - rows.mean()) / focal),
    )


class Gaze:
    """Where the head looks: around, or at the ball."""

    def __init__(self) -> None:
        self.pan = self.tilt = 0.0
        """To the left and up [rad]."""
        self.searching = True
        self._seen = -math.inf
        self._begun: float | None = None
        """Since when it has been searching, as if from straight ahead; None: it has not yet."""
        self._side = 1.0

    def look(self, time: float, away: tuple[float, float] | None, neck: tuple[float, float]) -> None:
        """A picture, taken with the neck turned like this, shows the ball this far from its middle, or nowhere."""
        if away is not None:
            self._seen, self._begun, self.searching = time, None, False
            self.pan = min(PAN[1], max(PAN[0], neck[0] + GAIN * away[0]))
            self.tilt = min(TILT[1], max(TILT[0], neck[1] + GAIN * away[1]))
        elif time - self._seen > PATIENCE:
            self.searching = True
            self._sweep(time)

    def _sweep(self, time: float) -> None:
        """From where the head is, first further to the side where the ball was last seen."""
        if self._begun is None:
            self._side = math.copysign(1.0, self.pan)
            phase = math.asin(min(1.0, abs(self.pan) / SWEEP)) / math.tau
            self._begun = time - phase * SWEEP_TIME
        turns, phase = divmod((time - self._begun) / SWEEP_TIME, 1.0)
        self.pan = self._side * SWEEP * math.sin(math.tau * phase)
        self.tilt = TILTS[int(turns) % len(TILTS)]


def search(robot: ubersim.RemoteRobot, frames: Iterator[ubersim.Frame]) -> str:
    """Looks around, and at the ball whenever it is in sight."""
    gaze, found, seen, pictures = Gaze(), [], 0, 0
    pans: deque[float] = deque([0.0], LATE + 1)
    tilts: deque[float] = deque([0.0], LATE + 1)
    for frame in frames:
        for name, angles in (("HeadPanAngle", pans), ("HeadTiltAngle", tilts)):
            if name in frame:
                angles.append(float(np.asarray(frame[name])[0]))
        if "Camera" not in frame:
            continue
        away, searched = ball_in(np.asarray(frame["Camera"], dtype=np.uint8)), gaze.searching
        gaze.look(frame.time, away, (pans[0], tilts[0]))
        pictures, seen = pictures + 1, seen + (away is not None)
        if searched and not gaze.searching:
            found.append(frame.time)
        robot.set("HeadPanServo", "Target", gaze.pan)
        robot.set("HeadTiltServo", "Target", gaze.tilt)
        for eye in ("EyeL", "EyeR"):
            robot.set(eye, "Green", 0.85 if away is not None else 0.15)
    if not found:
        return f"saw no ball in {pictures} pictures"
    times = ", ".join(f"{time:.1f}" for time in found)
    return f"found the ball at {times} s, and saw it in {seen} of {pictures} pictures; " + (
        f"its head points {math.degrees(pans[-1]):.0f} degrees to the left"
    )


if __name__ == "__main__":
    run("Lets the AIBO look for the ball.", "aibo", search)
