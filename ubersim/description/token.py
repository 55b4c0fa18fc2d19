"""The secret by which a server admits a client stands in its document, and is cut out of what is kept of that."""

from __future__ import annotations

from lxml import etree

from ubersim.description.document import parse


def without_token(document: str) -> str:
    """A robot's document as it goes into a log, which people send to each other: its secret stays out.

    A document that has one loses its comments as well, for they may repeat it.
    """
    root = parse(document, "<robot>")
    secrets = [(settings, token) for settings in root.findall("CSettings") for token in settings.findall("Token")]
    for settings, token in secrets:
        settings.remove(token)
    return etree.tostring(root, encoding="unicode") if secrets else document
