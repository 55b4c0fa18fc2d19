"""Programs take time to think, and the world goes on meanwhile. Says from when commands count, and when the program
looks again; in whole frames, without a clock."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from ubersim.timing.latency import LONGEST_MS, Constant, LatencyModel, frames_in
from ubersim.timing.periodic import first_due


@dataclass(frozen=True)
class Measured:
    """A program's think time is what it takes by the clock on the wall, times a factor."""

    factor: float = 1.0
    """Above 1 for a robot whose computer is slower than this one."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.factor < math.inf:
            raise ValueError(f"the factor on measured think time must be a number from 0, not {self.factor}")


Think = float | LatencyModel | Measured | Literal["measured"]
"""How long a program thinks: milliseconds, a model that draws them, or what it takes on this machine."""


def think_model(think: Think) -> LatencyModel | Measured:
    """What a program's `think` means; refuses what makes no sense, with a ValueError."""
    if think == "measured":
        return Measured()
    if isinstance(think, int | float):
        return Constant(float(think))
    if isinstance(think, LatencyModel | Measured):
        if isinstance(think, LatencyModel) and think.loss > 0.0:
            raise ValueError("a think time has no loss: a program that looks always comes to an end")
        return think
    raise ValueError(f"think is a number of milliseconds, a latency model, Measured() or 'measured', not {think!r}")


class ThinkTime:
    """One program's looks. It looks at a frame, thinks, and what it commands counts from when it has thought.

    While it thinks it sees nothing. Then it looks again, at once or at the next instant of its frequency. With
    `overlap` it looks at every such instant and thinks about several at once, as where a network runs beside it.
    """

    def __init__(
        self,
        think: Think,
        step: float,
        *,
        hz: float | None = None,
        overlap: bool = False,
        name: str = "",
        seed: int = 0,
        first_frame: int = 0,
    ) -> None:
        """`hz` is how often it looks, at most; `seed` and `name` are whose draws these are, if the model draws."""
        if hz is not None and not 0.0 < hz < math.inf:
            raise ValueError(f"a program looks at a frequency above 0 Hz, not {hz}")
        self.model = think_model(think)
        self._step, self._hz, self._overlap = step, hz, overlap
        rng_of = Constant() if isinstance(self.model, Measured) else self.model
        self._rng = rng_of.generator(seed, name, "think")
        self._memory: dict[str, Any] = {}
        self._latest = 0
        self.begin(first_frame)

    @property
    def measured(self) -> bool:
        """Whether `decide` has to be told how long it took."""
        return isinstance(self.model, Measured)

    def begin(self, frame: int) -> None:
        """The program's time begins at this frame, for the first time or because the world's was set back."""
        self.looked = frame - 1
        """The frame that it looked at last, or the one before its first."""
        self.next_look = first_due(frame, self._hz, self._step)
        """The next frame that it looks at; those between the two pass unseen."""
        self._latest = frame

    def look(self, frame: int) -> bool:
        """Whether the program looks at this frame. If time has been set back, it does."""
        if self.looked < frame < self.next_look:
            return False
        if frame <= self.looked:
            self.begin(frame)
        self.looked = self.next_look = frame
        return True

    def decide(self, seconds: float = 0.0) -> int:
        """The program has thought about what it saw, on this machine for so long; from which frame its commands count.

        What it commands never overtakes what it commanded before.
        """
        model = self.model
        if isinstance(model, Measured):
            milliseconds = 1000.0 * model.factor * seconds
        else:
            milliseconds = max(model.minimum, model.draw(self._rng, self._memory))
        thought = self.looked + frames_in(min(milliseconds, LONGEST_MS), self._step)
        self._latest = max(self._latest, thought)
        free = self.looked + 1 if self._overlap else max(self.looked + 1, thought)
        self.next_look = first_due(free, self._hz, self._step)
        return self._latest
