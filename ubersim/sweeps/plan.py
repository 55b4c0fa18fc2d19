"""What is to be run, and what is to be told of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ubersim.errors import UberSimError
from ubersim.sweeps.parameters import Parameter, Value, combinations

WORLD = "world:"
"""Before the path of a number in the world's document, where a parameter names one."""


@dataclass(frozen=True)
class Setup:
    """All that the runs of a plan have in common, as text: it may have to go to another machine."""

    robot: str
    """The robot's document, with its meshes in it."""
    world: str
    """The world's document; empty: the ground that comes along."""
    program: str | tuple[str, ...]
    """`module:function` or the words of a command; `{port}`, `{robot}` and parameters in them are filled in."""
    sources: dict[str, str] = field(default_factory=dict)
    """Python files that `program` and `metrics` name, by their names."""
    metrics: tuple[tuple[str, Any], ...] = (("fell", None),)
    """Names, and what they are told."""
    frames: int = 2000
    step: float | None = None
    """Of the simulation [s]; None: as the world says."""
    cameras: bool = False
    """Whether cameras take pictures; a program that does not look at them has no use for that."""
    folder: str = ""
    """Where commands are run."""
    limit: float = 60.0
    """Real time that a run may take [s]."""


@dataclass(frozen=True)
class RunSpec:
    """One run of a plan."""

    number: int
    parameters: dict[str, Value]
    seed: int
    repetition: int
    setup: Setup


@dataclass(frozen=True)
class SweepPlan:
    """Setup and parameters. The order of the runs, and their numbers, follow from it and from nothing else."""

    setup: Setup
    parameters: dict[str, Parameter]
    repetitions: int = 1
    """Of each combination, with seeds of their own."""
    samples: int = 100
    """Of what is drawn."""
    seed: int = 0
    """From which all others follow, unless `seed` is a parameter."""
    plot: str = ""
    """The metric that is plotted; empty: the first."""
    goal: str = ""
    """The metric that `tune` makes as large as it can; with a minus before it, as small; empty: as `plot`."""

    def runs(self) -> Iterator[RunSpec]:
        """All of them, in order of their numbers."""
        number = 0
        for chosen in combinations(self.parameters, self.samples, self.seed):
            for repetition in range(self.repetitions):
                yield self.run(number, chosen, repetition)
                number += 1

    def run(self, number: int, chosen: dict[str, Value], repetition: int = 0) -> RunSpec:
        """One run with these parameters."""
        seed = chosen.get("seed", self.seed)
        if isinstance(seed, str) or int(seed) != seed or seed < 0:
            raise UberSimError(f"a seed is a whole number, not {seed!r}")
        return RunSpec(number, chosen, int(seed) + repetition, repetition, self.setup)

    @property
    def names(self) -> Sequence[str]:
        """Of the parameters."""
        return list(self.parameters)

    def fingerprint(self) -> str:
        """Of all that decides about the rows: what is resumed has to be the same plan."""
        plain = asdict(self)
        for name in ("plot", "goal"):
            del plain[name]
        for name in ("limit", "folder"):
            del plain["setup"][name]
        return hashlib.blake2b(json.dumps(plain, sort_keys=True, default=str).encode(), digest_size=16).hexdigest()
