"""Plans as YAML files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from ubersim.description import default_world, load_robot, load_world
from ubersim.description.editing import with_numbers
from ubersim.description.resources import by_name
from ubersim.errors import UberSimError
from ubersim.files import read_text, resolved
from ubersim.sweeps.parameters import parameter
from ubersim.sweeps.plan import WORLD, Setup, SweepPlan

_SETUP = {"robot", "world", "program", "metrics", "frames", "step", "cameras", "limit"}
_PLAN = {"parameters", "repetitions", "samples", "seed", "plot", "goal"}
_COUNTS = {"frames": 1, "repetitions": 1, "samples": 1, "seed": 0}
"""Keys that are whole numbers, and the least of each."""


def load_plan(path: str | Path) -> SweepPlan:
    """The plan of a file; files that it names are beside it, or come with ÜberSim."""
    path = Path(path)
    text = read_text(path)
    try:
        given = YAML(typ="safe").load(text)
    except (YAMLError, RecursionError, ValueError) as error:  # nested too deeply; a date or number that is none
        raise UberSimError(f"{path} is no YAML: {error}") from None
    if not isinstance(given, Mapping):
        raise UberSimError(f"{path} is no plan: it has no keys; there are {', '.join(sorted(_SETUP | _PLAN))}")
    return plan_from(given, resolved(path).parent, str(path))


def plan_from(given: Mapping[str, Any], folder: Path, source: str = "the plan") -> SweepPlan:
    """The same from a dictionary."""
    if unknown := given.keys() - _SETUP - _PLAN:
        raise UberSimError(
            f"{source}: unknown {', '.join(sorted(map(str, unknown)))}; there are {', '.join(sorted(_SETUP | _PLAN))}"
        )
    for needed in ("robot", "program"):
        if needed not in given:
            raise UberSimError(f"{source}: it has no {needed!r}")
    _check_numbers(given, source)
    program = given["program"]
    program = tuple(map(str, program)) if isinstance(program, list) else str(program)
    metrics = tuple(_metric(one) for one in given.get("metrics", ["fell"]))
    named = [name for name, _ in metrics] + ([program] if isinstance(program, str) else [])
    setup = Setup(
        robot=load_robot(_file(str(given["robot"]), folder, "robots")).source_text,
        world=load_world(_file(str(given["world"]), folder, "worlds")).source_text if given.get("world") else "",
        program=program,
        sources={name: read_text(folder / name) for name in map(_python_file, named) if name},
        metrics=metrics,
        folder=str(folder),
        **{name: given[name] for name in ("frames", "step", "cameras", "limit") if name in given},
    )
    parameters = {str(name): parameter(str(name), one) for name, one in (given.get("parameters") or {}).items()}
    _check_paths(setup, parameters)
    rest = {name: given[name] for name in _PLAN - {"parameters"} if name in given}
    return SweepPlan(setup, parameters, **rest)


def _check_numbers(given: Mapping[str, Any], source: str) -> None:
    """So that a slip of the pen ends a sweep before it begins, and not run by run."""
    for name, least in _COUNTS.items():
        value = given.get(name, least)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise UberSimError(f"{source}: {name} is a whole number from {least} on, not {value!r:.40}")
    for name in ("step", "limit"):
        value = given.get(name)
        if value is not None and (not isinstance(value, int | float) or isinstance(value, bool) or not value > 0):
            raise UberSimError(f"{source}: {name} is a number of seconds above 0, not {value!r:.40}")
    if not isinstance(given.get("cameras", False), bool):
        raise UberSimError(f"{source}: cameras is true or false, not {given['cameras']!r:.40}")


def _check_paths(setup: Setup, names: Iterable[str]) -> None:
    """Every path fits one number of the robot's or of the world's document."""
    for name in names:
        if name.startswith(WORLD):
            with_numbers(setup.world or default_world().source_text, {name.removeprefix(WORLD): 0.0}, "the world")
        elif "/" in name:
            with_numbers(setup.robot, {name: 0.0}, "the robot")


def _metric(given: Any) -> tuple[str, Any]:
    """`fell`, or `{rms: Tilt}`."""
    if isinstance(given, Mapping):
        ((name, options),) = given.items()
        return str(name), tuple(options) if isinstance(options, list) else options
    return str(given), None


def _python_file(named: str) -> str:
    """`study.py:score` -> `study.py`; empty for what is imported."""
    file = named.rpartition(":")[0]
    return file if file.endswith(".py") else ""


def _file(name: str, folder: Path, kind: str) -> Path:
    if (folder / name).is_file():
        return folder / name
    if (path := by_name(name, kind)).is_file():
        return path
    raise UberSimError(f"there is no {name}, neither in {folder} nor among what comes with ÜberSim")
