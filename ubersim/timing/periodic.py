"""Instants that come with a frequency, on the simulation's clock: sensors sample at them, programs look at them."""

from __future__ import annotations

import math

from ubersim.timing.latency import frame_at


def first_due(frame: int, frequency: float | None, step: float) -> int:
    """The first frame from `frame` on that is the first at or after a multiple of the period; None: every frame is."""
    if frequency is None or frequency * step >= 1.0:
        return frame
    multiple = math.floor((frame - 1) * step * frequency)
    while (due := frame_at(multiple / frequency, step)) < frame:
        multiple += 1
    return due
