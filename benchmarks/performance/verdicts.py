"""What the project demands of itself, and whether it keeps to it."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.performance.measuring import Measured


@dataclass(frozen=True)
class Bar:
    """A figure against its limit, which was measured beside it."""

    what: str
    figure: float
    limit: float
    made_of: str
    most: float
    """Times the limit."""

    @property
    def ratio(self) -> float:
        """How many times the limit it is."""
        return self.figure / self.limit

    @property
    def kept(self) -> bool:
        """Whether that is allowed."""
        return self.ratio <= self.most


def bars(found: Measured) -> list[Bar]:
    """All of them."""
    ode, work = found["bare ODE"], found["work of the plain client"]
    asleep = ode + found["ping-pong, asleep"] + work
    sleeping = "bare ODE + sleeping ping-pong + the client's own work"
    pinned = found["strict, plain Python, one core"]
    real_time = 1000.0
    return [
        Bar(
            "strict, C client",
            found["strict, C"],
            ode + found["ping-pong, looking"],
            "bare ODE + polling ping-pong",
            1.4,
        ),
        Bar("strict, plain Python client", found["strict, plain Python"], asleep, sleeping, 1.5),
        Bar("the same, all on one core", pinned, asleep, sleeping, 1.5),
        Bar("20 ms latency, C client", found["20 ms, C"], ode, "bare ODE", 1.7),
        Bar("20 ms latency, plain Python client", found["20 ms, plain Python"], ode, "bare ODE", 3.0),
        Bar("100 C clients", found["100 C clients"], found["physics of 100"], "the physics alone", 1.5),
        Bar("20 servos, 20 joint sensors", found["20 servos"], found["physics of 20 servos"], "the physics alone", 1.5),
        Bar("the Segway at 40 times real time", found["Segway, C"], real_time, "a simulated millisecond", 1 / 40),
    ]
