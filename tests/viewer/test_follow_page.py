"""The camera that follows a robot, in a real browser that draws two pictures per second."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.browser import Browser
from tests.helpers.serving import Serving
from ubersim.client.supervisor import Supervisor, supervise
from ubersim.simulation import Simulation
from ubersim.viewer.framing import ASIDE

Array = NDArray[np.float64]
_SHOWN = """(() => {
  const viewer = window.__viserMutable, control = viewer?.cameraControl
  if (!control) return null
  const [w, x, y, z] = viewer.nodePoseData[''].wxyz
  const turn = control.camera.quaternion.clone().set(x, y, z, w).invert(), at = control.camera.position.clone()
  const inWorld = vector => [...vector.applyQuaternion(turn)]
  return [inWorld(control.getPosition(at)), inWorld(control.getTarget(at))]
})()"""
"""Where the browser's camera is, and at what it looks, as the browser itself has it."""
_SCENE = "[...document.querySelectorAll('canvas')].sort((a, b) => b.width * b.height - a.width * a.height)[0]"


@dataclass
class Stage:
    """A Scout on a drive, and a browser that goes along."""

    browser: Browser
    world: Supervisor

    def camera(self) -> tuple[Array, Array]:
        """Where it is, and at what it looks [m]."""
        place, middle = self.browser.wait(lambda: self.browser.run(_SHOWN))
        return np.array(place), np.array(middle)

    def robot(self) -> Array:
        """Where it is [m]."""
        return np.array(self.world.truth()["Scout/Base"].position)

    def drive(self, metres: float) -> Array:
        """On by so much, in real time, then still; from where the camera sees it then, once it looks at it [m]."""
        start = self.robot()
        self.world.resume()
        self.browser.wait(lambda: np.linalg.norm(self.robot() - start) > metres)
        self.world.pause()
        return self.settled()

    def settled(self) -> Array:
        """From where the camera sees the robot, which stands still, once it looks at it [m]."""
        robot = self.robot()
        self.browser.wait(lambda: np.allclose(self.camera()[1], robot, atol=1e-3))
        place, middle = self.camera()
        offset: Array = place - middle
        return offset


@pytest.fixture
def stage() -> Iterator[Stage]:
    serving = Serving(Simulation(), None, clients=0, rate=1.0)
    address = f"127.0.0.1:{serving.port}"
    page: Any = subprocess.Popen(
        [sys.executable, "-m", "ubersim.cli", "view", address, "--port", "0", "--follow"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        with supervise(port=serving.port) as world, Browser() as browser:
            world.pause()
            world.spawn("scout", name="Scout", position=(40.0, -30.0, 0.2))
            world.set("Scout", "Drive", "Speed", 1.0)
            browser.open(re.match(r"page at (\S+)", page.stdout.readline())[1])  # type: ignore[index]
            yield Stage(browser, world)
    finally:
        serving.server.stop()
        serving.result()
        page.wait(60)
        page.stdout.close()


def test_it_goes_along_is_turned_by_hand_and_is_found_again(stage: Stage) -> None:
    first = stage.settled()
    assert 0.3 < np.linalg.norm(first) < 6.0, "from near"
    assert np.allclose(first / np.linalg.norm(first), ASIDE / np.linalg.norm(ASIDE), atol=1e-3), "from where all begin"
    assert np.allclose(stage.drive(4.0), first, atol=1e-3)

    stage.world.resume()
    stage.browser.drag(_SCENE, 60, 90, 150)  # turns the camera, while the robot drives
    turned = stage.drive(1.0)
    assert np.linalg.norm(turned) == pytest.approx(np.linalg.norm(first), abs=1e-3)
    assert np.linalg.norm(turned - first) > 0.3
    assert np.allclose(stage.drive(3.0), turned, atol=1e-3)

    stage.browser.run("window.before = true")
    stage.browser.ask("Page.reload")
    stage.browser.wait(lambda: stage.browser.run("!window.before"))
    assert np.allclose(stage.settled(), turned, atol=1e-3)
    assert np.allclose(stage.drive(4.0), turned, atol=1e-3)
    # As viser itself does some pictures after the first.
    stage.browser.run("window.__viserMutable.resetCameraPose(false)")
    assert np.allclose(stage.settled(), turned, atol=1e-3)
