"""The document that a supervisor sends in the place of a robot's, and the token in either."""

from __future__ import annotations

import re

from ubersim.description.document import parse
from ubersim.description.value_types import NAME_PATTERN
from ubersim.errors import RemoteProtocolError


def is_supervisor(document: bytes) -> bool:
    """Whether this is no robot's document, but a supervisor's."""
    return b"<Supervisor" in document and parse(document, "<supervisor>", longest=len(document)).tag == "Supervisor"


def read_supervisor(document: bytes) -> str:
    """The name in a supervisor's document, which holds nothing but settings."""
    root = parse(document, "<supervisor>", longest=len(document))
    settings = root.find("CSettings")
    elements = {element.tag for element in (root if settings is None else [*root, *settings])}
    if elements - {"CSettings", "Name", "Token"} or len(root) > 1:
        raise RemoteProtocolError("a Supervisor holds CSettings, with Name and Token, and nothing else")
    name = (root.findtext("CSettings/Name") or "").strip()
    if not re.fullmatch(NAME_PATTERN, name):
        raise RemoteProtocolError("a Supervisor needs CSettings/Name: up to 64 letters, digits, '_', '.' and '-'")
    return name


def read_token(document: bytes) -> bytes:
    """The token alone: a client that has the wrong one learns nothing about the rest of its document."""
    return (parse(document, "<robot>", longest=len(document)).findtext("CSettings/Token") or "").strip().encode()
