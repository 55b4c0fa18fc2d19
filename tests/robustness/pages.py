"""The live page, a browser that says what no page would, and a program that draws nonsense. The page lives on.

It runs in threads of this process, from the first such browser on, beside a robot whose program asks for everything.
"""

from __future__ import annotations

import contextlib
import json
import logging
import threading
from functools import cache
from random import Random
from typing import Any
from urllib.parse import quote

import msgspec
import numpy as np
import viser
from viser import _messages as messages
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as open_socket
from websockets.typing import Subprotocol

from tests.helpers.robots import cart
from tests.helpers.sensor_stage import sensor
from tests.helpers.serving import Serving
from tests.robustness.chance import ODD_NUMBERS, ODD_VALUES, chance, damaged_bytes, damaged_json, pick
from ubersim.client import connect
from ubersim.client.supervisor import supervise
from ubersim.errors import UberSimError
from ubersim.protocol.inputs import PageGamepad, PageKeyboard, PageMouse
from ubersim.protocol.log_entries import DRAWING, LogEntry
from ubersim.simulation import Simulation
from ubersim.viewer.live import Live
from ubersim.viewer.page import Page
from ubersim.viewer.routes import HEADER, ROOT
from ubersim.viewer.selection import Selection

KINDS = (
    "GuiUpdateMessage", "TransformControlsUpdateMessage", "TransformControlsDragStartMessage",
    "TransformControlsDragEndMessage", "SceneNodeClickMessage", "ScenePointerMessage", "ViewerCameraMessage",
    "FileTransferStartUpload", "FileTransferPart", "ShareUrlRequest", "ShareUrlDisconnect", "GuiCloseModalMessage",
)  # fmt: skip
"""What viser's own script may send; others it may not, which a browser does not know."""
PATHS = ("input", "input", "input", "pick", "restore", "graph/table", "graph/keep", "graph/pause", "nothing")
SAID = (
    "keys=ArrowUp+a", "x=nan&y=inf", "x=0.5&y=-0.5", "name=..%2F..%2Fx", "mouse=%5B", "gamepad=", "keys=" + "k" * 9000,
    "node=%2Fworld", "name=%00&frame=-1", "frame=99999999999999999999", "name=%ED%A0%80", "number=1", "number=-1",
)  # fmt: skip
EYE = sensor("CameraSensor", "Eye", "<Fov>60</Fov><Width>32</Width><Height>24</Height><Frequency>5</Frequency>")
MARK = {
    "lines": [[[1, 2], [30.5, 20]], [[3, 3], [4, 4]]], "points": [[5, 5], [6, 7]], "text": "ball", "at": [3, 20],
    "color": [1, 0.5, 0], "width": 2, "space": "Eye",
}  # fmt: skip
"""What a program may draw over the pictures of its camera."""
SECONDS = 60.0
"""After which a page that does not answer counts as one that hangs."""


class Hung(Exception):
    """The page, or what it shows, does not go on."""


class Stage:
    """A server, a robot's program, a page of it, and a browser."""

    def __init__(self) -> None:
        for name in ("websockets", "asyncio"):  # where viser sends a browser away, it shows a stack of calls
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        self._serving = Serving(Simulation(step=0.02), None, clients=1, rate=1.0)
        self._world = supervise(port=self._serving.port, name="test")
        self._program = threading.Thread(target=self._drive, daemon=True)
        self._program.start()
        self.page = Page()
        self._live = Live(self.page, supervise(port=self._serving.port), supervise(port=self._serving.port))
        self.ended: BaseException | None = None
        self._showing = threading.Thread(target=self._show, daemon=True)
        self._showing.start()
        self._address = self.page.address.replace("http", "ws", 1)
        threading.Thread(target=self._watch, daemon=True).start()

    def _drive(self) -> None:
        with connect(cart().replace("<Incl", EYE + "<Incl"), port=self._serving.port, protocol=2) as robot:
            robot.parameter("gain", 1.0, low=0, high=2)
            robot.parameter("mode", "a", choices=["a", "b"])
            robot.parameter("text", "x")
            robot.parameter("on", True)
            robot.parameter("free", 1.0)
            keys, mouse, gamepad = PageKeyboard(robot), PageMouse(robot), PageGamepad(robot)
            for _ in robot:
                _ = list(keys), mouse.position, mouse.buttons, gamepad.axes, gamepad.buttons

    def _show(self) -> None:
        try:
            self._live.run()
        except BaseException as error:
            self.ended = error

    def _watch(self) -> None:
        """A good browser, for without one the page rests."""
        with self._browser() as browser:
            for _ in browser:
                pass

    def _browser(self) -> ClientConnection:
        version = Subprotocol(f"viser-v{viser.__version__}")
        return open_socket(self._address, subprotocols=[version], max_size=None, compression=None)

    def controls(self) -> list[str]:
        """Their names on the wire."""
        return list(self.page.gui._gui_input_handle_from_uuid)

    def say(self, said: list[bytes]) -> None:
        """A browser's messages; it may be sent away at any of them."""
        with contextlib.suppress(ConnectionClosed, OSError), self._browser() as browser:
            for one in said:
                browser.send(one)

    def ask(self, path: str) -> None:
        """What the page's own script asks for."""
        self.page.routes.answer(Request(ROOT + path, Headers({HEADER: "1"})))

    def draw(self, entry: LogEntry) -> None:
        """What the program logs, as it comes to the page, whose detail is of the program's camera."""

        def take() -> None:
            self._live.inspector.pick(Selection("Sensors", "Cart", "Eye"))
            self._live.messages.take("Cart", 0.0, entry)
            self._live.workspace.pictures.over(np.zeros((24, 32, 3), np.uint8), "Cart", "Eye")

        entry.check()
        self.page.later(take)

    def check(self) -> None:
        """The page still does what is put off, and the robot's program goes on."""
        done = threading.Event()
        self.page.later(done.set)
        if not done.wait(SECONDS) or self.ended is not None:
            raise Hung("the page has ended") from self.ended
        if not self._program.is_alive():
            raise Hung("the robot's program has ended")
        before = self._serving.simulation.frame
        for _ in range(int(SECONDS * 20)):
            if self._serving.simulation.frame != before:
                return
            self._world.rate(1.0)  # a browser may have paused it, which pages may do, or made it slow
            self._world.resume()
            threading.Event().wait(0.05)
        raise Hung("the world stands still")

    def close(self) -> None:
        """Nothing of it goes on."""
        self._world.close()
        self._serving.server.stop()
        self._serving.result()
        self._program.join(SECONDS)
        self._showing.join(SECONDS)
        self.page.stop()


@cache
def _stage() -> Stage:
    return Stage()


def close() -> None:
    """Ends the page; the next browser gets another one."""
    _stage().close()
    _stage.cache_clear()


def _value(random: Random) -> Any:
    """Something that msgpack can say."""
    if chance(random, 0.2):
        return [_value(random) for _ in range(random.randrange(5))]
    found = pick(random, [*ODD_NUMBERS, *ODD_VALUES, "a", "b", "Pause", "Cart", 3, -5, True])
    if isinstance(found, str):
        return found.encode(errors="replace").decode()
    return float(min(abs(found), 10**300)) if isinstance(found, int) and not -(2**63) <= found < 2**63 else found


def _message(random: Random, controls: list[str]) -> bytes:
    kind = pick(random, KINDS)
    form = getattr(messages, kind, messages.GuiUpdateMessage)
    said: dict[str, Any] = {name: _value(random) for name in form.__annotations__ if chance(random, 0.99)}
    said["type"] = form.__name__
    for name in ("position", "ray_origin", "ray_direction", "look_at", "up_direction", "wxyz"):
        if name in said and chance(random, 0.8):
            said[name] = [pick(random, ODD_NUMBERS) for _ in range(4 if name == "wxyz" else 3)]
    if form is messages.GuiUpdateMessage and chance(random, 0.95):
        said |= {"uuid": pick(random, controls), "updates": {pick(random, ["value"] * 9 + ["visible"]): _value(random)}}
    encoded = msgspec.msgpack.encode(said)
    return damaged_bytes(random, encoded) if chance(random, 0.03) else encoded


def _device(random: Random) -> str:
    """What a mouse or a gamepad says, with numbers that none has."""
    numbers = [pick(random, [*ODD_NUMBERS, 10**400, None, "x", 1, 0]) for _ in range(random.randrange(4))]
    said = json.dumps({pick(random, ["at", "axes", "buttons"]): numbers})
    return f"{pick(random, ['mouse', 'gamepad'])}={quote(said)}"


def _drawing(random: Random) -> LogEntry:
    """In the pixels of a camera, with something wrong in it."""
    drawn: Any = MARK
    for _ in range(random.randrange(3)):
        drawn = damaged_json(random, drawn)
    said = json.dumps(drawn).encode(errors="replace")
    return LogEntry(
        pick(random, ["ball", "goal"]), DRAWING, damaged_bytes(random, said) if chance(random, 0.1) else said
    )


def run(random: Random) -> None:
    """One browser, its messages and requests; then the page has to be there."""
    stage = _stage()
    controls = stage.controls()
    stage.say([_message(random, controls) for _ in range(random.choice([1, 3, 10]))])
    for _ in range(random.randrange(3)):
        with contextlib.suppress(UberSimError):
            asked = [pick(random, SAID) if chance(random, 0.5) else _device(random) for _ in range(random.randrange(3))]
            stage.ask(f"{pick(random, PATHS)}?{'&'.join(asked)}")
    for _ in range(random.randrange(3)):
        with contextlib.suppress(UberSimError):
            stage.draw(_drawing(random))
    stage.check()
