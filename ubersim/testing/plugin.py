"""The pytest plugin: fixtures for simulations, and what is shown of them when a test fails.

pytest imports this in every run on a machine where ÜberSim is installed, so it imports nothing before a test asks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ubersim.testing.failure_report import Evidence
    from ubersim.testing.in_process import InProcessTrial
    from ubersim.testing.served import ServedTrial
    from ubersim.testing.trial import Trial

Command = Sequence[str | os.PathLike[str]]
MARKER = "ubersim"
_TRIALS = pytest.StashKey[list[tuple["Trial", "Evidence"]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options, all of which may be left out."""
    group = parser.getgroup("ubersim")
    group.addoption(
        "--ubersim-out",
        default="ubersim-failures",
        metavar="DIR",
        help="folder for logs, plots and pictures of failed simulations (default: %(default)s)",
    )
    for name, what in (("latency", "actuation latencies [ms]"), ("seed", "seeds")):
        group.addoption(
            f"--ubersim-{name}",
            metavar="N,N",
            help=f"{what} to run every simulated test with, whatever its marker says",
        )


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker known."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(latency=[ms, ...], seed=[...]): runs a test with each of these actuation latencies and seeds",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs a test once per latency and seed of the command line, or of its nearest marker."""
    marker = metafunc.definition.get_closest_marker(MARKER)
    wanted = {} if marker is None else dict(marker.kwargs)
    if (marker is not None and marker.args) or set(wanted) - {"latency", "seed"}:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: the marker {MARKER} takes latency=[...] and seed=[...]")
    for name, unit in (("latency", "ms"), ("seed", "")):
        if f"ubersim_{name}" in metafunc.fixturenames:
            values = _numbers(metafunc.config.getoption(f"--ubersim-{name}") or wanted.get(name, ()))
            if values:
                ids = [f"{name}={value:g}{unit}" for value in values]
                metafunc.parametrize(f"ubersim_{name}", values, ids=ids, indirect=True)


def _numbers(given: Any) -> list[float]:
    if isinstance(given, str):
        given = given.split(",")
    try:
        return [float(value) for value in (given if isinstance(given, Iterable) else [given])]
    except (TypeError, ValueError):
        raise pytest.UsageError(f"latency and seed are numbers, not {given!r}") from None


@pytest.fixture
def ubersim_latency(request: pytest.FixtureRequest) -> float | None:
    """The actuation latency that the marker asks for [ms]; None: as the robot's document says."""
    return getattr(request, "param", None)


@pytest.fixture
def ubersim_seed(request: pytest.FixtureRequest) -> int:
    """The seed of all noise and all random latencies that the marker asks for; else 0."""
    return int(getattr(request, "param", 0))


@pytest.fixture
def simulation(
    request: pytest.FixtureRequest, ubersim_latency: float | None, ubersim_seed: int
) -> Iterator[Callable[..., InProcessTrial]]:
    """Makes simulations in this process: `trial = simulation(world="field.xml", step=0.001)`."""
    trials = request.node.stash.setdefault(_TRIALS, [])

    def make(world: str | Path | None = None, **options: Any) -> InProcessTrial:
        from ubersim.simulation import Simulation
        from ubersim.testing.failure_report import Evidence
        from ubersim.testing.in_process import InProcessTrial

        trial = InProcessTrial(Simulation(world, **{"seed": ubersim_seed} | options), ubersim_latency)
        trials.append((trial, Evidence(trial.simulation)))
        return trial

    yield make
    _close(trials)


@pytest.fixture
def ubersim_server(
    request: pytest.FixtureRequest, ubersim_latency: float | None, ubersim_seed: int
) -> Iterator[Callable[..., ServedTrial]]:
    """Makes real servers, and starts programs: `trial = ubersim_server(["my_robot.py", "--port", "{port}"])`.

    Several commands are several programs. The test goes on when all have brought their robots.
    """
    trials = request.node.stash.setdefault(_TRIALS, [])

    def make(*commands: Command, world: str | Path | None = None, **options: Any) -> ServedTrial:
        from ubersim.simulation import Simulation
        from ubersim.testing.failure_report import Evidence
        from ubersim.testing.served import ServedTrial

        # The server has a thread of its own, and a process draws in one thread only: so cameras draw in a worker.
        simulation = Simulation(world, **{"seed": ubersim_seed, "render_workers": 1} | options)
        trial = ServedTrial(simulation, ubersim_latency, robots=len(commands))
        trials.append((trial, Evidence(simulation)))
        for command in commands:
            trial.start(command, request.path.parent)
        trial.gather()
        return trial

    yield make
    _close(trials)


def _close(trials: list[tuple[Trial, Evidence]]) -> None:
    while trials:
        trial, evidence = trials.pop()
        try:
            trial.close()
        finally:
            evidence.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """While the simulations of a failed test are still there, saves what is left of them, and says where."""
    report = yield
    trials = item.stash.get(_TRIALS, [])
    if report.when == "call" and report.failed and trials:
        from ubersim.testing.failure_report import folder_of

        folder = Path(item.config.rootpath, item.config.getoption("--ubersim-out"), folder_of(item.nodeid))
        lines: list[str] = []
        for number, (trial, evidence) in enumerate(trials, 1):
            lines += evidence.save(trial, folder if len(trials) == 1 else folder / str(number))
            told = {line.removeprefix("E").strip() for line in report.longreprtext.splitlines()}
            for program in getattr(trial, "programs", []):
                printed = program.output()[-4000:]
                if not printed or not told.issuperset(map(str.strip, printed.splitlines())):  # once is enough
                    lines += [f"--- {program.name} printed:", printed or "(nothing)"]
        report.sections.append(("ÜberSim", "\n".join(lines)))
    return report
