"""What a line of figures says, in words."""

from __future__ import annotations

import math

from benchmarks.fidelity.task import Quantity

NAMES = {"ubersim": "ÜberSim", "mujoco": "MuJoCo", "bullet": "PyBullet"}
ALIKE = 1.1
"""Errors within this factor of each other count as equal."""
NEGLIGIBLE = 0.01
"""And those below this share of the bar."""


def verdict(quantity: Quantity, figures: dict[str, float | str | None]) -> str:
    """Whether ÜberSim keeps its bar, who is nearer to the truth, and how that compares with ODE's own figure."""
    own = figures.get("ubersim")
    if not isinstance(own, float | int):
        return "not measured" if own is None else str(own)
    error = quantity.error(own)
    said = []
    if quantity.bar is not None:
        said.append("keeps its bar" if error <= quantity.bar else "**misses its bar**")
    others = {
        name: quantity.error(figure)
        for name, figure in figures.items()
        if name != "ubersim" and isinstance(figure, float | int)
    }
    nearer = [NAMES[name] for name, other in others.items() if _nearer(quantity, other, error)]
    if nearer:
        said.append(f"{' and '.join(nearer)} {'is' if len(nearer) == 1 else 'are'} nearer")
    elif others:
        beaten = [name for name, other in others.items() if _nearer(quantity, error, other)]
        said.append("nearest of all" if len(beaten) == len(others) else "nobody is nearer")
    if quantity.published is not None:
        said.append("better than ODE" if error < quantity.published else "worse than ODE")
    return ", ".join(said)


def _nearer(quantity: Quantity, one: float, other: float) -> bool:
    if not math.isfinite(other):
        return math.isfinite(one)
    if quantity.bar is not None and max(one, other) <= NEGLIGIBLE * quantity.bar:
        return False
    return one * ALIKE < other
