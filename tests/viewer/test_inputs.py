"""Keys, mouse and gamepad of the page reach the program that asks for them."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from tests.helpers.browser import Browser
from tests.helpers.paths import ROOT
from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from tests.helpers.waiting import until
from ubersim.client import connect
from ubersim.client.supervisor import supervise
from ubersim.errors import RefusedError
from ubersim.protocol.inputs import PageGamepad, PageKeyboard, PageMouse
from ubersim.server import Server
from ubersim.simulation import Simulation
from ubersim.simulation.local_robot import LocalRobot
from ubersim.supervision.interventions import Interventions
from ubersim.viewer.live import Live
from ubersim.viewer.page import Page


@pytest.fixture
def robot() -> Iterator[LocalRobot]:
    simulation = Simulation()
    with LocalRobot(simulation, simulation.spawn(cart(), position=(0, 0, 0.3))) as robot:
        yield robot


def tell(robot: LocalRobot, name: str, text: str) -> None:
    Interventions(robot.simulation).execute("SetParameter", {"robot": "Cart", "name": name, "value": text})
    robot.next_frame()


def test_what_a_program_sees(robot: LocalRobot) -> None:
    keyboard, mouse, gamepad = PageKeyboard(robot), PageMouse(robot), PageGamepad(robot)
    assert (list(keyboard), mouse.position, mouse.buttons, gamepad.axes, gamepad.buttons) == (
        [], (0.0, 0.0), frozenset(), [], [],
    )  # fmt: skip
    tell(robot, "Keys", "ArrowUp a")
    tell(robot, "Mouse", '{"at": [0.5, -1], "buttons": [0, 2]}')
    tell(robot, "Gamepad", '{"axes": [0, -0.5], "buttons": [1]}')
    assert "ArrowUp" in keyboard and "b" not in keyboard and list(keyboard) == ["ArrowUp", "a"]
    assert (mouse.position, mouse.buttons) == ((0.5, -1.0), frozenset({0, 2}))
    assert (gamepad.axes, gamepad.buttons) == ([0.0, -0.5], [1.0])


NONSENSE = ["{", "[]", "null", '{"at": 1, "axes": ["x"]}', '{"at": [], "buttons": [null]}']
NONSENSE += [f'{{"at": [{odd}], "axes": [0, {odd}], "buttons": [{odd}]}}' for odd in ("1e999", "NaN")]
NONSENSE.append(f'{{"buttons": [1{"0" * 309}]}}')


@pytest.mark.parametrize("text", NONSENSE)
def test_what_makes_no_sense_is_nothing(robot: LocalRobot, text: str) -> None:
    mouse, gamepad = PageMouse(robot), PageGamepad(robot)
    tell(robot, "Mouse", text)
    tell(robot, "Gamepad", text)
    assert (mouse.position, mouse.buttons, gamepad.axes, gamepad.buttons) == ((0.0, 0.0), frozenset(), [], [])


ANGLE = "window.__viserMutable?.cameraControl?.polarAngle ?? 0"
"""From above to below, of the browser's camera."""


def drive(port: int, seen: list[str]) -> None:
    with connect(cart(), port=port, protocol=2) as robot:
        keyboard, gain = PageKeyboard(robot), robot.parameter("gain", 1.0, low=0, high=2)
        for _ in robot:
            seen += keyboard
            robot.set("Motor", "Vel", float(gain))


def test_a_key_that_is_pressed_in_a_browser() -> None:
    serving = Serving(Simulation(), None, clients=1, rate=1.0)
    seen: list[str] = []
    program = threading.Thread(target=drive, args=(serving.port, seen), daemon=True)
    program.start()
    with supervise(port=serving.port) as eye, supervise(port=serving.port) as hand:
        page = Page()
        live = Live(page, eye, hand)
        thread = threading.Thread(target=_quietly, args=(live,))
        thread.start()
        with Browser() as browser:
            browser.open(page.address)
            browser.wait(lambda: browser.run("!!document.getElementById('us-inputs')"))
            key: dict[str, Any] = {"key": "ArrowUp", "code": "ArrowUp", "windowsVirtualKeyCode": 38}

            def arrives() -> bool:
                """As a key that is held: the page may not have known of the program when it was pressed."""
                browser.ask("Input.dispatchKeyEvent", type="rawKeyDown", **key)
                return "ArrowUp" in seen

            browser.run("window.drawn = 0; (function draw() { drawn++; requestAnimationFrame(draw) })()")
            polar = browser.wait(lambda: browser.run(ANGLE))
            browser.wait(arrives)
            then = browser.run("drawn")
            browser.wait(lambda: browser.run("drawn") > then + 3)
            assert browser.run(ANGLE) == pytest.approx(polar, abs=1e-6), "the camera is not turned by it"
            browser.ask("Input.dispatchKeyEvent", type="keyUp", **key)
            until(lambda: eye_sees(serving) == "")
            assert_nothing_stays_held(browser, serving)
            assert ("Cart", "Keys") not in live.parameters._shown and ("Cart", "gain") in live.parameters._shown
        serving.server.stop()
        serving.result()
        thread.join(60)
        page.stop()
    program.join(60)


def assert_nothing_stays_held(browser: Browser, serving: Serving) -> None:
    """A letter whose name is another when it is let go, since Shift was; one that is let go over a field."""
    for target, down, up in (("document", "W", "w"), ("document.querySelector('input')", "s", "s")):
        for place, kind, name in (("document", "down", down), (target, "up", up)):
            event = f"{{key: '{name}', code: 'Key{name.upper()}', bubbles: true}}"
            browser.run(f"{place}.dispatchEvent(new KeyboardEvent('key{kind}', {event}))")
            until(partial(holds, serving, name if kind == "down" else ""))


def holds(serving: Serving, keys: str) -> bool:
    return eye_sees(serving) == keys


def eye_sees(serving: Serving) -> object:
    return serving.simulation.robots["Cart"].parameters.values["Keys"]


def _quietly(live: Live) -> None:
    with contextlib.suppress(RefusedError, ConnectionError):
        live.run()


def test_the_example_leans_by_keys() -> None:
    ways: list[float] = []

    def watch(server: Server) -> None:
        ways.append(float(server.simulation.robots["Segway"].bodies["MainBody"].position[1]))

    serving = Serving(Simulation(), 1200, clients=1, watch=watch)
    with supervise(port=serving.port) as world:
        world.set_parameter("Segway", "Keys", "ArrowUp", frame=300)
        world.truth()  # it has come before any frame
        program = [sys.executable, str(ROOT / "examples" / "teleoperate.py"), "--port", str(serving.port)]
        subprocess.run(program, check=True, timeout=120)
    serving.result()
    assert abs(ways[300]) < 0.05 and ways[-1] > ways[300] + 0.03
