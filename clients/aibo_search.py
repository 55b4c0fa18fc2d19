#!/usr/bin/env python3
"""Lets the AIBO look for the ball: its head sweeps until the camera sees orange, and then keeps it in the middle.

    ubersim serve --world worlds/legged_4x3.xml   # in one terminal
    python clients/aibo_search.py                 # in another

Its eyes are dark while it searches, and green when it sees the ball. All it goes by are the camera's pictures and the
angles of its neck.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from program import run  # beside this file

import ubersim

FOV = math.radians(57.6)
"""Of the camera, across [rad]."""
SWEEP, SWEEP_TIME = math.radians(85.0), 3.0
"""How far to either side it looks, and how long it takes there and back [s]."""
TILTS = (-0.15, -0.45, -0.75)
"""From one sweep to the next it looks lower [rad]."""
LEAST = 12
"""Orange pixels that make a ball."""
GAIN = 0.5
"""Share of the error that a new target makes good."""


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


def sweep(time: float) -> tuple[float, float]:
    """Where the head looks while it searches: pan to the left, and tilt up [rad]."""
    turns, phase = divmod(time / SWEEP_TIME, 1.0)
    return SWEEP * math.sin(math.tau * phase), TILTS[int(turns) % len(TILTS)]


def search(robot: ubersim.RemoteRobot, frames: Iterator[ubersim.Frame]) -> str:
    """Looks around, and at the ball once it is found."""
    start, found, seen, pictures = None, None, 0, 0
    pan = tilt = 0.0
    angles = {"HeadPanAngle": 0.0, "HeadTiltAngle": 0.0}
    for frame in frames:
        start = frame.time if start is None else start
        for name in angles:
            if name in frame:
                angles[name] = float(np.asarray(frame[name])[0])
        if "Camera" not in frame:
            continue
        pictures += 1
        away = ball_in(np.asarray(frame["Camera"], dtype=np.uint8))
        if away is None:
            found = None if seen == 0 else found
            pan, tilt = sweep(frame.time - start) if found is None else (pan, tilt)
        else:
            seen += 1
            found = frame.time if found is None else found
            pan = angles["HeadPanAngle"] + GAIN * away[0]
            tilt = angles["HeadTiltAngle"] + GAIN * away[1]
        robot.set("HeadPanServo", "Target", min(1.5, max(-1.5, pan)))
        robot.set("HeadTiltServo", "Target", min(0.7, max(-1.4, tilt)))
        for eye in ("EyeL", "EyeR"):
            robot.set(eye, "Green", 0.85 if away is not None else 0.15)
    if found is None:
        return f"saw no ball in {pictures} pictures"
    return f"found the ball after {found - (start or 0.0):.1f} s, and saw it in {seen} of {pictures} pictures; " + (
        f"its head points {math.degrees(angles['HeadPanAngle']):.0f} degrees to the left"
    )


if __name__ == "__main__":
    run("Lets the AIBO look for the ball.", "aibo", search)
