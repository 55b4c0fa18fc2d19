"""A delay that was found, and what to write into a robot's document for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ubersim.identification.distribution import Fit

Stage = Literal["actuation", "sensing", "both"]
"""From the program to the robot, from the robot to the program, or their sum, which is all that can be told."""

_PLACES = {
    "actuation": "in <CSettings>",
    "sensing": "in the sensor's element",
    "both": "in <CSettings>, or shared out between it and the sensor: the log cannot tell",
}


@dataclass(frozen=True)
class Delay:
    """Of one way, or of both together."""

    stage: Stage
    fit: Fit
    count: int
    """Delays that it was found from."""
    loss: float | None
    """The part that never arrived; None: that cannot be told."""
    loss_interval: tuple[float, float] = (0.0, 1.0)
    """95 % confidence."""

    def element(self) -> str:
        """What to paste into a document, in milliseconds."""
        found, lost = self.fit.parameters, self.loss or 0.0
        loss = f"<Loss>{lost:.4g}</Loss>" if lost >= 0.0005 else ""
        values = {name: max(0.0, 1000 * value) for name, value in found.items()}
        if self.fit.model == "constant" and not loss:
            return f"<Latency>{values['Value']:.4g}</Latency>"
        if self.fit.model == "normal":
            values["Min"] = min(1000 * self.fit.floor, values["Mean"])
        inside = "".join(f"<{name}>{value:.4g}</{name}>" for name, value in values.items())
        return f'<Latency model="{self.fit.model}">{inside}{loss}</Latency>'

    def __str__(self) -> str:
        stage = "actuation and sensing together" if self.stage == "both" else self.stage
        parts = []
        for name, value in self.fit.parameters.items():
            low, high = self.fit.intervals[name]
            parts.append(f"{name} {1000 * value:.2f} ms ({1000 * low:.2f} to {1000 * high:.2f})")
        if self.loss is not None:
            low, high = self.loss_interval
            parts.append(f"loss {100 * self.loss:.2f} % ({100 * low:.2f} to {100 * high:.2f})")
        text = f"{stage}: {self.fit.model}, {', '.join(parts)}, from {self.count} delays"
        return f"{text}\n    {self.element()}   {_PLACES[self.stage]}"


def wilson(hits: int, count: int) -> tuple[float, float]:
    """95 % confidence of a share, also if it is 0 or 1."""
    z = 1.96
    share, denominator = hits / count, 1 + z**2 / count
    middle = (share + z**2 / (2 * count)) / denominator
    half = z * (share * (1 - share) / count + z**2 / (4 * count**2)) ** 0.5 / denominator
    return max(0.0, middle - half), min(1.0, middle + half)
