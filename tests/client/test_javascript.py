"""The JavaScript client in a real browser: a robot of the browser's is in lockstep, to the bit."""

from __future__ import annotations

import http.client
import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect as open_websocket
from websockets.typing import Origin

from tests.helpers.browser import Browser
from tests.helpers.paths import ROOT
from tests.helpers.robots import cart, segway
from tests.helpers.serving import Serving
from ubersim.cli.web_files import WebFiles
from ubersim.client import connect
from ubersim.conformance import conform
from ubersim.control.balancer import Balancer
from ubersim.protocol import Ack, ClientConnection, End, FrameEnd, Handshake, Timestamp
from ubersim.recording import Log, Recorder
from ubersim.recording.program_entries import ProgramEntries
from ubersim.recording.tables import topics
from ubersim.simulation import Simulation
from ubersim.transport.address import Address
from ubersim.transport.web_gateway import WebGateway

FRAMES = 400


@contextmanager
def gateway_to(serving: Serving, root: Path | None) -> Iterator[WebGateway]:
    with WebGateway(Address("127.0.0.1", serving.port), 0, WebFiles(root).find) as gateway:
        yield gateway
        serving.result()


def test_the_segway_is_balanced_in_the_browser_to_the_bit(tmp_path: Path) -> None:
    """The page's law is Python's: in lockstep, the same bodies in every frame."""
    for file in (ROOT / "clients" / "javascript").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "segway.xml").write_text(segway())
    digests = [io.StringIO(), io.StringIO()]
    serving = Serving(Simulation(), FRAMES, clients=1, digest=digests[0])
    with gateway_to(serving, tmp_path) as gateway, Browser() as browser:
        browser.open(f"http://127.0.0.1:{gateway.port}/segway.html")
        result = browser.wait(lambda: browser.run("window.result"))
    assert result["frames"] == FRAMES
    assert abs(result["tilt"]) < 0.2
    assert result["end"] == {"reason": "finished", "frame": FRAMES, "text": "the run has ended"}
    serving = Serving(Simulation(), FRAMES, clients=1, digest=digests[1])
    with connect(segway(), port=serving.port) as robot:
        balancer = Balancer()
        for frame in robot:
            if "Tilt" in frame:
                speed = balancer.update(float(frame["Tilt"]))
                robot.set("LMotor", "Vel", speed)
                robot.set("RMotor", "Vel", speed)
    serving.result()
    assert digests[0].getvalue() == digests[1].getvalue()


ARROWS = """["ArrowUp", "ArrowDown", "Home"].map((key) =>
    dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true })))"""
"""Whether the page leaves each key to the browser, which scrolls by it."""


def test_the_arrow_keys_that_lean_the_segway_do_not_scroll_its_page() -> None:
    serving = Serving(Simulation(), FRAMES, clients=1)
    with gateway_to(serving, ROOT / "clients" / "javascript") as gateway, Browser() as browser:
        browser.open(f"http://127.0.0.1:{gateway.port}/segway.html")
        browser.wait(lambda: browser.run("window.result"))
        assert browser.run(ARROWS) == [False, False, True]


PAGE = """<script type="module">
import { connect } from "./ubersim.js";
const robot = await connect(`ws://${location.host}`, await (await fetch("cart.xml")).text());
window.refused = [];
for await (const frame of robot) {
    if (frame.time > 0) continue;
    for (const [name, ...how] of [["number", 1.5], ["switch", true], ["vector", [1, 2]],
        ["floats", new Float32Array([3])], ["text", "warm", "warning"], ["image", new Uint8Array([0xff, 0xd8, 0xff])],
        ["points", Array.from({ length: 7000 }, (_, i) => [i, 0, 1]), "info", "Base"],
        ["drawing", { text: "go", at: [0, 0, 1] }, "info", "Base"]]) robot.log(name, ...how);
    for (const [value, level] of [["x", "warn"], [undefined], [null]])
        try { robot.log("bad", value, level); } catch (error) { refused.push(error.message); }
    robot.set("Motor", "Vel", 5);
    robot.cancel("Motor");
}
window.result = robot.end;
</script>"""


def test_what_it_logs_is_in_the_log_and_what_it_takes_back_is_not(tmp_path: Path) -> None:
    (tmp_path / "ubersim.js").write_bytes((ROOT / "clients" / "javascript" / "ubersim.js").read_bytes())
    (tmp_path / "page.html").write_text(PAGE)
    (tmp_path / "cart.xml").write_text(cart().replace("<CSettings>", "<CSettings><Protocol>2</Protocol>"))
    simulation = Simulation()
    with Recorder(simulation, tmp_path / "run.mcap"):
        serving = Serving(simulation, 20, clients=1)
        with gateway_to(serving, tmp_path) as door, Browser() as browser:
            browser.open(f"http://127.0.0.1:{door.port}/page.html")
            assert browser.wait(lambda: browser.run("window.result"))["reason"] == "finished"
            refused = browser.run("window.refused")
    assert refused[0] == "the level warn is none of debug, info, warning, error, fatal"
    assert refused[1:] == ["undefined cannot be logged", "null cannot be logged"]
    with Log(tmp_path / "run.mcap") as log:
        said = {each.entry.name: each.entry for each in ProgramEntries(log).between(0, 20)}
        assert not any(topic.startswith("/Cart/Motor") for topic in topics(log))
    assert (said["number"].value, said["switch"].value, said["text"].value) == (1.5, 1.0, "warm")
    assert said["vector"].value.tolist() == [1.0, 2.0] and said["floats"].value.tolist() == [3.0]
    assert said["text"].level == "warning" and said["image"].value == b"\xff\xd8\xff"
    assert said["points"].value[:, 0].tolist() == list(range(7000)) and said["points"].space == "Base"
    assert said["drawing"].value == {"text": "go", "at": [0, 0, 1], "space": "Base"}


def test_it_conforms_in_a_browser_without_a_screen() -> None:
    """The first trial of `ubersim conform`; all of them take a minute, for each starts a browser."""
    program = [sys.executable, str(ROOT / "clients" / "javascript" / "headless.py"), "{host}", "{port}"]
    name, _, faults = next(conform(program, patience=60.0))
    assert (name, faults) == ("frames", [])


def test_the_gateway_hands_on_bytes_however_they_are_cut() -> None:
    serving = Serving(Simulation(), 3, clients=1)
    wire = ClientConnection()
    document = cart().replace("<CSettings>", "<CSettings><Protocol>2</Protocol>")
    seen: list[object] = []
    with (
        gateway_to(serving, None) as gateway,
        open_websocket(f"ws://127.0.0.1:{gateway.port}", compression=None) as browser,
    ):
        for byte in wire.send(Handshake(document.encode())):
            browser.send(bytes([byte]))
        for data in browser:
            assert isinstance(data, bytes)
            wire.receive_data(data)
            for event in wire.events():
                seen.append(event)
                if isinstance(event, Timestamp):
                    time = event.time
                elif isinstance(event, FrameEnd):
                    browser.send(wire.send(Ack(time)))
    assert seen[-1] == End("finished", 3, "the run has ended")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example:80"])
def test_pages_of_other_sites_stay_outside(origin: str) -> None:
    serving = Serving(Simulation(), 1, clients=0)
    with gateway_to(serving, None) as gateway:
        with pytest.raises(InvalidStatus, match="403"):
            open_websocket(f"ws://127.0.0.1:{gateway.port}", origin=Origin(origin))
        asking = http.client.HTTPConnection("127.0.0.1", gateway.port)
        asking.request("GET", "/robots/segway.xml", headers={"Host": "evil.example"})
        assert asking.getresponse().status == 403


@pytest.mark.parametrize(
    ("path", "status"),
    [("/page.html", 200), ("/", 200), ("/robots/segway.xml", 200), ("/secret", 404), ("/../secret", 404),
     ("/%2e%2e/secret", 404), ("/robots/../secret", 404), ("/robots/none.xml", 404), ("/%00", 404)],
)  # fmt: skip
def test_files_for_browsers(path: str, status: int, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "secret").write_text("secret")
    for name in ("page.html", "index.html"):
        (tmp_path / "root" / name).write_text("<p>here")
    serving = Serving(Simulation(), 1, clients=0)
    with gateway_to(serving, tmp_path / "root") as gateway:
        asking = http.client.HTTPConnection("127.0.0.1", gateway.port)
        asking.request("GET", path)
        answer = asking.getresponse()
        assert answer.status == status
        if path == "/page.html":
            assert (answer.headers["Content-Type"], answer.read()) == ("text/html", b"<p>here")


def test_a_server_that_has_gone_closes_the_gateway() -> None:
    serving = Serving(Simulation(), None, clients=1)
    with gateway_to(serving, None) as gateway, open_websocket(f"ws://127.0.0.1:{gateway.port}") as browser:
        browser.send(cart() + "\0")  # as a text, which is as good
        first = browser.recv()
        assert isinstance(first, bytes) and b"Welcome" in first
        threading.Timer(0.0, serving.server.stop).start()
        while True:
            try:
                browser.recv(timeout=60)
            except Exception as error:
                assert "ConnectionClosed" in type(error).__name__
                break
