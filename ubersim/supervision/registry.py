"""Which commands there are: one file each in `commands`, and those of other packages by entry point."""

from __future__ import annotations

import inspect
import pkgutil
import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ubersim.errors import UberSimError
from ubersim.protocol.suggestion import suggestion
from ubersim.supervision import commands as own
from ubersim.supervision.arguments import arguments_of
from ubersim.supervision.command import SupervisorCommand

GROUP = "ubersim.commands"
"""The name of an entry point is the verb."""

Commands = Mapping[str, type[SupervisorCommand]]


@cache
def all_commands() -> Commands:
    """The commands of this installation, by verb; looked up once."""
    return find_commands(entry_points(group=GROUP))


def find_commands(points: Iterable[EntryPoint]) -> Commands:
    """Our own commands and those that entry points name; one of those that cannot be had is warned of and left out."""
    found = {command.verb: command for command in _own_commands()}
    for point in sorted(points, key=lambda point: (point.value, point.name)):
        try:
            found[point.name] = _checked(point.name, point.load(), found)
        except (Exception, SystemExit) as error:  # whatever a third party's module raises while it is imported
            reason = f"{type(error).__name__}: {error}"
            warnings.warn(
                f"command {point.name} ({point.value}) is not available: {reason}", RuntimeWarning, stacklevel=2
            )
    return found


def read_command(verb: str, arguments: Mapping[str, Any]) -> SupervisorCommand:
    """A request's command; checks all that can be checked without the simulation."""
    known = all_commands()
    if verb not in known:
        raise UberSimError(f"there is no request {verb[:80]!r}; {suggestion(verb, known)}")
    return known[verb].read(arguments)


def _own_commands() -> Iterator[type[SupervisorCommand]]:
    for module in pkgutil.iter_modules(own.__path__, f"{own.__name__}."):
        for item in vars(import_module(module.name)).values():
            if isinstance(item, type) and issubclass(item, SupervisorCommand) and item.__module__ == module.name:
                yield _checked(item.verb, item, {})


def _checked(verb: str, found: Any, known: Commands) -> type[SupervisorCommand]:
    if not (isinstance(found, type) and issubclass(found, SupervisorCommand)):
        raise TypeError("it is not a supervisor's command")
    if found.verb != verb:
        raise TypeError(f"its verb is {found.verb}, its entry point is named {verb}")
    if verb in known:
        raise TypeError(f"the verb is taken by {known[verb].__module__}")
    if inspect.isabstract(found):
        raise TypeError("it does not say what it does: it lacks execute")
    arguments_of(found)  # a field whose type is no argument's shows here, not when it is asked for
    return found
