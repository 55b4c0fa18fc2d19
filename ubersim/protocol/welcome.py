"""The server's first message: all that a client has to know before the frames come."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, get_type_hints

from ubersim.errors import RemoteProtocolError
from ubersim.protocol.json_object import decode_object, encode_object, is_whole
from ubersim.version import __version__

VERSION = 1
"""Of the protocol, unless a robot's document asks for a later one."""
LATEST = 2
"""Of the protocol that this program speaks: what later versions add, only documents that ask for it get to see."""

CAPABILITIES = ("cancel", "end", "parameters", "log", "sensors", "timestamps")
"""What a server of version 2 understands or says beyond version 1."""

Members: TypeAlias = Mapping[str, Mapping[str, Any]]
"""By name, what is told of each."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Welcome:
    """Server: the robot is in the world, or the supervisor is heard. On the wire, a JSON object with these keys."""

    protocol: int = VERSION
    """Version of the protocol."""
    name: str
    """What the client is called on this server."""
    step: float
    """Length of a frame [s]."""
    frame: int
    """The first frame that this client takes part in."""
    sensors: Members | None = None
    """For each sensor its `type`, and how to read a payload: `dtype`, `shape`, `stamped`."""
    joints: Members | None = None
    """For each joint its `type` and its number of `axes`."""
    motors: Members | None = None
    """For each motor its `type`, and its `properties`: names and numbers."""
    supervisor: bool = False
    """Whether this is said to a supervisor."""
    server: str = ""
    """Version 2: what the server is, with its version."""
    world: str = ""
    """Version 2: the world's name."""
    end_frame: int | None = None
    """Version 2: the run ends when it comes to this frame; None: it is open."""
    capabilities: tuple[str, ...] = ()
    """Version 2: what the server understands or says beyond version 1."""
    timestamps: str = "all"
    """Version 2: which frames are sent, `all` or those with `readings`."""
    loose: bool = False
    """Whether the world does not wait for this client."""
    more: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Further keys, of a server that is newer than this program."""

    def to_json(self) -> dict[str, Any]:
        """As a JSON object, without what is as if nothing were said of it."""
        said = {name: getattr(self, name) for name in _CHECKS}
        return {name: value for name, value in said.items() if name in _ALWAYS or value != _DEFAULTS[name]} | {
            **self.more
        }

    @staticmethod
    def introducing(about: Mapping[str, Any], **now: Any) -> Welcome:
        """The welcome of a robot of which this is to be said; `now` has the rest: at least `step` and `frame`."""
        return Welcome.from_json({"protocol": VERSION, **now, **about})

    @staticmethod
    def from_json(content: Mapping[str, Any]) -> Welcome:
        """From a JSON object, which may have more than what this program knows."""
        if missing := [name for name in _ALWAYS if name not in content]:
            raise RemoteProtocolError(f"the content of Welcome lack {', '.join(missing)}")
        known = {name: content[name] for name in _CHECKS if name in content}
        for name, value in known.items():
            is_right, words = _CHECKS[name]
            if not is_right(value):
                raise RemoteProtocolError(f"the content of Welcome: {name} is {words}, not {repr(value)[:80]}")
        if "capabilities" in known:
            known["capabilities"] = tuple(known["capabilities"])
        return Welcome(**known, more={name: value for name, value in content.items() if name not in known})


def about_server(world: str, end_frame: int | None) -> dict[str, Any]:
    """What a client of version 2 is told of the server."""
    about = {"server": f"ubersim {__version__}", "world": world, "capabilities": list(CAPABILITIES)}
    return about if end_frame is None else about | {"end_frame": end_frame}


def encode_welcome(welcome: Welcome) -> bytes:
    """The payload of the message."""
    return encode_object("the content of Welcome", welcome.to_json())


def decode_welcome(payload: bytes) -> Welcome:
    """The event in a payload."""
    return Welcome.from_json(decode_object("the content of Welcome", payload))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_members(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(member, Mapping) for member in value.values())


def _are_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(text, str) for text in value)


_BY_TYPE: dict[Any, tuple[Callable[[Any], bool], str]] = {
    int: (is_whole, "a whole number"),
    float: (_is_number, "a number"),
    str: (lambda value: isinstance(value, str), "a text"),
    bool: (lambda value: isinstance(value, bool), "true or false"),
    int | None: (is_whole, "a whole number"),
    tuple[str, ...]: (_are_texts, "a list of texts"),
    Members | None: (_are_members, "an object of objects"),
}
_CHECKS = {name: _BY_TYPE[kind] for name, kind in get_type_hints(Welcome).items() if name != "more"}
_DEFAULTS = {field.name: field.default for field in dataclasses.fields(Welcome)}
_ALWAYS = ("protocol", "name", "step", "frame")
"""What every server says."""
