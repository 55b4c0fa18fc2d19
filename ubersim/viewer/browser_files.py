"""viser's page with what ours has on top: a title, a style sheet, and a script."""

from __future__ import annotations

import gzip
import html
import re
from functools import cache
from importlib.resources import files

from websockets.http11 import Response

SCRIPTS = ("page.js", "inputs.js", "follow.js")
_HEAD_END = "</head>"


@cache
def additions() -> str:
    """Style and script, to stand in a page's head."""
    return f"<style>{_text('page.css')}</style>" + "".join(map(script, SCRIPTS))


def script(name: str) -> str:
    """A script of ours, as an element."""
    return f"<script>{_text(name)}</script>"


def _text(name: str) -> str:
    return (files("ubersim.viewer") / "browser" / name).read_text(encoding="utf-8")


def furnished(page: str, title: str, more: str = "") -> str:
    """viser's page, or one that it exports, as ours; `more` goes to the head as well."""
    page = re.sub(r"<title>[^<]*</title>", lambda _: f"<title>{html.escape(title)}</title>", page, count=1)
    page = re.sub(r'(name="description" content=")[^"]*', lambda found: found[1] + "ÜberSim", page, count=1)
    place = page.index(_HEAD_END)
    return page[:place] + additions() + more + page[place:]


def furnish(response: Response, title: str) -> None:
    """Puts our additions into an answer that is a page."""
    if not response.headers.get("Content-Type", "").startswith("text/html") or response.status_code != 200:
        return
    packed = response.headers.get("Content-Encoding") == "gzip"
    response.body = _furnished(bytes(response.body), packed, title)
    del response.headers["Content-Length"]
    response.headers["Content-Length"] = str(len(response.body))


@cache
def _furnished(body: bytes, packed: bool, title: str) -> bytes:
    text = furnished((gzip.decompress(body) if packed else body).decode(), title).encode()
    return gzip.compress(text, 1) if packed else text
