"""The live page in a real browser: a server, a balancing client, and a page, each in its own process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image

from tests.helpers.browser import Browser
from tests.helpers.robots import cart
from tests.helpers.sensor_stage import sensor
from ubersim.client import connect
from ubersim.client.supervisor import Supervisor, supervise

ROOT = Path(__file__).parents[2]


@dataclass
class Stage:
    """Everything that a test here needs."""

    browser: Browser
    world: Supervisor
    page: str
    """Address."""
    port: int
    """Of the server."""

    def red(self) -> int:
        """Pixels of the scene that have the colour of the Segway's computers, lit or in shade."""
        red, green, blue = np.moveaxis(self.browser.drawn().astype(int), -1, 0)
        return int(((red > 70) & (red > 1.8 * green) & (red > 1.8 * blue) & (green < blue + 60)).sum())

    def latency(self) -> float:
        """The Segway's, as the server has it [ms]."""
        return float(self.world.scene()["robots"]["Segway"]["latency"])


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    serve = [sys.executable, "-m", "ubersim.cli", "serve", "--port", "0"]
    server = subprocess.Popen([*serve, "--view", "--view-port", "0"], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    port = int(_announced(server, "listening on").rpartition(":")[2])
    assert _announced(server, "in") == "real", "a page is for people: real time, and it says so"
    client = subprocess.Popen([sys.executable, ROOT / "clients" / "segway_pd.py", "--port", str(port)])
    try:
        page = _announced(server, "page at")
        with supervise(port=port, name="test") as world, Browser() as browser:
            browser.open(page)
            browser.wait(lambda: browser.run("document.body?.innerText.includes('Segway · robot')"))
            yield Stage(browser, world, page, port)
    finally:
        server.terminate()
        server.wait(120)
        client.wait(120)
        server.stdout.close()


def _announced(server: subprocess.Popen[str], what: str) -> str:
    assert server.stdout is not None
    for line in server.stdout:
        if found := re.match(rf"{what} (\S+)", line):
            return found[1]
    raise AssertionError(f"the server has ended without saying {what!r}")


def test_page_shows_the_segway(stage: Stage) -> None:
    """Its computers are a red box; they are seen, and they are not seen once they are far away."""
    seen = stage.browser.wait(lambda: stage.red() > 200 and stage.red())
    assert seen < 20_000, "a box, not a red page"
    stage.world.pause()
    place = stage.world.truth()["Segway"].position
    stage.world.teleport("Segway", (60.0, -60.0, 0.24))
    stage.browser.wait(lambda: stage.red() < 20)
    stage.world.teleport("Segway", (place[0], place[1], 0.24), heading=0.0)
    stage.browser.wait(lambda: stage.red() > 200)
    stage.world.resume()


def test_a_page_is_in_real_time(stage: Stage) -> None:
    assert stage.world.scene()["rate"] == 1.0


def test_page_asks_no_other_host(stage: Stage) -> None:
    places = [urlsplit(url) for url in stage.browser.requests]
    reached = {place.netloc for place in places if place.scheme not in ("data", "blob")}
    assert reached == {urlsplit(stage.page).netloc}
    assert any(place.scheme == "http" for place in places)


def test_slider_changes_latency(stage: Stage) -> None:
    assert stage.latency() == 10.0
    stage.browser.drag("document.querySelector('[role=slider]')", 10, 40)
    stage.browser.wait(lambda: stage.latency() > 30.0)
    assert stage.latency() < 150.0


def test_pause_pauses(stage: Stage) -> None:
    assert not stage.world.truth().standing
    stage.browser.press("Pause")
    stage.browser.wait(lambda: stage.world.truth().standing)
    frame = stage.world.truth().frame
    time.sleep(0.2)
    assert stage.world.truth().frame == frame
    stage.browser.press("Step")
    stage.browser.wait(lambda: stage.world.truth().frame == frame + 10)
    stage.browser.press("Play")
    stage.browser.wait(lambda: not stage.world.truth().standing)


def test_reading_of_a_sensor_that_is_picked(stage: Stage) -> None:
    stage.browser.run("document.querySelector('.us-tree [data-key=\"Sensors|Segway|Tilt\"]').click()")
    shown = "document.body.innerText.match(/captured at ([0-9.]+) s/)?.[1]"
    first = float(stage.browser.wait(lambda: stage.browser.run(shown)))
    stage.browser.wait(lambda: float(stage.browser.run(shown) or 0.0) > first)


def pick(stage: Stage, key: str) -> None:
    """In the tree, as soon as it is there."""
    button = f"document.querySelector('.us-tree [data-key=\"{key}\"]')"
    stage.browser.wait(lambda: stage.browser.run(f"!!{button}"))
    stage.browser.run(f"{button}.click()")
    stage.browser.wait(
        lambda: stage.browser.run("document.querySelector('.us-tree [aria-current]')?.dataset.key") == key
    )


def test_what_is_chosen_is_kept_by_the_browser(stage: Stage) -> None:
    pick(stage, "Joints|Segway|LMotor")
    kept = "localStorage.getItem('ubersim:' + document.title + ':choices')"
    stage.browser.wait(lambda: "Joints|Segway|LMotor" in (stage.browser.run(kept) or ""))
    stage.browser.run("document.querySelector('details[data-key=\"Segway/Bodies\"]').open = true")
    pick(stage, "Sensors|Segway|Tilt")  # the tree is sent anew
    assert stage.browser.run("document.querySelector('details[data-key=\"Segway/Bodies\"]').open")


CAMERA = "document.getElementById('us-camera')?.dataset.camera ?? ''"


def tap(stage: Stage, element: str) -> None:
    """Clicks with the mouse, as a hand does, what an expression finds."""
    stage.browser.wait(lambda: stage.browser.run(f"!!({element})"))
    stage.browser.drag(element, 0)


def labelled(text: str) -> str:
    return f"[...document.querySelectorAll('button, [role=tab], label')].find(e => e.innerText.trim() === {text!r})"


def test_a_tab_that_is_loaded_again_is_as_it_was(stage: Stage) -> None:
    """What is chosen, graphs, camera, ticks, tab and branches; twice, with the program running."""
    browser = stage.browser
    pick(stage, "Joints|Segway|LMotor")
    tap(stage, labelled("Keep"))
    pick(stage, "Sensors|Segway|Tilt")
    browser.run("document.querySelector('details[data-key=\"Segway/Bodies\"]').open = true")
    tap(stage, labelled("View"))
    tap(stage, labelled("Axes"))
    first = browser.wait(lambda: browser.run(CAMERA))
    browser.drag(SCENE, 60, 90, 150)
    shown = (
        "({chosen: document.querySelector('.us-tree [aria-current]')?.dataset.key,"
        " graphs: [...document.querySelectorAll('.us-row[data-title]')].map(row => row.dataset.title).sort(),"
        " tabs: [...document.querySelectorAll('[role=tab][aria-selected=true]')].map(tab => tab.innerText.trim()),"
        " ticks: [...document.querySelectorAll('input[type=checkbox]')].map(box => box.checked),"
        " branches: [...document.querySelectorAll('.us-tree details[open]')].map(branch => branch.dataset.key)})"
    )
    stored = "sessionStorage.getItem('ubersim:' + document.title + ':camera')"
    browser.wait(lambda: browser.run(CAMERA) not in ("", first) and _same_camera(browser.run(stored), browser))
    before, camera = browser.run(shown), json.loads(browser.run(CAMERA))
    assert before["graphs"] == ["Segway / LMotor", "Segway / Tilt"] and any(before["ticks"])
    assert "Segway/Bodies" in before["branches"] and "View" in before["tabs"]
    for _ in range(2):
        browser.run("window.before = true")
        browser.ask("Page.reload")
        browser.wait(lambda: browser.run("!window.before") and browser.run(shown) == before)
        browser.wait(lambda: np.allclose(json.loads(browser.run(CAMERA) or "0"), camera, atol=1e-3))
    tap(stage, labelled("Axes"))
    tap(stage, labelled("Close"))
    browser.wait(lambda: len(browser.run(shown)["graphs"]) == 1)
    pick(stage, "Robot|Segway|")


def _same_camera(stored: str | None, browser: Browser) -> bool:
    return stored is not None and bool(json.loads(stored) == json.loads(browser.run(CAMERA)))


def test_pictures_tables_and_films_are_saved(stage: Stage, tmp_path: Path) -> None:
    stage.browser.save_to(tmp_path)
    pick(stage, "Sensors|Segway|Tilt")
    stage.browser.wait(lambda: stage.browser.run("!!document.querySelector('[data-save=\"Segway_Tilt.csv\"]')"))
    stage.browser.wait(lambda: stage.browser.run("document.querySelector('.uplot canvas')?.width > 0"))
    stage.browser.wait(lambda: len(np.unique(stage.browser.drawn())) > 5)
    stage.browser.press("Screenshot")
    stage.browser.press("CSV")
    stage.browser.press("PNG")
    stage.browser.press("Film")
    stage.browser.wait(lambda: len(list(tmp_path.glob("*.png"))) == 2)
    stage.browser.wait(
        lambda: stage.browser.run("Number(document.querySelector('[data-do=film]').dataset.bytes) > 1000")
    )
    stage.browser.press("Stop filming")
    (film,) = stage.browser.wait(lambda: list(tmp_path.glob("*.webm")))
    stage.browser.wait(lambda: film.stat().st_size > 1000)
    (screenshot,) = tmp_path.glob("UberSim_127.0.0.1_*.png")
    assert film.stem.startswith("UberSim_127.0.0.1_") and screenshot.stat().st_size > 1000
    assert (tmp_path / "Segway_Tilt.csv").read_text().startswith('"time [s]","pitch [rad]"')
    for picture in tmp_path.glob("*.png"):
        with Image.open(picture) as image:
            assert image.width >= 200 and len(np.unique(np.array(image.convert("L")))) > 5, picture


MAGENTA = """(() => {
  const image = [...document.querySelectorAll('img')].find(each => each.naturalWidth === 64)
  if (!image) return 0
  const page = document.createElement('canvas'), pen = page.getContext('2d')
  page.width = 64; page.height = 48
  pen.drawImage(image, 0, 0)
  const [red, green, blue] = pen.getImageData(20, 10, 1, 1).data
  return red > 200 && green < 90 && blue > 200
})()"""
"""Whether the pixel (20, 10) of the picture that is shown has that colour."""


def test_what_a_program_marks_in_its_pictures_is_seen_and_saved(stage: Stage, tmp_path: Path) -> None:
    eye = sensor("CameraSensor", "Eye", "<Fov>60</Fov><Width>64</Width><Height>48</Height><Frequency>10</Frequency>")
    seen = threading.Event()

    def mark() -> None:
        document = cart("Marker", x=3.0).replace("<Incl", eye + "<Incl")
        with connect(document, port=stage.port, protocol=2) as robot:
            for _ in robot:
                robot.log("ball", {"points": [(20, 10)], "width": 12, "color": (1, 0, 1)}, space="Eye")
                if seen.is_set():
                    break

    program = threading.Thread(target=mark)
    program.start()
    try:
        key = "Sensors|Marker|Eye"
        stage.browser.wait(lambda: stage.browser.run(f"!!document.querySelector('.us-tree [data-key=\"{key}\"]')"))
        pick(stage, key)
        stage.browser.wait(lambda: stage.browser.run(MAGENTA))
        stage.browser.save_to(tmp_path)
        stage.browser.press("PNG")
        (file,) = stage.browser.wait(lambda: list(tmp_path.glob("*.png")))
    finally:
        seen.set()
        program.join(60)
    with Image.open(file) as image:
        red, green, blue = np.moveaxis(np.asarray(image.convert("RGB")).astype(int), -1, 0)
    assert ((red > 200) & (green < 90) & (blue > 200)).sum() > 100
    stage.browser.wait(lambda: stage.browser.run(f"!document.querySelector('.us-tree [data-key=\"{key}\"]')"))


def test_a_list_is_saved_as_a_picture(stage: Stage, tmp_path: Path) -> None:
    eye = sensor("CameraSensor", "Eye", "<Fov>60</Fov><Level>truth</Level><Frequency>10</Frequency>")
    stage.world.spawn(cart("Lister", x=-3.0).replace("<Incl", eye + "<Incl"))
    pick(stage, "Sensors|Lister|Eye")
    stage.browser.wait(lambda: stage.browser.run("document.querySelectorAll('.us-table td').length") >= 10)
    stage.browser.save_to(tmp_path)
    stage.browser.press("PNG")
    (file,) = stage.browser.wait(lambda: list(tmp_path.glob("*.png")))
    with Image.open(file) as image:
        grey = np.asarray(image.convert("L")).astype(int)
    assert (grey[60:] < 100).sum() > 300, "there are words below the title"
    assert_a_list_stays_where_it_was_scrolled(stage)
    stage.world.remove("Lister")
    pick(stage, "Robot|Segway|")


def assert_a_list_stays_where_it_was_scrolled(stage: Stage) -> None:
    """It is drawn anew whenever something moves; keys reach it, and it is as wide as there is room."""
    frame = "document.querySelector('.us-list').parentElement"
    words = f"{frame}.innerText"
    stage.browser.run(f"{frame}.style.height = '40px'")
    stage.browser.run(f"{frame}.scrollTop = 15")
    for _ in range(3):
        before = stage.browser.run(words)
        stage.world.push("Lister", (20.0, 0.0, 0.0), 0.2)
        stage.browser.wait(lambda before=before: stage.browser.run(words) != before)  # type: ignore[misc]
    assert stage.browser.run(f"{frame}.scrollTop") == 15
    assert stage.browser.run(f"{frame}.tabIndex") == 0
    assert stage.browser.run(f"{frame}.scrollWidth <= {frame}.clientWidth")


SCENE = "[...document.querySelectorAll('canvas')].sort((a, b) => b.width * b.height - a.width * a.height)[0]"


def test_the_scene_lies_between_the_columns(stage: Stage) -> None:
    stage.browser.resize(1280, 800)
    box = "(e => { const b = e.getBoundingClientRect(); return [b.left, b.right] })"

    def between() -> bool:
        left, right = stage.browser.run(f"{box}({SCENE})")
        tree = stage.browser.run(f"{box}(document.querySelector('.us-tree'))")
        pause = "[...document.querySelectorAll('button')].find(b => b.innerText === 'Pause')"
        controls = stage.browser.run(f"{box}({pause})")
        return bool(tree[1] <= left < right <= controls[0])

    stage.browser.wait(between)


def test_the_scene_of_a_phone_ends_where_the_sheet_begins(stage: Stage) -> None:
    stage.browser.resize(390, 844)
    handle = "[...document.querySelectorAll('div')].findLast(each => each.innerText.trim() === 'Controls')"

    def above(least: float) -> bool:
        bottom = stage.browser.run(f"({SCENE})?.getBoundingClientRect().bottom ?? 0")
        top = stage.browser.run(f"({handle})?.getBoundingClientRect().top ?? 0")
        return bool(least < bottom <= top < 844)

    stage.browser.wait(lambda: above(300))
    stage.browser.run(f"({handle}).click()")  # the sheet folds, and the scene takes what it leaves
    stage.browser.wait(lambda: above(700))
    stage.browser.run(f"({handle}).click()")
    stage.browser.wait(lambda: above(300) and not above(700))


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_nothing_keeps_people_out(stage: Stage, size: tuple[int, int]) -> None:
    """Colours that can be read, controls that have names: on a desk and on a phone."""
    stage.browser.resize(*size)
    stage.browser.wait(lambda: stage.browser.run("innerWidth") == size[0])
    stage.browser.wait(lambda: stage.browser.run("document.body.innerText.includes('real time')"))
    for _ in range(3):
        stage.browser.run("document.querySelectorAll('.mantine-Notification-closeButton').forEach(one => one.click())")
        stage.browser.wait(lambda: not stage.browser.run("!!document.querySelector('.mantine-Notification-root')"))
        violations = stage.browser.violations()
        if not stage.browser.run("!!document.querySelector('.mantine-Notification-root')"):
            break  # none has come up meanwhile: their buttons are not ours
    assert not violations
    assert stage.browser.run("document.documentElement.scrollWidth <= innerWidth")


def test_graphs_show_the_time_that_they_have(stage: Stage) -> None:
    """Also where a browser that was late has left an axis behind."""
    pick(stage, "Robot|Segway|")
    chart = "Object.values(window.__viserTestpoints?.uplots ?? {})[0]?.chart"
    stage.browser.wait(lambda: stage.browser.run(f"({chart})?.data[0].length > 10"))
    stage.browser.run(f"void ({chart}).setScale('x', {{min: -43, max: -40}})")
    late = "Math.abs(c.scales.x.max - c.data[0].at(-1)) + Math.abs(c.scales.x.min - c.data[0][0])"
    late = f"(c => c ? {late} : 99)({chart})"  # the plot of what was chosen before may just be going
    stage.browser.wait(lambda: stage.browser.run(late) < 3.0)
