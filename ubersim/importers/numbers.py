"""Numbers as files have them, to be read and changed by people."""

from __future__ import annotations


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number: 0.05, not 0.050000000000000003."""
    return repr(float(value) + 0.0).removesuffix(".0")
