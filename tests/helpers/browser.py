"""A real browser without a screen, driven by its DevTools protocol."""

from __future__ import annotations

import base64
import io
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import axe_core_python
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from websockets.sync.client import ClientConnection, connect

_FLAGS = [
    "--headless",
    "--no-sandbox",  # tests may run as root
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--use-gl=angle",
    "--use-angle=swiftshader",  # WebGL where there is no graphics card
    "--enable-unsafe-swiftshader",
    "--disable-gpu-rasterization",  # Debian asks for it, and it is slow without one
    "--remote-debugging-port=0",
]

_SLOW_SCREEN = """(() => {
  const draw = window.requestAnimationFrame.bind(window), cancel = window.cancelAnimationFrame.bind(window);
  const waiting = new Map();
  let number = 0;
  window.requestAnimationFrame = callback => {
    const own = ++number;
    const later = () => waiting.set(own, [cancel, draw(now => { waiting.delete(own); callback(now) })]);
    waiting.set(own, [clearTimeout, setTimeout(later, 400)]);
    return own;
  };
  window.cancelAnimationFrame = own => {
    const [stop, id] = waiting.get(own) ?? [() => {}];
    waiting.delete(own);
    stop(id);
  };
})()"""
"""Two pictures per second at most: without a graphics card, they would take all that the machine has."""


class Browser:
    """One tab; every request that it makes is written down."""

    def __init__(self, width: int = 1000, height: int = 700) -> None:
        self.requests: list[str] = []
        """URLs of everything that was asked for since the beginning."""
        self._profile = tempfile.mkdtemp(prefix="ubersim-browser-")
        self._process = subprocess.Popen(
            ["chromium", *_FLAGS, f"--window-size={width},{height}", f"--user-data-dir={self._profile}", "about:blank"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, start_new_session=True,
            env=os.environ | {"TMPDIR": self._profile},  # where it would leave empty folders behind
        )  # fmt: skip
        self._number = 0
        self._wire = self._connect()
        self._session: str | None = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Network.enable")
        self.ask("Page.enable")
        self.ask("Page.addScriptToEvaluateOnNewDocument", source=_SLOW_SCREEN)
        self.ask("Runtime.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self._wire.close()
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(120)
        assert self._process.stderr is not None
        self._process.stderr.close()
        shutil.rmtree(self._profile, ignore_errors=True)

    def open(self, url: str) -> None:
        """Goes to a page."""
        self.ask("Page.navigate", url=url)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the protocol."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        self._wire.send(json.dumps(message))
        while True:
            answer = json.loads(self._wire.recv(timeout=120))
            self._note(answer)
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def save_to(self, folder: Path) -> None:
        """Where files go that pages save."""
        self.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def resize(self, width: int, height: int) -> None:
        """As on another screen."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def violations(self) -> dict[str, Any]:
        """What axe, the checker of accessibility, finds wrong with the page, by rule, with what it is about."""
        checker = Path(axe_core_python.__file__).parent / "axe.min.js"
        self.ask("Runtime.evaluate", expression=checker.read_text(encoding="utf-8"))
        told = "violations.map(v => [v.id, v.nodes.map(node => node.html.slice(0, 200))])"
        self.run(f"void axe.run(document).then(found => {{ window.found = [found.{told}] }})")
        (found,) = self.wait(lambda: self.run("window.found"))
        return dict(found)

    def wait(self, condition: Callable[[], Any], seconds: float = 200.0) -> Any:
        """Until it is true; its value. Pages are slow where a busy processor has to draw them."""
        deadline = time.monotonic() + seconds
        while not (value := condition()):
            assert time.monotonic() < deadline, "it did not come true"
            time.sleep(0.1)
        return value

    def picture(self, file: Path | None = None) -> NDArray[np.uint8]:
        """What is to be seen, (height, width, 3)."""
        data = base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])
        if file is not None:
            file.write_bytes(data)
        return np.array(Image.open(io.BytesIO(data)).convert("RGB"))

    def drawn(self) -> NDArray[np.uint8]:
        """What WebGL has drawn, without what lies over it, (height, width, 3)."""
        largest = "[...document.querySelectorAll('canvas')].sort((a, b) => b.width * b.height - a.width * a.height)[0]"
        data = self.run(f"(() => {{ const c = {largest}; return c?.width ? c.toDataURL('image/png') : '' }})()")
        if not data:
            return np.zeros((1, 1, 3), np.uint8)  # nothing yet
        data = data.partition(",")[2]
        return np.array(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB"))

    def drag(self, element: str, *offsets: float) -> None:
        """Drags the element that an expression finds, with the left button, to the right by each of the offsets [px].

        A page that is still being laid out moves its elements away from below the mouse. So the button is pressed once
        the element stays where it is, and again if it was not the element that got the press.
        """
        self.run("window.addEventListener('mousedown', event => { window.pressed = event.target }, true)")
        x, y = self.wait(lambda: self._pressed(element))
        for offset in offsets:
            self._mouse("mouseMoved", x + offset, y, button="left")
        self._mouse("mouseReleased", x + offsets[-1], y, button="left", clickCount=1)

    def middle(self, element: str) -> tuple[float, float]:
        """Where the element is that an expression finds, scrolled into view."""
        box = self.run(
            f"(() => {{ const e = {element}; e.scrollIntoView({{block: 'center'}});"
            " const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2] })()"
        )
        return box[0], box[1]

    def press(self, label: str) -> None:
        """The button with this text."""
        find = f"[...document.querySelectorAll('button, [role=tab]')].find(b => b.innerText.trim() === {label!r})"
        self.wait(lambda: self.run(f"!!({find})"))
        self.run(f"{find}.click()")  # not by its place: the panel may be growing
        self.run(f"{find}?.dispatchEvent(new KeyboardEvent('keydown', {{key: 'Enter', bubbles: true}}))")  # tabs

    def _pressed(self, element: str) -> tuple[float, float] | None:
        """Presses the left button on an element; None, with nothing pressed any more, if the element is moving."""
        place = self.middle(element)
        time.sleep(0.3)
        hit = f"({element}).contains(document.elementFromPoint({place[0]}, {place[1]}))"
        if self.middle(element) != place or not self.run(hit):
            return None  # a press would reach something else, which may fold a panel or open a tab
        self._mouse("mouseMoved", *place)
        self._mouse("mousePressed", *place, button="left", clickCount=1)
        if self.run(f"({element}).contains(window.pressed)"):
            return place
        self._mouse("mouseReleased", *place, button="left", clickCount=1)
        return None

    def _mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def _note(self, event: dict[str, Any]) -> None:
        match event.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(event["params"]["request"]["url"])
            case "Network.webSocketCreated":
                self.requests.append(event["params"]["url"])

    def _connect(self) -> ClientConnection:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if found := re.search(r"ws://\S+", line):
                return connect(found[0], max_size=None, compression=None, ping_interval=None)
        raise AssertionError("chromium has not started")
