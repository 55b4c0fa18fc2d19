"""Things by name, where a name that there is not gets an answer that helps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from ubersim.errors import UberSimError
from ubersim.protocol.suggestion import suggestion

T = TypeVar("T")


class Named(dict[str, T]):
    """A dictionary whose `KeyError` tells the near name."""

    def __init__(self, what: str, things: Mapping[str, T]) -> None:
        """`what` they are, in the singular."""
        super().__init__(things)
        self._what = what

    def __missing__(self, name: str) -> T:
        raise KeyError(f"there is no {self._what} {name!r}; {suggestion(str(name), self)}")


def found(owner: str, what: str, things: Mapping[str, T], name: str, others: Iterable[str] = ()) -> T:
    """One of an owner's things; `others` are names that could have been meant, too."""
    if name not in things:
        raise UberSimError(f"{owner} has no {what} {name!r}; {suggestion(str(name), [*things, *others])}")
    return things[name]
