"""Where the time of a frame goes: into what was measured alone, and the rest of it."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.performance.measuring import Measured


@dataclass(frozen=True)
class Parts:
    """A frame; what is left of it is the server's own, and waiting."""

    what: str
    total: float
    physics: float
    wire: float
    """Sockets, or the round trip of a strict frame."""

    @property
    def rest(self) -> float:
        """Of the whole; where a part was slower alone than inside, nothing is left."""
        return max(0.0, self.total - self.physics - self.wire)


def measured(found: Measured) -> bool:
    """Whether these results have what it takes."""
    return {"physics of 1", "sockets of 1", "sockets of 100"} <= found.keys()


def parts(found: Measured) -> list[Parts]:
    """Of the frames of the bars."""
    one, hundred, servos = (found[f"physics of {what}"] for what in ("1", "100", "20 servos"))
    trip, wire = found["ping-pong, looking"], found["sockets of 1"]
    return [
        Parts("strict, C client", found["strict, C"], one, trip),
        Parts("the same, Python lane", found["strict, C, python lane"], one, trip),
        Parts("20 ms latency, C client", found["20 ms, C"], one, wire),
        Parts("the same, Python lane", found["20 ms, C, python lane"], one, wire),
        Parts("20 servos, 20 joint sensors", found["20 servos"], servos, wire),
        Parts("100 C clients", found["100 C clients"], hundred, found["sockets of 100"]),
    ]
