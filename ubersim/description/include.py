"""The element that stands for a part in another file."""

from __future__ import annotations

from collections.abc import Iterator

from ubersim.description.component import Component, Flaw, component
from ubersim.description.fields import angles, text, vector
from ubersim.geometry import Triple

FARTHEST = 1e5
"""Largest coordinate [m]."""


@component
class Include(Component):
    """A part from another file, whose lists are added to those of this document before it is read."""

    file: str = text("the part's file, from the folder of this one")
    arguments: str | None = text(
        "what the part's file has in braces, as in `side=Left length=0.2`", tag="With", longest=1000, default=None
    )
    position: Triple = vector(
        "where the origin of the part's model space goes", unit="m", high=FARTHEST, default=(0.0, 0.0, 0.0)
    )
    rotation: Triple = angles("turns the part, before it is moved there", default=(0.0, 0.0, 0.0))

    def flaws(self) -> Iterator[Flaw]:
        yield Flaw("was not replaced by the part in its file: a server reads no files, so documents are expanded first")
