"""Who may open the page: browsers that came to it by this machine's own name, with the server's token if it has one.

A browser also runs the programs of other sites, and lets them send requests to this machine. It says by `Origin` whose
program it is, and by `Host` under which name this machine was reached: a site may let a name of its own lead here.
"""

from __future__ import annotations

import hmac
import http
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import quote, unquote

import websockets.asyncio.server
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from ubersim.viewer.browser_files import furnish
from ubersim.viewer.routes import Routes, respond
from ubersim.viewer.sign_in import SIGN_IN_PAGE

OWN_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""Names that lead to this machine whatever others say; with any port, so that the page can be forwarded by ssh."""
ENTER, SESSION = "/enter", "/session"
"""Where the token is read from the address, and where it is given for a cookie."""

Answer = Callable[[Any, Request], Any]


class Guard:
    """Looks at every request before the page does, those for WebSockets included."""

    def __init__(self, token: str | None = None, title: str = "ÜberSim") -> None:
        self._token = token
        self._title = title
        self.routes = Routes()
        """What is answered here, instead of by viser."""
        self._session = secrets.token_urlsafe(32)  # in the cookie instead of the token: cookies go to all ports
        self.installed = False
        """Whether requests come here."""

    def path(self) -> str:
        """What to open first, with the token where browsers keep it to themselves."""
        return "" if self._token is None else f"{ENTER}#token={quote(self._token, safe='')}"

    def before(self, answer: Answer) -> Answer:
        """Answers instead of the page where it has to."""
        self.installed = True

        def guarded(connection: Any, request: Request) -> Any:
            response = self.refusal(request) or self._admission(request) or self.routes.answer(request)
            if response is None:
                response = answer(connection, request)
                if isinstance(response, Response):
                    furnish(response, self._title)
            if isinstance(response, Response):
                response.headers["Content-Security-Policy"] = "frame-ancestors 'self'"  # no clicks through other sites
                response.headers["Referrer-Policy"] = "no-referrer"
            return response

        return guarded

    def refusal(self, request: Request) -> Response | None:
        """For requests that are not made by the page itself, or by a program of this machine."""
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        if len(hosts) != 1 or _name_and_port(hosts[0])[0] not in OWN_NAMES:
            return _response(http.HTTPStatus.FORBIDDEN, "this page is opened as 127.0.0.1 or localhost\n")
        if any(origin.lower() != f"http://{hosts[0].lower()}" for origin in origins):
            return _response(http.HTTPStatus.FORBIDDEN, "this page is not for other sites\n")
        return None

    def _admission(self, request: Request) -> Response | None:
        """Asks for the token, if there is one."""
        if self._token is None:
            return None
        path = request.path.partition("?")[0]
        if path == ENTER:
            return _response(http.HTTPStatus.OK, SIGN_IN_PAGE)
        cookie = f"ubersim-{_name_and_port(request.headers['Host'])[1]}"  # pages at other ports have others
        if self._knows_token(request.headers):
            if path != SESSION:
                return None
            response = _response(http.HTTPStatus.NO_CONTENT, "")
            response.headers["Set-Cookie"] = f"{cookie}={self._session}; Path=/; HttpOnly; SameSite=Strict"
            return response
        if _same(_cookies(request.headers).get(cookie, ""), self._session):
            return None
        return _response(http.HTTPStatus.UNAUTHORIZED, SIGN_IN_PAGE)

    def _knows_token(self, headers: Headers) -> bool:
        kind, _, given = headers.get("Authorization", "").partition(" ")
        return kind == "Bearer" and _same(unquote(given), self._token or "")


@contextmanager
def guarded_by(guard: Guard) -> Iterator[None]:
    """Servers of WebSockets that are started meanwhile ask the guard first: viser has no place for that itself."""
    module: Any = websockets.asyncio.server
    serve = module.serve

    def serve_guarded(*arguments: Any, process_request: Answer, **more: Any) -> Any:
        return serve(*arguments, process_request=guard.before(process_request), **more)

    module.serve = serve_guarded
    try:
        yield
    finally:
        module.serve = serve


def _name_and_port(host: str) -> tuple[str, str]:
    name, colon, port = host.lower().rpartition(":")
    return (name, port) if colon and port.isdigit() else (host.lower(), "80")


def _same(given: str, secret: str) -> bool:
    """Compared in constant time."""
    return hmac.compare_digest(given.encode(errors="replace"), secret.encode())


def _cookies(headers: Headers) -> dict[str, str]:
    jar: SimpleCookie = SimpleCookie()
    for line in headers.get_all("Cookie"):
        try:
            jar.load(line)
        except CookieError:
            continue
    return {name: morsel.value for name, morsel in jar.items()}


def _response(status: http.HTTPStatus, text: str) -> Response:
    kind = "text/html" if text.startswith("<") else "text/plain"
    return respond(status, text, f"{kind}; charset=utf-8")
