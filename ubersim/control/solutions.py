"""A task and its solutions; the order of tasks follows from what they take and make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ubersim.control.module import Module, Signature, signature_of
from ubersim.control.packages import SensorReading, Tick
from ubersim.errors import UberSimError


class Solutions:
    """A task: it has a name, and one module or several that solve it. All of them make the same.

    The parameter of the task's name says which is in charge; the first one is at the beginning.
    """

    def __init__(self, task: str, *modules: type[Module]) -> None:
        if not modules:
            raise UberSimError(f"the task {task!r} has no module that solves it")
        for module in modules:
            if not isinstance(module, type):
                raise UberSimError(f"{task!r} is solved by classes of modules, not by {module!r}")
        self.task = task
        self.modules = {module.__name__: module for module in modules}
        """By name."""
        if len(self.modules) < len(modules):
            raise UberSimError(f"two modules that solve {task!r} have the same name")
        self.signatures: dict[str, Signature] = {name: signature_of(module) for name, module in self.modules.items()}
        first, *others = self.signatures
        for other in others:
            if set(self.signatures[other].outputs) != set(self.signatures[first].outputs):
                raise UberSimError(
                    f"{first} and {other} both solve {task!r}, but make {_names(self.signatures[first].outputs)} "
                    f"and {_names(self.signatures[other].outputs)}"
                )
        self.outputs = self.signatures[first].outputs
        """What it makes."""

    def inputs(self, *, last: bool = False) -> set[type]:
        """What its modules take, of this cycle or (`last`) of the one before."""
        ports = [port for signature in self.signatures.values() for port in signature.inputs.values()]
        return {port.package for port in ports if port.last == last}

    def needed(self) -> set[type]:
        """What the module that is in charge at first cannot do without."""
        first = next(iter(self.signatures.values()))
        return {port.package for port in first.inputs.values() if port.needed}

    def __repr__(self) -> str:
        return f"Solutions({self.task!r}: {', '.join(self.modules)})"


def makers(tasks: Iterable[Solutions]) -> dict[type, Solutions]:
    """Which task makes each package."""
    found: dict[type, Solutions] = {}
    names: set[str] = set()
    for task in tasks:
        if task.task in names:
            raise UberSimError(f"two tasks are called {task.task!r}")
        names.add(task.task)
        for package in task.outputs:
            if package in found:
                raise UberSimError(f"{found[package].task} and {task.task} both make {package.__name__}")
            if from_robot(package):
                raise UberSimError(f"{task.task} makes {package.__name__}, which comes from the robot")
            found[package] = task
    return found


def in_order(tasks: Sequence[Solutions]) -> list[Solutions]:
    """Each after those whose packages it takes; else as given. Says what is missing, and what is circular."""
    made_by = makers(tasks)
    needs: dict[str, set[str]] = {}
    for task in tasks:
        for package in task.inputs() | task.inputs(last=True):
            if not from_robot(package) and package not in made_by:
                made = _names(made_by) or "nothing"
                raise UberSimError(f"{task.task} takes {package.__name__}, which nothing makes; tasks make {made}")
        own = {made_by[package].task for package in task.inputs() if package in made_by}
        needs[task.task] = own
    ordered: list[Solutions] = []
    done: set[str] = set()
    while len(ordered) < len(tasks):
        ready = next((task for task in tasks if task.task not in done and needs[task.task] <= done), None)
        if ready is None:
            circle = _circle({task: needs[task] - done for task in needs if task not in done})
            raise UberSimError(f"circular: {' -> '.join(circle)}; one of them has to take Last[...] of the other")
        ordered.append(ready)
        done.add(ready.task)
    return ordered


def from_robot(package: type) -> bool:
    """Whether it comes from outside of all modules."""
    return package is Tick or issubclass(package, SensorReading)


def _circle(needs: dict[str, set[str]]) -> list[str]:
    """A way from a task back to itself; each takes something from the next, so it is told the other way round."""
    way = [next(iter(needs))]
    while way[-1] not in way[:-1]:
        way.append(min(needs[way[-1]] & needs.keys()))
    return way[way.index(way[-1]) :][::-1]


def _names(packages: Iterable[type]) -> str:
    return ", ".join(package.__name__ for package in packages)
