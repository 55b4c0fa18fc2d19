"""A log as one file that plays alone, in a real browser: what moves, what stands over it, where it is seen from."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from tests.helpers.browser import Browser
from tests.helpers.robots import segway
from ubersim.recording import Log, Recorder
from ubersim.simulation import Simulation
from ubersim.supervision import Interventions
from ubersim.viewer.export import _whole_way, write_page
from ubersim.viewer.framing import ASIDE, WIDEST
from ubersim.viewer.log_source import LogSource
from ubersim.viewer.model import SceneModel


def test_page_that_is_sent_plays_by_itself(tmp_path: Path) -> None:
    """It stands on its wheels and falls over: its red computers move in the picture, and no other host is asked."""
    simulation = Simulation()
    simulation.spawn(segway())
    with Recorder(simulation, tmp_path / "fall.mcap"):
        simulation.step(2000)
    assert write_page(tmp_path / "fall.mcap", tmp_path / "fall.html") == 25.0
    with Browser(600, 500) as browser:
        browser.open((tmp_path / "fall.html").as_uri())
        first = browser.wait(lambda: _red(browser))
        assert browser.run("document.title") == "ÜberSim · fall: Segway"
        caption = "document.querySelector('.us-caption').innerText"
        assert browser.run(caption).split("\n")[0] == "fall" and "of 2.0 s" in browser.run(caption)
        browser.wait(lambda: float(browser.run("document.getElementById('us-time').textContent")) > 0.3)
        browser.wait(lambda: abs(_red(browser) - first) > 0.02)
        assert {urlsplit(url).scheme for url in browser.requests} <= {"file", "data", "blob"}


def test_page_that_is_sent_shows_the_whole_way(tmp_path: Path) -> None:
    """Nobody aims its camera while it plays: who drives away stays in the picture."""
    places = []
    with Simulation() as simulation, Recorder(simulation, tmp_path / "away.mcap"):
        robot = simulation.spawn("scout")
        robot.command("Drive", "Speed", 1.0)
        for _ in range(5):
            places.append(robot.bodies["Base"].position.copy())
            simulation.step(500)
    with Log(tmp_path / "away.mcap") as log:
        source = LogSource(log)
        middle, radius = _whole_way(SceneModel(source.legend, source.scene), source) or (np.zeros(3), 0.0)
    assert np.ptp(places, axis=0).max() > 1.0
    assert all(np.linalg.norm(place - middle) < radius for place in places) and radius < 2.0


def test_page_that_is_sent_looks_at_the_beginning_of_a_way_that_is_too_long(tmp_path: Path) -> None:
    with Simulation() as simulation, Recorder(simulation, tmp_path / "gone.mcap"):
        simulation.spawn("scout")
        for distance in range(0, 200, 10):
            Interventions(simulation).execute("Teleport", {"thing": "Scout", "position": [0.0, distance, 0.2]})
            simulation.step(100)
    with Log(tmp_path / "gone.mcap") as log:
        source = LogSource(log)
        middle, radius = _whole_way(SceneModel(source.legend, source.scene), source) or (np.zeros(3), 0.0)
    assert 5.0 < radius < WIDEST, "as much of the way as can be seen"
    assert np.linalg.norm(middle) < radius, "it begins at the origin"


def test_page_that_is_sent_can_be_used_on_a_phone_and_by_everybody(tmp_path: Path) -> None:
    """Two robots beside each other, as one looks: both are in the picture, in a window that is taller than wide."""
    across = np.array([-ASIDE[1], ASIDE[0]]) / np.hypot(*ASIDE[:2])
    with Simulation() as simulation, Recorder(simulation, tmp_path / "<i>&.mcap"):
        for name, way in (("A", 3.0), ("B", -3.0)):
            document = segway().replace("<Name>Segway</Name>", f"<Name>{name}</Name>")
            simulation.spawn(document, position=(*(way * across), 0.0))
        simulation.step(100)
    write_page(tmp_path / "<i>&.mcap", tmp_path / "two.html")
    with Browser(240, 700) as browser:
        browser.resize(240, 700)
        browser.open((tmp_path / "two.html").as_uri())
        browser.wait(lambda: min(_beside(browser)) > 0)
        assert browser.run("document.querySelector('.us-caption').innerText").startswith("<i>&\n")
        browser.wait(lambda: browser.run("!!document.querySelector('.us-player [aria-label=\"Play or pause\"]')"))
        browser.wait(lambda: not browser.run("document.querySelector('.mantine-Notification-root')?.remove()"))
        assert browser.violations() == {}
        # viser's own way back to the beginning: the scene is neither brighter until it is there, nor faded out for it
        shining = "window.__viserMutable.scene.environmentIntensity"
        browser.wait(lambda: browser.run(shining) == 0.15)
        assert browser.run(f"{shining} = 1; {shining}") == 0.15
        browser.run("document.querySelector('canvas').style.opacity = '0.05'")
        assert browser.run("getComputedStyle(document.querySelector('canvas')).opacity") == "1"


def _reds(browser: Browser) -> NDArray[np.bool_]:
    red, green, blue = np.moveaxis(browser.drawn().astype(int), -1, 0)
    found: NDArray[np.bool_] = (red > 70) & (red > 1.8 * green) & (red > 1.8 * blue)
    return found


def _beside(browser: Browser) -> tuple[int, int]:
    """Pixels that are red in the left and in the right half."""
    reds = _reds(browser)
    middle = reds.shape[1] // 2
    return int(reds[:, :middle].sum()), int(reds[:, middle:].sum())


def _red(browser: Browser) -> float:
    """How far down the middle of what is red is, 0 to 1; 0 if there is none."""
    reds = _reds(browser)
    rows = np.nonzero(reds)[0]
    return float(rows.mean()) / len(reds) if len(rows) > 30 else 0.0
