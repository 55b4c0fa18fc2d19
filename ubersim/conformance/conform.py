"""All trials, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ubersim.conformance.program_run import Misbehaviour
from ubersim.conformance.real_server import same_bits
from ubersim.conformance.trials import SCRIPTED, Bench, Trial

PATIENCE = 10.0
"""How long a program may take for anything, its start included [s]."""
TRIALS: tuple[Trial, ...] = (*SCRIPTED, same_bits)


def conform(command: Sequence[str], patience: float = PATIENCE) -> Iterator[tuple[str, str, list[str]]]:
    """Of each trial its name, what it is about, and what the program did wrong in it.

    `command` is the program with its arguments, in which `{host}` and `{port}` stand for the server's address. If it
    cannot even live through the first trial, there is no second.
    """
    bench = Bench(command, patience)
    for trial in TRIALS:
        try:
            faults = list(trial(bench))
        except Misbehaviour as misbehaviour:
            faults = [str(misbehaviour)]
        about = (trial.__doc__ or "").strip()
        yield trial.__name__.replace("_", " "), about, faults
        if faults and trial is TRIALS[0] and not bench.reference:
            return
