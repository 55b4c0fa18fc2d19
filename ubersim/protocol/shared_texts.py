"""Long texts of documents, such as the vertices of a mesh: sent to a server once, then named by their hash.

An element `<Vertices>...</Vertices>` may be sent as `<Vertices hash="..."/>`. A server that does not know the hash
refuses the document, and the client sends the whole. What is behind a hash is text: nothing else has to know of it.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from hashlib import blake2b

from ubersim.errors import RemoteProtocolError

TAGS = ("Vertices", "Triangles", "VertexColors", "FaceColors", "Texture", "TexturePoints")
"""The elements that may be long."""
LONG = 4096
"""Shorter texts are sent as they are [characters]."""
MOST_KEPT = 256 * 2**20
"""Characters that a server remembers; then it forgets those that were not used for the longest time."""
UNKNOWN = "is not known here; send the whole document"
_NAMES = "|".join(TAGS)
_WHOLE = re.compile(rf"<({_NAMES})>([^<]{{{LONG},}})</\1>")
_NAMED = re.compile(rf'<({_NAMES}) hash="([0-9a-f]{{32}})"/>')


def shortened(document: str) -> str:
    """The document with hashes instead of its long texts; the same object if it has none."""
    if len(document) < LONG:
        return document
    short = _WHOLE.sub(lambda found: f'<{found[1]} hash="{_hash(found[2])}"/>', document)
    return document if short == document else short


class SharedTexts:
    """What a server has seen."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._kept = 0

    def whole(self, document: bytes, longest: int) -> bytes:
        """The document with texts instead of hashes, if it does not get longer than that."""
        if b' hash="' not in document:
            return document
        text = document.decode("utf-8", "surrogateescape")
        found = _NAMED.findall(text)
        for tag, name in found:
            if name not in self._texts:
                raise RemoteProtocolError(f"the content of a {tag} with the hash {name} {UNKNOWN}")
        if (size := len(document) + sum(len(self._texts[name]) for _, name in found)) > longest:
            raise RemoteProtocolError(f"with all its meshes the document has {size} bytes; allowed are {longest}")
        for _, name in found:
            self._texts.move_to_end(name)
        filled = _NAMED.sub(lambda mark: f"<{mark[1]}>{self._texts[mark[2]]}</{mark[1]}>", text)
        return filled.encode("utf-8", "surrogateescape")

    def keep(self, document: str) -> None:
        """Remembers the long texts of a document that was sound."""
        if len(document) < LONG:
            return
        for _, text in _WHOLE.findall(document):
            name = _hash(text)
            if name not in self._texts:
                self._texts[name] = text
                self._kept += len(text)
            self._texts.move_to_end(name)
        while self._kept > MOST_KEPT:
            self._kept -= len(self._texts.popitem(last=False)[1])


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
