"""How messages speak of what they found."""

from __future__ import annotations


def quoted(text: str, longest: int = 40) -> str:
    """Text from a document, safe and short enough for a message."""
    return repr(text if len(text) <= longest else text[: longest - 3] + "...")


def printable(text: str) -> str:
    """What a terminal shows and does not obey: control characters and the like as Python writes them."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)
