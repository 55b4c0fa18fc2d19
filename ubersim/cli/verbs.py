"""The verbs: each is one module of this package, imported when it is asked for.

So a verb costs no more than it needs to start, and only those who ask for a list of all pay for all of them.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup
from typer.main import get_group

_PACKAGE = "ubersim.cli"
_ESCAPED = "\\["


class Verbs(TyperGroup):
    """What `ubersim` can do. A module registers its verb with the app, as Typer wants it."""

    app: ClassVar[typer.Typer]
    """Whose verbs they are."""

    def list_commands(self, ctx: Any) -> list[str]:
        """All of them, in the order of their modules."""
        self._load(_modules())
        return sorted(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The one of this name; if none is called so, all others are there to be suggested."""
        if cmd_name not in self.commands:
            module = cmd_name.replace("-", "_")
            known = set(_modules())
            self._load([module] if module in known else known)
        found = self.commands.get(cmd_name)
        adapted = [] if found is None else [found]
        _take_literally(adapted)
        _leave_files_to_their_readers(adapted)
        return found

    def _load(self, modules: Iterable[str]) -> None:
        for module in sorted(modules):
            import_module(f"{_PACKAGE}.{module}")
        self.commands.update(get_group(self.app).commands)


def _take_literally(commands: Iterable[Any]) -> None:
    """Help is no markup: units stand in brackets, and `[s]` would strike out what follows."""
    for command in commands:
        for described in (command, *command.params):
            text = getattr(described, "help", None)
            if text and _ESCAPED not in text:
                described.help = text.replace("[", _ESCAPED)
        _take_literally(getattr(command, "commands", {}).values())


def _leave_files_to_their_readers(commands: Iterable[Any]) -> None:
    """Who opens a file says in one line why it cannot, also where permission is missing; Typer takes five for that."""
    for command in commands:
        for parameter in command.params:
            if hasattr(parameter.type, "readable"):
                parameter.type.readable = False
        _leave_files_to_their_readers(getattr(command, "commands", {}).values())


def _modules() -> list[str]:
    """Of this package; some have no verb."""
    names = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    return [name for name in names if name != "__main__"]  # which runs all of this
