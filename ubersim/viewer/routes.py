"""What the page's own script may ask this process for, beside what viser's does: to pick something, to save a table.

Requests need a header that browsers let no other site send without asking first; and that is refused.
"""

from __future__ import annotations

import http
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

ROOT = "/ubersim/"
"""Where all of them are."""
HEADER = "X-Ubersim-Page"
"""What every request has to have."""
LONGEST = 20_000
"""Of an address [characters]."""


@dataclass(frozen=True)
class Document:
    """An answer that is more than a nod."""

    content: bytes
    kind: str
    """Its media type."""


Route = Callable[[Mapping[str, str]], Document | None]


class Routes:
    """Functions by path; each is called in viser's thread, with the arguments of the address."""

    def __init__(self) -> None:
        self._routes: dict[str, Route] = {}

    def on(self, path: str, route: Route) -> None:
        """From now on, this function answers for this path."""
        self._routes[path] = route

    def answer(self, request: Request) -> Response | None:
        """None: it is not for us."""
        place = urlsplit(request.path)
        if not place.path.startswith(ROOT):
            return None
        if HEADER not in request.headers or len(request.path) > LONGEST:
            return respond(http.HTTPStatus.FORBIDDEN, "this is for the page's own script\n")
        route = self._routes.get(place.path.removeprefix(ROOT))
        if route is None:
            return respond(http.HTTPStatus.NOT_FOUND, "there is no such thing\n")
        try:
            document = route(dict(parse_qsl(place.query, keep_blank_values=True)))
        except (KeyError, ValueError) as error:
            return respond(http.HTTPStatus.BAD_REQUEST, f"{error}\n")
        if document is None:
            return respond(http.HTTPStatus.NO_CONTENT, "")
        return respond(http.HTTPStatus.OK, document.content, document.kind)


def respond(status: http.HTTPStatus, body: str | bytes, kind: str = "text/plain; charset=utf-8") -> Response:
    """A whole answer, that nothing keeps."""
    content = body.encode() if isinstance(body, str) else body
    headers = Headers({"Content-Type": kind, "Cache-Control": "no-store"})
    headers["Content-Length"] = str(len(content))
    headers["Connection"] = "close"
    return Response(status, status.phrase, headers, content)
