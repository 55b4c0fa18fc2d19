"""Who gets to the page: real requests, from this page and from other sites, with the token and without."""

from __future__ import annotations

import functools
import http.server
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.helpers.browser import Browser
from tests.helpers.page_client import PageClient
from tests.helpers.waiting import until
from ubersim.client.supervisor import supervise
from ubersim.viewer.page import Page

TOKEN = "grün & 100%"
UPGRADE = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}  # fmt: skip
FOREIGN = [
    {"Host": "evil.example"},
    {"Host": "evil.example:8080"},
    {"Host": "127.0.0.1.evil.example"},
    {"Host": "127.0.0.1@evil.example"},
    {"Host": ""},
    {"Origin": "http://evil.example"},
    {"Origin": "https://127.0.0.1:8080"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "null"},
    {"Host": "evil.example", "Origin": "http://evil.example"},
]
"""Other sites; one that has a name of its own for this machine; pages of other programs on this machine."""


@pytest.fixture
def page() -> Iterator[Page]:
    page = Page()
    yield page
    page.stop()


@pytest.fixture
def locked() -> Iterator[Page]:
    """A page that asks for a token."""
    page = Page(token=TOKEN)
    yield page
    page.stop()


@pytest.mark.parametrize("asked", [b"HEAD / HTTP/1.1\r\n\r\n", b"\0\xff\r\n\r\n", b""])
def test_who_wants_no_page_is_not_told_of_at_length(page: Page, asked: bytes, caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_connection(("127.0.0.1", page.get_port()), 30) as connection:
        connection.sendall(asked)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 16):
            pass
    page.stop()
    assert not caplog.records


def ask(page: Page, path: str = "/", **headers: str) -> tuple[int, str, str]:
    """Status, head and body of the answer to a request with exactly these headers."""
    port = page.get_port()
    lines = {"Host": f"127.0.0.1:{port}"} | {name.replace("_", "-"): value for name, value in headers.items()}
    with socket.create_connection(("127.0.0.1", port), 30) as connection:
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        connection.sendall(f"GET {path} HTTP/1.1\r\n{head}\r\n".encode())
        answer = b""
        while b"\r\n\r\n" not in answer and (data := connection.recv(1 << 16)):
            answer += data
        status = int(answer.split(maxsplit=2)[1])
        while status != 101 and (data := connection.recv(1 << 16)):
            answer += data
    head, _, body = answer.decode(errors="replace").partition("\r\n\r\n")
    return status, head, body


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_foreign_requests_are_refused(page: Page, headers: dict[str, str]) -> None:
    assert ask(page, **headers)[0] in (400, 403)
    assert ask(page, **UPGRADE, **headers)[0] in (400, 403)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_the_page_is_opened_by_every_name_of_this_machine(page: Page, name: str) -> None:
    """With another port where ssh forwards it."""
    for host in (name, f"{name}:{page.get_port()}", f"{name}:9999"):
        assert ask(page, Host=host)[0] == 200
        assert ask(page, Host=host, Origin=f"http://{host}", **UPGRADE)[0] == 101


def test_no_other_site_has_the_page_in_a_frame(page: Page) -> None:
    assert "frame-ancestors 'self'" in ask(page)[1]


def test_without_the_token_there_is_a_form_and_no_more(locked: Page) -> None:
    status, _, body = ask(locked)
    assert status == 401 and "asks for the server's token" in body and len(body) < 3000
    for headers in (
        {}, {"Cookie": "ubersim=1"}, {"Cookie": "=;;=,"}, {"Cookie": "a/b=c"}, {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer "}, {"Authorization": TOKEN.encode().decode("latin-1")},
    ):  # fmt: skip
        assert ask(locked, "/session", **headers)[0] == 401
        assert ask(locked, **UPGRADE, **headers)[0] == 401


def test_the_token_gets_a_cookie_that_opens_the_page(locked: Page) -> None:
    """The cookie is not the token: browsers send cookies to all ports of a machine."""
    address = urlsplit(locked.address)
    assert address.path == "/enter" and address.fragment == "token=gr%C3%BCn%20%26%20100%25"
    given = "Bearer " + address.fragment.removeprefix("token=")
    status, head, _ = ask(locked, "/session", Authorization=given)
    cookie = re.search(rf"Set-Cookie: (ubersim-{locked.get_port()}=[\w-]+); (.*)", head)
    assert status == 204 and cookie and "HttpOnly; SameSite=Strict" in cookie[2]
    assert ask(locked, Cookie=f"other=1; {cookie[1]}")[0] == 200
    assert ask(locked, Cookie=cookie[1], **UPGRADE)[0] == 101
    assert ask(locked, Authorization=given, **UPGRADE)[0] == 101
    assert ask(locked, Cookie=cookie[1], Origin="http://evil.example", **UPGRADE)[0] == 403
    assert ask(locked, "/session", Authorization=given, Host="evil.example")[0] == 403


def test_a_client_with_the_token_is_let_in(locked: Page) -> None:
    with PageClient(locked.address, token=TOKEN):
        until(locked.get_clients)


@pytest.fixture
def other_site(tmp_path: Path) -> Iterator[str]:
    """The address of a page of another origin on this machine."""
    (tmp_path / "index.html").write_text("<title>elsewhere</title>")
    handler = functools.partial(_Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Says nothing."""


def test_another_site_in_the_browser_cannot_reach_the_page(page: Page, other_site: str) -> None:
    with Browser() as browser:
        browser.open(other_site)
        browser.wait(lambda: browser.run("document.title == 'elsewhere'"))
        place = page.address.replace("http", "ws")
        browser.run(
            f"(() => {{ const s = new WebSocket('{place}', 'viser-v1'); window.outcome = '';"
            " s.onopen = () => { window.outcome = 'open' }; s.onerror = () => { window.outcome = 'refused' } })()"
        )
        assert browser.wait(lambda: browser.run("window.outcome")) == "refused"
    assert not page.get_clients()


def test_a_server_with_a_token_prints_an_address_that_opens_its_page(tmp_path: Path) -> None:
    """Also where robots come from other machines: the page is for this one."""
    (tmp_path / "token").write_text(TOKEN)
    serve = [sys.executable, "-m", "ubersim.cli", "serve", "--port", "0", "--clients", "0", "--rate", "1"]
    serve += ["--host", "0.0.0.0", "--token-file", str(tmp_path / "token"), "--view", "--view-port", "0"]
    server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        port = int(server.stdout.readline().rpartition(":")[2])
        address = server.stdout.readline().split()[-1]
        assert address.startswith("http://127.0.0.1:") and "/enter#token=" in address
        with Browser() as browser, supervise(port=port, token=TOKEN) as world:
            browser.open(address.replace("token=", "token=x"))
            browser.wait(lambda: browser.run("document.body?.innerText.includes('not the token')"))
            browser.open("about:blank")
            browser.open(address)
            browser.wait(lambda: browser.run("document.body?.innerText.includes('real time')"))
            assert TOKEN not in browser.run("location.href") and "token" not in browser.run("location.href")
            browser.press("Pause")
            browser.wait(lambda: world.truth().standing)
    finally:
        server.terminate()
        server.wait(120)
        server.stdout.close()
