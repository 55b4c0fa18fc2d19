"""How two runs go apart, as a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ubersim.comparison.divergence import Divergence
from ubersim.comparison.growth import Growth
from ubersim.plotting import new_figure

_SMALLEST = 1e-16


def plot(found: Growth, divergence: Divergence, picture: Path) -> None:
    """Distance and angle of every body over time, on logarithmic scales."""
    figure = new_figure(9, 6)
    places = figure.subplots(2, sharex=True)
    for place, measured, label in zip(
        places, (found.distances, found.angles), ("distance [m]", "angle [rad]"), strict=True
    ):
        for (robot, body), values in measured.items():
            shown = np.where(values > _SMALLEST, values, np.nan)
            place.semilogy(found.times, shown, linewidth=0.9, label=f"{robot}/{body}" if robot else body)
        place.axvline(divergence.time, color="black", linestyle="--", linewidth=0.8)
        place.set_ylabel(label)
        place.grid(alpha=0.3)
    if 0 < len(found.distances) <= 20:
        places[0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small")
    places[0].set_title(f"{divergence.cause} in frame {divergence.frame} ({divergence.time:g} s)", fontsize="medium")
    places[-1].set_xlabel("time [s]")
    figure.savefig(picture, dpi=110)
