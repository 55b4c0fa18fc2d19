"""Tables for `ubersim identify` that no robot wrote: times that stand still or go back, gaps, words, odd numbers."""

from __future__ import annotations

import contextlib
import math
import warnings
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.robustness.chance import ODD_NUMBERS, chance, damaged_bytes, pick
from ubersim.errors import UberSimError
from ubersim.identification import identify
from ubersim.signals import open_signals

MOST_ROWS = 400
WORDS = ("", "nan", "inf", "-", "x", "1e999", "0x10", "1_000", "\x1b[2J", "١")


def table(random: Random) -> str:
    """A square wave and what follows from it some rows later; then one thing or another is odd."""
    rows = random.choice([0, 1, 2, 3, 10, MOST_ROWS])
    period, delay = random.choice([1, 7, 50]), random.choice([0, 1, 5, rows])
    pause = pick(random, [0.0, 1e-3, 0.01, 1.0, *ODD_NUMBERS])
    lines = [pick(random, ["time,command,response", "time,command,command", "command,response", "time", '"time,a', ""])]
    lines[0] = lines[0] if chance(random, 0.1) else "time,command,response"
    for row in range(rows):
        sent, felt = ((row // period) % 2, (max(0, row - delay) // period) % 2)
        values = [repr(row * pause), str(sent), repr(felt + random.gauss(0, 0.01))]
        if chance(random, 0.01):
            values[random.randrange(3)] = pick(random, [*WORDS, *map(repr, ODD_NUMBERS)])
        lines.append(",".join(values[: random.randrange(4)] if chance(random, 0.003) else values))
    return "\n".join(lines)


def run(random: Random) -> None:
    """Read, estimated and printed, or refused with a reason."""
    content = table(random).encode()
    if chance(random, 0.2):
        content = damaged_bytes(random, content)
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        path = Path(folder) / "log.csv"
        path.write_bytes(content)
        with contextlib.suppress(UberSimError):
            source = open_signals(path)
            found = identify(source.signal("command"), source.signal("response"), sent=source.sent)
            text = str(found)
            assert text and "\x1b" not in text
            assert all(math.isfinite(delay.fit.mean) for delay in found.delays)
