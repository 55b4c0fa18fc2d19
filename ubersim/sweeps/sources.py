"""Functions that plans name: from a module that is installed, or from a file that travels with the plan."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from ubersim.errors import UberSimError


def find(named: str, sources: Mapping[str, str]) -> Callable[..., Any]:
    """`package.module:function`, or `file.py:function` whose text is among the sources."""
    module, colon, name = named.rpartition(":")
    if not colon:
        raise UberSimError(f"{named!r} is neither MODULE:FUNCTION nor FILE.py:FUNCTION")
    try:
        found = _from_text(module, sources[module]) if module in sources else importlib.import_module(module)
    except ImportError as error:
        raise UberSimError(f"{named}: {error}") from None
    function = getattr(found, name, None)
    if not callable(function):
        raise UberSimError(f"{module} has no function {name!r}")
    return function  # type: ignore[no-any-return]


@cache
def _from_text(name: str, text: str) -> types.ModuleType:
    module = types.ModuleType(name.removesuffix(".py").replace("/", "."))
    sys.modules[module.__name__] = module  # dataclasses look there
    exec(compile(text, name, "exec"), module.__dict__)
    return module
