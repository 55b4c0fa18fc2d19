"""One process's modules, cycle by cycle: each task whose inputs are new is computed by the solution in charge."""

from __future__ import annotations

from typing import Any

from ubersim.control.layout import Process
from ubersim.control.mailboxes import Delivery
from ubersim.control.module import Module, Signature, made_for
from ubersim.control.parameters import DebugTable
from ubersim.control.solutions import Solutions
from ubersim.errors import UberSimError
from ubersim.protocol.program_parameters import Parameter


class ModuleExecutor:
    """Phase 2 of a process. Same packages in, same packages out, wherever it runs."""

    def __init__(self, process: Process) -> None:
        self.debug = DebugTable()
        """Its modules' parameters, and what they log."""
        self._tasks = [_Task(task, self.debug) for task in process.tasks]
        self._newest: dict[type, object] = {}
        self._before: dict[type, object] = {}

    def cycle(self, delivery: Delivery) -> list[object]:
        """Computes with what has come, and returns what was made."""
        made: list[object] = []
        self._newest |= {type(package): package for package in delivery.before}
        self._before = dict(self._newest)
        self._newest |= {type(package): package for package in delivery.now}
        fresh = {type(package) for package in (*delivery.before, *delivery.now)}
        for task in self._tasks:
            for output in task.update(self._newest, self._before, fresh):
                self._newest[type(output)] = output
                fresh.add(type(output))
                made.append(output)
        return made


class _Task:
    """A task with the module that is in charge."""

    def __init__(self, solutions: Solutions, debug: DebugTable) -> None:
        self._solutions, self._debug = solutions, debug
        first, *others = solutions.modules
        self._choice: Parameter | None = None
        if others:
            self._choice = debug.parameter(solutions.task, first, choices=[first, *others])
        self._name = ""
        self._module: Module
        self._signature: Signature
        self._take(first)

    def update(self, newest: dict[type, object], before: dict[type, object], fresh: set[type]) -> list[object]:
        """What the module makes of its inputs; nothing if none of them is new, or one that it needs is missing."""
        if self._choice is not None and self._choice.value != self._name:
            self._take(str(self._choice))
        inputs = self._signature.inputs
        if not any(port.package in fresh for port in inputs.values() if not port.last):
            return []
        arguments: dict[str, Any] = {}
        for name, port in inputs.items():
            arguments[name] = (before if port.last else newest).get(port.package)
            if arguments[name] is None and port.needed:
                return []
        return self._checked(self._module.update(**arguments))

    def _take(self, name: str) -> None:
        """Another module takes over, made anew."""
        with made_for(self._debug):
            self._module = self._solutions.modules[name]()
        self._name, self._signature = name, self._solutions.signatures[name]

    def _checked(self, made: object) -> list[object]:
        outputs = [each for each in (made if isinstance(made, tuple) else (made,)) if each is not None]
        for output in outputs:
            if type(output) not in self._signature.outputs:
                raise UberSimError(f"{self._name}.update made a {type(output).__name__}, which it does not announce")
        if missing := self._signature.promised - {type(output) for output in outputs}:
            name = min(package.__name__ for package in missing)
            raise UberSimError(f"{self._name}.update made no {name}; what may be left out is `{name} | None`")
        return outputs
