"""`ubersim replay --html`: a log as one file that plays in any browser, alone."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from ubersim.errors import UberSimError
from ubersim.recording.log import Log
from ubersim.viewer.browser_files import furnished, script
from ubersim.viewer.framing import ASIDE, WIDEST, Array, around, extent, place_to_look_from
from ubersim.viewer.lights import reflections
from ubersim.viewer.log_source import LogSource
from ubersim.viewer.markers import Markers
from ubersim.viewer.meshes import SceneMeshes
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import USUAL_FOV, Page

MOST_PICTURES = 5000
"""In a page that is one file."""
GLANCES = 50
"""At so many instants of the run it is seen where robots are."""
RATE = 25.0
"""Pictures per second in it."""


def write_page(file: Path, out: Path) -> float:
    """Writes it; returns pictures per second."""
    with Log(file) as log:
        source = LogSource(log)
        seconds = max(source.end - source.begin, source.step)
        rate = min(RATE, MOST_PICTURES / seconds)
        page = Page(0)
        try:
            model = SceneModel(source.legend, source.scene)
            found = _whole_way(model, source)
            if found is not None:
                page.look_from(place_to_look_from(*found, ASIDE, USUAL_FOV, 1.0), found[0])
            text = _played(page, source, model, rate, math.floor(seconds * rate) + 1)
        finally:
            page.stop()
    robots = ", ".join(source.legend["robots"]) or "no robot"
    title = f"ÜberSim · {file.stem}: {robots}"
    try:
        out.write_text(furnished(text, title, _told(file.stem, robots, source, found)), encoding="utf-8")
    except OSError as error:
        raise UberSimError(f"cannot write {out}: {error.strerror}") from None
    return rate


def _played(page: Page, source: LogSource, model: SceneModel, rate: float, count: int) -> str:
    meshes, names = SceneMeshes(page), Markers(page)
    page.set_surroundings(source.scene)
    meshes.build(source.scene)
    truth, absent = source.at(source.begin)
    meshes.show(hidden=absent)
    meshes.move(truth.positions, truth.quaternions)
    page.lights.move(truth.positions, truth.quaternions)
    recording = page.get_scene_serializer()
    hidden: frozenset[int] | None = None
    for number in range(count):
        time = source.begin + number / rate
        truth, absent = source.at(time)
        if absent != hidden:
            hidden = absent
            meshes.show(hidden=absent)
        meshes.paint(source.colors(time))
        page.lights.paint(source.lamps(time, absent))
        meshes.move(truth.positions, truth.quaternions)
        page.lights.move(truth.positions, truth.quaternions)
        names.texts("/names", model.labels(truth, absent))
        recording.insert_sleep(1 / rate)
    return recording.as_html()


def _whole_way(model: SceneModel, source: LogSource) -> tuple[Array, float] | None:
    """A ball around all places where robots are in the run, middle and radius: the camera stays while it plays.

    If they go too far to be seen, around those of the first part of the run that is not too wide.
    """
    balls: list[tuple[Array, float]] = []
    whole = None
    for time in np.linspace(source.begin, source.end, GLANCES):
        truth, absent = source.at(float(time))
        rows = [row for robot in model.robots for row in model.rows(robot) if row not in absent]
        ball = extent(model, truth, rows)
        if ball is None:
            continue
        balls.append(ball)
        wider = around(balls)
        if whole is not None and wider is not None and wider[1] > WIDEST:
            break
        whole = wider
    return whole


def _told(name: str, robots: str, source: LogSource, found: tuple[Array, float] | None) -> str:
    """What the page's own script has to know: which run it is, of whom, when, and where everything is in it."""
    told: dict[str, Any] = {"title": name, "robots": robots, "begin": source.begin, "end": source.end}
    told["reflections"] = reflections(source.scene["lights"])
    if found is not None:
        place = place_to_look_from(*found, ASIDE, USUAL_FOV, 1.0)
        told |= {"middle": found[0].tolist(), "place": place.tolist(), "fov": USUAL_FOV}
    data = json.dumps(told).replace("<", "\\u003c")
    return f'<script type="application/json" id="us-run">{data}</script>' + script("player.js")
