"""docs/fidelity.md, from the results."""

from __future__ import annotations

import math
from collections.abc import Iterator

from benchmarks.fidelity.results import Results
from benchmarks.fidelity.task import ENGINES, Quantity, Task
from benchmarks.fidelity.tasks import TASKS
from benchmarks.fidelity.verdict import NAMES, verdict

HEAD = """\
# Fidelity

How true the simulation is: tasks whose answer physics knows, the same for ÜberSim, MuJoCo {mujoco} and PyBullet
{pybullet}, and beside the figure that [SimBenchmark](https://leggedrobotics.github.io/SimBenchmark/) published for
ODE where there is one. `make fidelity` measures all of it anew and writes this page; `python -m benchmarks.fidelity
--only TASK` does so for one task. The tasks are in `benchmarks/fidelity/tasks`, each is written once, and
`benchmarks/scenes` builds its scene in every engine.

How to read it: *physics says* is the closed form (`tests/helpers/closed_forms.py`), the integrated equations of
motion (`tests/helpers/integrals.py`), or 0 where the figure is itself an error. The *bar* is the largest error that
the project allows itself. The last column says whether ÜberSim keeps it, and who is nearer to the truth; errors
within 10 % of each other count as equal, and so do those below a hundredth of the bar.

{summary}

![Errors of all quantities as shares of their bars, for the three engines](images/fidelity.png)

## Settings

- **ÜberSim**: the defaults, solver `auto`.
- **MuJoCo**: elliptic cones, `impratio` 10, Newton's method to a tolerance of 1e-12, integrator `implicitfast`, and
  RK4 where the task says so; contacts of the default softness (`solref` 0.02 1), because harder ones make things hop
  that slide. It has no coefficient of restitution: where something bounces, contacts are a spring and a damper that
  last ten steps and give a lone body the wanted rebound.
- **PyBullet**: 200 iterations, no damping, the rest as it comes. Where something bounces, contacts are found a metre
  per second times the step ahead instead of 20 mm, for otherwise nothing rebounds.
- Motors elsewhere are velocity servos with the same limit. Steps are 1 ms unless the task says otherwise.
"""


def written(results: Results) -> str:
    """The whole page."""
    versions = {name.lower(): results.versions.get(name, "") for name in ("MuJoCo", "PyBullet")}
    parts = [HEAD.format(**versions, summary=summary(results))]
    family = ""
    for task in TASKS:
        if task.family != family:
            family = task.family
            parts.append(f"## {family}\n")
        parts.append(section_of(task, results) + "\n")
    return "\n".join(parts).rstrip() + "\n"


def summary(results: Results) -> str:
    """How many bars are kept, and how often each engine is nearest."""
    verdicts = [verdict(quantity, figures(task, place, results)) for task, place, quantity in all_quantities()]
    barred = [said for said in verdicts if "its bar" in said]
    kept = sum(said.startswith("keeps") for said in barred)
    shared = [said for said in verdicts if "near" in said]
    ahead = sum("nobody" in said or "nearest" in said for said in shared)
    return (
        f"At present ÜberSim keeps {kept} of {len(barred)} bars, and in {ahead} of the {len(shared)} quantities that "
        "others were measured in, none of them is nearer to the truth."
    )


def all_quantities() -> Iterator[tuple[Task, int, Quantity]]:
    """Every line of the page."""
    for task in TASKS:
        for place, quantity in enumerate(task.quantities):
            yield task, place, quantity


def figures(task: Task, place: int, results: Results) -> dict[str, float | str | None]:
    """Of one quantity, by engine."""
    return {engine: results.of(task.name, engine, place) for engine in ENGINES}


def section_of(task: Task, results: Results) -> str:
    """A task: what it is, how it was run, and its table."""
    published = any(quantity.published is not None for quantity in task.quantities)
    columns = [
        "measured",
        "physics says",
        *NAMES.values(),
        *(["ODE, published"] if published else []),
        "bar",
        "verdict",
    ]
    lines = [f"### {task.title}\n", task.about + "\n", _how(task) + "\n"]
    lines += [_row(columns), _row("---" for _ in columns)]
    for place, quantity in enumerate(task.quantities):
        found = figures(task, place, results)
        cells = [f"{quantity.what}{f' [{quantity.unit}]' if quantity.unit else ''}", _truth(quantity)]
        cells += [_figure(quantity, found[engine], engine in task.engines) for engine in ENGINES]
        if published:
            cells.append("" if quantity.published is None else _number(quantity.published))
        cells += [_bar(quantity), verdict(quantity, found)]
        lines.append(_row(cells))
    return "\n".join(lines)


def _how(task: Task) -> str:
    settings = [
        f"{NAMES[engine]} with {', '.join(f'`{name}` {value}' for name, value in chosen.items())}"
        for engine, chosen in task.settings.items()
    ]
    return "; ".join([f"Step: {task.step}", *settings, f"`--only {task.name}`"]) + "."


def _row(cells: object) -> str:
    assert hasattr(cells, "__iter__")
    return f"| {' | '.join(cells)} |"


def _truth(quantity: Quantity) -> str:
    sense = "" if quantity.sense == "near" else f"{quantity.sense} "
    return f"{sense}{_number(quantity.truth)}"


def _bar(quantity: Quantity) -> str:
    if quantity.bar is None:
        return ""
    return f"{100 * quantity.bar:g} %" if quantity.relative else _number(quantity.bar)


def _figure(quantity: Quantity, figure: float | str | None, able: bool) -> str:
    if figure is None:
        return "cannot be told" if able else ""
    if isinstance(figure, str):
        return figure
    if not math.isfinite(figure):
        return "not a number"
    error = (figure - quantity.truth) / quantity.truth if quantity.relative else 0.0
    return _number(figure) + (f" ({_percent(error)})" if quantity.relative else "")


def _percent(share: float) -> str:
    return f"{100 * share:+.1f} %" if abs(share) < 10 else f"{share + 1:.0f} x"


def _number(figure: float) -> str:
    if 1e3 <= abs(figure) < 1e5:
        return f"{figure:.0f}"
    if figure == 0 or 1e-3 <= abs(figure) < 1e3:
        return f"{figure:.4g}"
    return f"{figure:.2e}".replace("e-0", "e-").replace("e+0", "e+")
