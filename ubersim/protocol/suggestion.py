"""What was perhaps meant by a name that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def suggestion(name: str, known: Iterable[str]) -> str:
    """Helps with a name that is not known: the near one, or a list."""
    options = {option.casefold(): option for option in sorted(set(known), reverse=True)}
    if near := difflib.get_close_matches(name[:64].casefold(), options, 1):
        return f"did you mean {options[near[0]]}?"
    return f"known are {', '.join(sorted(options.values())[:40])}" if options else "there are none"


def is_near(name: str, others: Iterable[str]) -> bool:
    """Whether one of the others is perhaps a misspelt `name`."""
    return bool(difflib.get_close_matches(name.casefold(), [other[:64].casefold() for other in others], 1))
