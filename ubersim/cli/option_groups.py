"""Options of a verb in groups: a dataclass whose fields are options, of which the verb is given an object."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, Field, fields
from typing import Annotated, Any, get_args, get_type_hints


def grouped(verb: Callable[..., None]) -> Callable[..., None]:
    """The same verb with one parameter per option, as Typer wants it; all parameters of `verb` are groups.

    Help shows the options of a group together, below the first line of the group's docstring.
    """
    groups = {name: group for name, group in get_type_hints(verb).items() if name != "return"}
    parameters = [_parameter(field, group) for group in groups.values() for field in fields(group)]

    def flat(**options: Any) -> None:
        verb(**{name: group(**_of(group, options)) for name, group in groups.items()})

    flat.__name__, flat.__doc__, flat.__module__ = verb.__name__, verb.__doc__, verb.__module__
    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # which Typer asks for
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return flat


def _of(group: type, options: dict[str, Any]) -> dict[str, Any]:
    return {field.name: options[field.name] for field in fields(group)}


def _parameter(field: Field[Any], group: type) -> inspect.Parameter:
    kind, option = get_args(get_type_hints(group, include_extras=True)[field.name])
    option = copy(option)  # several groups may share it
    option.rich_help_panel = (group.__doc__ or "").partition("\n")[0].rstrip(".")
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(field.name, keyword, default=default, annotation=Annotated[kind, option])
