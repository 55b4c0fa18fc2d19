"""The delay of readings, where they say when they were captured."""

from __future__ import annotations

import numpy as np

from ubersim.identification.samples import DelaySamples, grid_of
from ubersim.signals.signal import Signal

GAP = 10
"""A reading that fails to come is a loss; so many in a row are a gap in the log."""


def sensing_delays(response: Signal) -> DelaySamples:
    """From capture to reception, of every reading."""
    assert response.stamps is not None
    order = np.argsort(response.stamps, kind="stable")
    stamps, received = response.stamps[order], response.times[order]
    delays, grid = received - stamps, grid_of(received)
    low = delays - (grid or 1e-6)
    # What comes together with an earlier one may have waited for it, so that its own delay may be anything below.
    waited = np.diff(received, prepend=-np.inf) <= 1e-9
    low = np.where(waited, -np.inf, low)
    missing = np.rint(np.diff(stamps) / response.period).astype(int) - 1 if response.period else np.zeros(0, int)
    lost = int(missing[(missing > 0) & (missing < GAP)].sum())
    return DelaySamples(stamps, low, delays, (grid or 1e-5) / 20, len(delays) + lost, lost)
