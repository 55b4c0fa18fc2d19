"""The last second in words and numbers, for the messages of failed assertions."""

from __future__ import annotations

from collections.abc import Callable

from ubersim.testing.history import History, Moment

SECONDS = 1.0
ROWS = 11

_COLUMNS: dict[str, Callable[[Moment], float]] = {
    "x [m]": lambda moment: float(moment.position[0]),
    "y [m]": lambda moment: float(moment.position[1]),
    "z [m]": lambda moment: float(moment.position[2]),
    "tilt [°]": lambda moment: moment.tilt,
    "heading [°]": lambda moment: moment.heading,
    "speed [m/s]": lambda moment: moment.speed,
}


def motion_account(body: str, history: History) -> str:
    """A table of what a body did in the last second."""
    moments = history.of(body, SECONDS)
    if not moments:
        return f"{body} was never seen"
    lines = [f"{body} over the last second:", "  time [s]" + "".join(f"{name:>12}" for name in _COLUMNS)]
    for moment in _thinned(moments):
        lines.append(f"{moment.time:10.3f}" + "".join(f"{value(moment):12.4f}" for value in _COLUMNS.values()))
    return "\n".join(lines)


def contact_account(pair: tuple[str, str], history: History) -> str:
    """When two bodies touched in the last second, and what else each of them touched, but for the world."""
    samples = history.contacts(SECONDS)
    marks = "".join("#" if pair in pairs else "." for _, pairs in samples)
    touching = {two for _, pairs in samples for two in pairs}
    also = []
    for body in pair:
        if body != "World":
            met = sorted({name for two in touching if body in two for name in two} - set(pair))
            also.append(f"{body} touched {', '.join(met) or 'nothing'} besides")
    return (
        f"contacts over the last second, {samples[0][0]:.3f} to {samples[-1][0]:.3f} s, every 10 ms:\n"
        f"  {marks}\n  (# they touched; {'; '.join(also)})"
    )


def _thinned(moments: list[Moment]) -> list[Moment]:
    """Evenly spread, the last one included."""
    if len(moments) <= ROWS:
        return moments
    return [moments[round(row * (len(moments) - 1) / (ROWS - 1))] for row in range(ROWS)]
