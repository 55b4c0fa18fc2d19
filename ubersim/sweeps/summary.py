"""A sweep on one page: what was run, how it went, a picture, the best and the failed."""

from __future__ import annotations

import base64
from collections import Counter
from html import escape
from pathlib import Path

import numpy as np

from ubersim.sweeps.plan import SweepPlan
from ubersim.sweeps.results import Results
from ubersim.version import __version__

_SHOWN = 10
_STYLE = "body{font-family:sans-serif;max-width:60em;margin:2em auto}td,th{padding:2px 10px;text-align:right}"


def write_summary(plan: SweepPlan, results: Results, metric: str, picture: Path | None, path: Path) -> None:
    """One file of HTML, the picture in it."""
    reasons = Counter(reason for reason in results.text.get("reason", []) if reason)
    wall = float(np.nansum(results.numbers("wall"))) if len(results) else 0.0
    parts = [
        f"<h1>{len(results)} runs of {plan.setup.frames} frames</h1>",
        f"<p>ÜberSim {escape(__version__)}; {wall:.1f} s of work; {sum(reasons.values())} failed.</p>",
    ]
    if picture is not None:
        parts.append(f'<img src="data:image/png;base64,{base64.b64encode(picture.read_bytes()).decode()}" alt="plot">')
    parts.append(_table(["metric", "mean", "deviation", "least", "most"], _metrics(results)))
    parts.append(f"<h2>Most of {escape(metric)}</h2>{_extremes(results, metric, -1)}")
    parts.append(f"<h2>Least of {escape(metric)}</h2>{_extremes(results, metric, 1)}")
    if reasons:
        parts.append(
            "<h2>Failed</h2>" + _table(["reason", "runs"], [[why, str(n)] for why, n in reasons.most_common(50)])
        )
    page = f"<!doctype html><meta charset=utf-8><title>Sweep</title><style>{_STYLE}</style>{''.join(parts)}\n"
    path.write_text(page, encoding="utf-8")


def _metrics(results: Results) -> list[list[str]]:
    rows = []
    for name in results.metrics:
        values = results.numbers(name)
        values = values[np.isfinite(values)]
        if len(values):
            rows.append(
                [name, *(f"{value:.6g}" for value in (values.mean(), values.std(), values.min(), values.max()))]
            )
    return rows


def _extremes(results: Results, metric: str, sign: int) -> str:
    if metric not in results.text:
        return ""
    values = results.numbers(metric)
    order = [int(place) for place in np.argsort(sign * values, kind="stable") if np.isfinite(values[place])][:_SHOWN]
    names = ["run", *results.parameters, metric]
    return _table(names, [[results.text[name][place] for name in names] for place in order])


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["".join(f"<th>{escape(cell)}</th>" for cell in head)]
    lines += ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"
