"""An evaluation as a table for people, as CSV, and as a plot."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ubersim.learning.evaluation import Evaluation
from ubersim.plotting import new_figure

COLUMNS = (
    "think_ms", "latency_ms", "episodes", "success", "success_low", "success_high", "return", "return_low",
    "return_high", "seconds", "inference_ms",
)  # fmt: skip


def row(found: Evaluation) -> list[str]:
    """What the columns say of one combination."""
    success, returns = found.success_interval, found.return_interval
    numbers = (found.success_rate, *success, found.mean_return, *returns)
    seconds = sum(found.lengths) / len(found.lengths)
    return [
        label(found.think),
        "own" if found.latency is None else f"{found.latency:g}",
        str(len(found.returns)),
        *(f"{number:.6g}" for number in numbers),
        f"{seconds:.6g}",
        f"{found.inference:.4g}",
    ]


def label(think: object) -> str:
    """A think time in words."""
    return f"{think:g}" if isinstance(think, int | float) else str(think)


def table_head() -> str:
    """The head of the table."""
    return "think [ms]  latency [ms]  success            return                        length [s]  decision [ms]"


def table_line(found: Evaluation) -> str:
    """One combination, with its intervals of 95 % confidence."""
    success, returns = found.success_interval, found.return_interval
    rate = f"{found.success_rate:4.0%} ({success[0]:.0%} to {success[1]:.0%})"
    total = f"{found.mean_return:9.4g} ({returns[0]:.4g} to {returns[1]:.4g})"
    seconds = sum(found.lengths) / len(found.lengths)
    late = "own" if found.latency is None else f"{found.latency:g}"
    return f"{label(found.think):>10}  {late:>12}  {rate:<17}  {total:<28}  {seconds:10.2f}  {found.inference:13.3f}"


def write_csv(found: Sequence[Evaluation], path: Path) -> None:
    """All combinations, a line each."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(map(row, found))


def plot(results: Mapping[str, Sequence[Evaluation]], path: Path) -> None:
    """Success and return over think time, a line for each name and latency; or over latency, if there is one think."""
    thinks = {label(each.think) for found in results.values() for each in found}
    over = "latency" if len(thinks) == 1 else "think"
    figure = new_figure(10, 4)
    for axes, what in zip(figure.subplots(1, 2), ("success", "return"), strict=True):
        for name, found in results.items():
            for other in dict.fromkeys(_setting(each, over, other=True) for each in found):
                text = name if over == "latency" else f"{name}, latency {other}".removeprefix(", ")
                _draw_line(
                    axes, what, text, over, [each for each in found if _setting(each, over, other=True) == other]
                )
        axes.set(xlabel=f"{'think time' if over == 'think' else 'latency'} [ms]")
        axes.set_ylabel("rate of success" if what == "success" else "return")
        axes.grid(alpha=0.3)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    figure.savefig(path, dpi=110)


def _setting(found: Evaluation, over: str, *, other: bool = False) -> str:
    latency = "own" if found.latency is None else f"{found.latency:g}"
    if (over == "latency") != other:
        return latency
    return label(found.think)


def _draw_line(axes: Any, what: str, text: str, over: str, found: Sequence[Evaluation]) -> None:
    middle = [each.success_rate if what == "success" else each.mean_return for each in found]
    spans = [each.success_interval if what == "success" else each.return_interval for each in found]
    words = [_setting(each, over) for each in found]
    numbers = [float(word) for word in words if word not in ("own", "measured")]
    places = numbers if len(numbers) == len(words) else list(map(float, range(len(words))))
    low, high = zip(*spans, strict=True)
    (line,) = axes.plot(places, middle, "o-", label=text)
    axes.fill_between(places, low, high, color=line.get_color(), alpha=0.15)
    axes.set_xticks(places, words)
