"""A program's own parameters: what it declares, what they may be, and how both go over the wire."""

from __future__ import annotations

import json
import math
import re
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ubersim.errors import LocalProtocolError, RemoteProtocolError
from ubersim.protocol.json_object import decode_object, encode_object

ParameterKind = Literal["bool", "number", "choice", "text"]
ParameterValue = bool | float | str
LONGEST_TEXT = 1024
"""Characters of a text, or of a choice."""
MOST_CHOICES = 256
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_TIME = struct.Struct("<d")
_KEYS = ("name", "kind", "value", "low", "high", "choices")


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a program says of one of its parameters."""

    name: str
    kind: ParameterKind
    value: ParameterValue
    """What it is at first."""
    low: float | None = None
    """The least that a number may be; None: any."""
    high: float | None = None
    """The most that a number may be; None: any."""
    choices: tuple[str, ...] = ()
    """What a choice may be."""

    def flaw(self, value: Any) -> str:
        """Why it cannot have this value, in words; empty if it can."""
        shown = repr(value)[:80]
        match self.kind:
            case "bool":
                return "" if isinstance(value, bool) else f"{self.name} is true or false, not {shown}"
            case "number":
                low, high = -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
                within = _is_number(value) and low <= value <= high
                return "" if within else f"{self.name} is a number from {low:g} to {high:g}, not {shown}"
            case "choice":
                return "" if value in self.choices else f"{self.name} is one of {', '.join(self.choices)}, not {shown}"
        fits = isinstance(value, str) and len(value) <= LONGEST_TEXT
        return "" if fits else f"{self.name} is a text of up to {LONGEST_TEXT} characters, not {shown}"

    def own_flaw(self) -> str:
        """What is wrong with the declaration itself; empty: nothing."""
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            return f"{repr(self.name)[:80]} cannot be the name of a parameter: 1 to 64 of A-Z a-z 0-9 _ . -"
        if self.kind not in get_args(ParameterKind):
            return f"{self.name} is of no kind that there is: {', '.join(get_args(ParameterKind))}"
        if any(limit is not None and not _is_number(limit) for limit in (self.low, self.high)):
            return f"low and high of {self.name} are finite numbers"
        if self.low is not None and self.high is not None and self.low > self.high:
            return f"low of {self.name} is above its high"
        if self.kind == "choice" and not 0 < len(self.choices) <= MOST_CHOICES:
            return f"{self.name} has no choices, or more than {MOST_CHOICES}"
        if not all(isinstance(choice, str) and len(choice) <= LONGEST_TEXT for choice in self.choices):
            return f"the choices of {self.name} are texts of up to {LONGEST_TEXT} characters"
        return self.flaw(self.value)

    def __str__(self) -> str:
        """For people, in a line."""
        if self.kind == "number" and (self.low is not None or self.high is not None):
            low, high = -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
            return f"{self.name}: {self.value}, a number from {low:g} to {high:g}"
        of = f" of {', '.join(self.choices)}" if self.choices else ""
        return f"{self.name}: {self.value}, a {self.kind}{of}"

    def to_json(self) -> dict[str, Any]:
        """As `Declare` and the page have it."""
        about = {name: getattr(self, name) for name in _KEYS}
        return {name: value for name, value in about.items() if value not in (None, ())}


def declaration(
    name: str,
    value: ParameterValue,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[str] = (),
) -> Declaration:
    """What a program declares: the kind is that of the value, or a choice where there are choices."""
    if isinstance(value, bool):
        made = Declaration(name, "bool", value)
    elif choices:
        made = Declaration(name, "choice", value, choices=tuple(choices))
    elif isinstance(value, str):
        made = Declaration(name, "text", value)
    else:
        made = Declaration(name, "number", float(value), low, high)
    if flaw := made.own_flaw():
        raise LocalProtocolError(flaw)
    return made


def encode_declaration(made: Declaration) -> bytes:
    """The payload of `Declare`."""
    return encode_object("a declaration", made.to_json(), escaped=True)


def decode_declaration(payload: bytes) -> Declaration:
    """What a program declares; refuses what it cannot."""
    content = decode_object("a declaration", payload)
    known = {name: content[name] for name in _KEYS if name in content}
    if missing := [name for name in ("name", "kind", "value") if name not in known]:
        raise RemoteProtocolError(f"Declare lacks {', '.join(missing)}")
    if not isinstance(known.setdefault("choices", []), list):
        raise RemoteProtocolError("the choices in Declare are a list")
    known["choices"] = tuple(known["choices"])
    made = Declaration(**known)
    if flaw := made.own_flaw():
        raise RemoteProtocolError(f"Declare: {flaw}")
    return made


def encode_change(time: float, name: str, value: ParameterValue) -> bytes:
    """The payload of `Parameter`: from this time [s] on it has this value."""
    return _TIME.pack(time) + name.encode() + b"\0" + json.dumps(value, allow_nan=False).encode()


def decode_change(payload: bytes) -> tuple[float, str, ParameterValue]:
    """Time [s], name and value."""
    head, nul, text = payload[_TIME.size :].partition(b"\0")
    try:
        (time,) = _TIME.unpack_from(payload)
        name, value = head.decode(), json.loads(text)
    except (struct.error, ValueError, RecursionError) as error:
        raise RemoteProtocolError(f"Parameter has a time, a name and a JSON value: {error}") from None
    if not nul or not isinstance(value, bool | int | float | str):
        raise RemoteProtocolError(f"Parameter has a time, a name and a JSON value, not {payload[:80]!r}")
    return time, name, value


def _is_number(value: Any) -> bool:
    """Whether it is one that a float holds: JSON also has whole numbers that are larger than all of them."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
