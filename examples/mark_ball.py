#!/usr/bin/env python3
"""An AIBO marks the ball in the pictures of its camera: the live page shows it, and so do films of the log.

    ubersim serve --world legged_4x3 --rate 1 --view --record run.mcap    # in one terminal; opens the page
    python examples/mark_ball.py                            # in another; then choose Aibo's sensor Camera in the tree
    ubersim film run.mcap --follow Aibo --inset Aibo/Camera # afterwards

A drawing whose space is a camera is in the pixels of its pictures: columns from the left edge, rows from the top edge.
The newest of a name replaces the one before.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ubersim
from ubersim.protocol.frames import Frame

LEAST = 8
"""Orange pixels that make a ball."""


def ball_in(picture: NDArray[np.uint8]) -> tuple[float, float, float, float] | None:
    """The box around what is orange in a BGRA picture: left, top, right, bottom edge [px]; None: nothing is."""
    blue, green, red = (picture[..., channel].astype(int) for channel in range(3))
    rows, columns = np.nonzero((red > 90) & (red > 1.6 * green) & (green > 1.2 * blue))
    if len(rows) < LEAST:
        return None
    return float(columns.min()), float(rows.min()), float(columns.max()) + 1, float(rows.max()) + 1


def marks(box: tuple[float, float, float, float] | None) -> dict[str, Any]:
    """A frame around the ball, its middle, and how large it is; an empty drawing takes the last one away."""
    if box is None:
        return {}
    left, top, right, bottom = box
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    lines = [[corners[i - 1], corners[i]] for i in range(4)]
    middle = (left + right) / 2, (top + bottom) / 2
    text = {"text": f"ball, {right - left:.0f} px", "at": (left, top - 3)}
    return {"lines": lines, "points": [middle], "color": (0.0, 1.0, 0.3), "width": 2, **text}


def look(robot: Any, frame: Frame) -> None:
    """Marks the ball in each picture as it comes."""
    if "Camera" in frame:
        robot.log("ball", marks(ball_in(np.asarray(frame["Camera"], dtype=np.uint8))), space="Camera")


def main() -> None:
    """Stays until the server ends."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9040)
    asked = parser.parse_args()
    with ubersim.connect("aibo", asked.host, asked.port, protocol=2, position=(0.15, -1.1, 0.0)) as robot:
        for frame in robot:
            look(robot, frame)


if __name__ == "__main__":
    main()
