"""Arguments are checked by the types of the fields that they become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from ubersim.errors import UberSimError
from ubersim.supervision.arguments import Longest, Range, arguments_of, read_arguments


@dataclass(frozen=True)
class Everything:
    name: str
    count: int = 0
    size: float = 0.0
    loud: bool = False
    place: tuple[float, float, float] | None = None
    names: Annotated[tuple[str, ...], Longest(2)] = ()
    which: str | int = 0
    share: Annotated[float, Range(0.0, 1.0)] = 0.0
    maybe: Annotated[int, Range(1, 3)] | None = None
    class_: str = ""


def read(**given: Any) -> Everything:
    return Everything(**read_arguments("Do", Everything, {"name": "x"} | given))


def test_values_become_what_the_fields_are() -> None:
    everything = read(
        count=3, size=2, loud=True, place=[1, 2, 3], names=["a"], which="b", share=1, maybe=None, **{"class": "c"}
    )
    assert everything == Everything("x", 3, 2.0, True, (1.0, 2.0, 3.0), ("a",), "b", 1.0, None, "c")
    assert isinstance(everything.size, float)
    assert [name for name, argument in arguments_of(Everything).items() if argument.required] == ["name"]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"name": 3}, "Do: name takes a text, not 3"),
        ({"name": "x" * (2**22 + 1)}, "name takes a text"),
        ({"count": 1.5}, "count takes a whole number, not 1.5"),
        ({"count": True}, "count takes a whole number, not True"),
        ({"size": "1"}, "size takes a finite number, not '1'"),
        ({"size": 1e300}, "size takes a finite number"),
        ({"size": float("nan")}, "size takes a finite number"),
        ({"size": 10**400}, "size takes a finite number"),
        ({"size": None}, "size takes a finite number, not None"),
        ({"loud": 1}, "loud takes true or false, not 1"),
        ({"place": [1, 2]}, r"place takes a list of 3 finite numbers, not \[1, 2\]"),
        ({"place": [1, 2, "3"]}, "a list of 3 finite numbers"),
        ({"names": "ab"}, "names takes a list of texts, not 'ab'"),
        ({"names": ["a", 1]}, "a list of texts"),
        ({"names": ["a", "b", "c"]}, "names has a length of up to 2"),
        ({"which": 1.5}, "which takes a text or a whole number, not 1.5"),
        ({"share": -0.1}, "share is 0 to 1, not -0.1"),
        ({"share": 10**400}, "share is 0 to 1, not 1000"),
        ({"share": float("nan")}, "share takes a finite number"),
        ({"share": []}, r"share takes a finite number, not \[\]"),
        ({"maybe": 4}, "maybe is 1 to 3, not 4"),
        ({"class_": "c"}, "Do has no class_; it has name, count, .*class"),
    ],
)
def test_what_does_not_fit_is_said(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UberSimError, match=complaint):
        read(**given)


def test_missing_arguments() -> None:
    with pytest.raises(UberSimError, match="Do needs name"):
        read_arguments("Do", Everything, {})


@pytest.mark.parametrize("kind", [dict, list[int], complex, tuple[int, str], object])
def test_types_that_no_argument_has(kind: Any) -> None:
    bad: type = dataclass(type("Bad", (), {"__annotations__": {"value": kind}}))
    with pytest.raises(TypeError):
        arguments_of(bad)
