"""A server with its page, robots with their programs, and a browser that looks at it."""

from __future__ import annotations

import contextlib
import importlib
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ubersim
from tests.helpers.browser import Browser
from tests.helpers.waiting import until

CLIENTS = Path(__file__).parents[2] / "clients"
Behaviour = Callable[[ubersim.RemoteRobot], object]

_TIME = "Number(document.body.innerText.match(/([0-9.]+) s · frame/)?.[1] ?? -1)"
_ROBOTS = "document.querySelectorAll('.us-tree [data-key^=\"Robot|\"]').length"


class Stage:
    """A page as somebody sees it who clicks here and there, and a supervisor, who says when time goes on."""

    def __init__(self, browser: Browser, port: int) -> None:
        self.browser, self.port = browser, port
        if port:
            self.world = ubersim.supervise(port=port)
            self.world.pause()

    def pick(self, key: str, *opened: str) -> None:
        """Chooses in the tree, after branches of it were opened."""
        for branch in opened:
            self._find(f'details[data-key="{branch}"]', ".open = true")
        self._find(f'.us-tree [data-key="{key}"]', ".click()")
        marked = "document.querySelector('.us-tree [aria-current]')?.dataset.key"
        self.browser.wait(lambda: self.browser.run(marked) == key)

    def _find(self, selector: str, what: str) -> None:
        """Waits for an element, and does something with it."""
        element = f"document.querySelector('{selector}')"
        self.browser.wait(lambda: self.browser.run(f"!!{element}"))
        self.browser.run(element + what)

    def enter(self, *casts: tuple[str, Behaviour, dict[str, Any]]) -> None:
        """Robots join, each with its program in a thread; the first frame is on the page when it returns."""
        for robot, behave, how in casts:
            threading.Thread(target=_live, args=(robot, self.port, behave, how), daemon=True).start()
        until(lambda: len(self.world.scene()["robots"]) == len(casts))
        self.world.step()
        self.browser.wait(lambda: self.browser.run(_ROBOTS) == len(casts))

    def run(self, seconds: float, rate: float = 0.5) -> None:
        """Lets time go on, slowly, so that graphs have many points; it stands still then."""
        self.world.rate(rate)
        frame = self.world.step(round(seconds / 0.001))
        self.browser.wait(lambda: self.browser.run(f"document.body.innerText.includes('frame {frame} · stands still')"))

    def time(self) -> float:
        """What the page says [s]."""
        return float(self.browser.run(_TIME))

    def look_at(self, button: str) -> None:
        """Aims the camera by a button of the tab View."""
        self.browser.press("View")
        self.browser.press(button)

    def unfold(self, title: str) -> None:
        """Opens a folder of the controls."""
        self.browser.run(
            f"[...document.querySelectorAll('*')].findLast(e => e.innerText?.trim() === {title!r}).click()"
        )

    def scroll_to(self, text: str) -> None:
        """Brings what begins with this text to the top of the controls."""
        found = (
            f"[...document.querySelectorAll('button, legend, [role=tab]')].find(e => e.innerText.trim() === {text!r})"
        )
        self.browser.wait(lambda: self.browser.run(f"!!{found}"))
        self.browser.run(f"{found}.scrollIntoView({{block: 'start'}})")

    def take(self, file: Path) -> None:
        """The picture, once the page is at rest: notes are gone, and two pictures one after the other are the same."""
        note = "document.querySelectorAll('.mantine-Notification-closeButton')"
        last: list[bytes] = []

        def still() -> bool:
            self.browser.run(f"{note}.forEach(one => one.click())")
            last.append(self.browser.picture(file).tobytes())
            return not self.browser.run(f"{note}.length") and len(last) > 3 and len(set(last[-3:])) == 1

        self.browser.wait(still)


@contextlib.contextmanager
def page_of(*words: object, size: tuple[int, int] = (1280, 800)) -> Iterator[Stage]:
    """The page that a verb of the command line opens beside a server."""
    command = [sys.executable, "-m", "ubersim.cli", *map(str, words), "--view", "--view-port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            port, address = 0, ""
            for line in server.stdout:
                if found := re.match(r"listening on \S+:(\d+)", line):
                    port = int(found[1])
                if found := re.match(r"page at (\S+)", line):
                    address = found[1]
                    break
            with Browser(*size) as browser:
                browser.resize(*size)
                browser.open(address)
                browser.wait(lambda: browser.run("!!document.querySelector('.us-tree')"))  # robots come after it
                stage = Stage(browser, port)
                yield stage
                if port:
                    stage.world.close()
        finally:
            server.terminate()


def program(name: str, function: str) -> Behaviour:
    """A robot's program of clients/."""
    if str(CLIENTS) not in sys.path:
        sys.path.insert(0, str(CLIENTS))
    behave = getattr(importlib.import_module(name), function)
    return lambda robot: behave(robot, iter(robot))


def _live(robot: str, port: int, behave: Behaviour, how: dict[str, Any]) -> None:
    with contextlib.suppress(OSError), ubersim.connect(robot, port=port, **how) as alive:
        behave(alive)
