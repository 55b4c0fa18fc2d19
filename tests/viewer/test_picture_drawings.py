"""What programs draw in the pixels of a camera lies over its pictures, and goes as it came."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ubersim.protocol.ground_truth import GroundTruth
from ubersim.protocol.log_entries import DRAWING, LogEntry, log_entry
from ubersim.viewer.drawings import Drawings
from ubersim.viewer.logged_drawings import LoggedDrawings
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page
from ubersim.viewer.picture_drawings import MOST, PictureDrawings
from ubersim.viewer.selection import Selection
from ubersim.viewer.views import PictureView, view_of

BLANK = np.zeros((24, 32, 3), np.uint8)
MARK: dict[str, Any] = {"points": [(3.5, 4.5)], "color": (1, 0, 0)}


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    page = Page()
    yield page
    page.stop()


def model(*robots: str, **eye: Any) -> SceneModel:
    """Robots with a body and a camera."""
    shape = {"shape": [24, 32, 4], "quantities": []}
    about = {"sensors": {"Eye": shape}, "joints": {}, "motors": {}}
    parts = {"sensors": {"Eye": {"width": 32, "height": 24, "output": "image"} | eye}, "bodies": {}}
    legend = {"bodies": [f"{robot}/Base" for robot in robots], "robots": dict.fromkeys(robots, about)}
    return SceneModel(legend, {"robots": dict.fromkeys(robots, parts)})


def stage(page: Page, *robots: str) -> tuple[Drawings, PictureDrawings, LoggedDrawings]:
    scene, pictures = Drawings(page), PictureDrawings(page)
    logged = LoggedDrawings(scene, pictures)
    logged.set_model(model(*robots))
    return scene, pictures, logged


def red(pictures: PictureDrawings, robot: str = "Cart", camera: str = "Eye") -> set[tuple[int, int]]:
    """Columns and rows that are red."""
    rows, columns = np.nonzero(pictures.over(BLANK, robot, camera)[..., 0])
    return set(zip(columns.tolist(), rows.tolist(), strict=True))


def test_the_newest_of_a_name_counts_and_an_empty_one_takes_it_away(page: Page) -> None:
    _, pictures, logged = stage(page, "Cart", "Other")
    logged.take("Cart", log_entry("ball", MARK, space="Eye"))
    logged.take("Cart", log_entry("goal", MARK | {"points": [(9, 9)]}, space="Eye"))
    assert red(pictures) == {(3, 4), (9, 9)} and not red(pictures, "Other") and not red(pictures, camera="Ear")
    logged.take("Cart", log_entry("ball", MARK | {"points": [(7, 7)]}, space="Eye"))
    assert red(pictures) == {(7, 7), (9, 9)}
    logged.take("Cart", log_entry("ball", {}, space="Eye"))
    logged.take("Cart", log_entry("goal", {"color": (1, 0, 0)}))
    assert not red(pictures)
    assert not BLANK.any()


def test_a_drawing_moves_from_a_picture_into_the_scene_and_back(page: Page) -> None:
    scene, pictures, logged = stage(page, "Cart")
    logged.take("Cart", log_entry("ball", MARK, space="Eye"))
    assert red(pictures) and not scene._waiting
    logged.take("Cart", log_entry("ball", {"points": [(1, 2, 3)]}, space="Base"))
    assert not red(pictures) and scene._waiting["Cart", "ball"]["body"] == "Base"
    scene.draw()
    logged.take("Cart", log_entry("ball", {"text": "a text without a place"}, space="Eye"))
    assert pictures.over(BLANK, "Cart", "Eye").any() and not scene._waiting and not scene._roots


def test_it_goes_with_its_robot_and_waits_for_one_that_is_not_known_yet(page: Page) -> None:
    _, pictures, logged = stage(page, "Cart")
    logged.take("Cart", log_entry("ball", MARK, space="Eye"))
    logged.take("Late", log_entry("ball", MARK, space="Eye"))
    logged.take("Never", log_entry("ball", MARK, space="Eye"))
    assert not red(pictures, "Late")
    logged.set_model(model("Late"))
    assert red(pictures, "Late") == {(3, 4)} and not red(pictures, "Cart")
    logged.set_model(model("Late", "Never", "Cart"))
    assert not red(pictures, "Never") and not red(pictures, "Cart")


def test_it_can_be_switched_off(page: Page) -> None:
    _, pictures, logged = stage(page, "Cart")
    logged.take("Cart", log_entry("ball", MARK, space="Eye"))
    pictures.show(False)
    assert not red(pictures)
    pictures.show(True)
    assert red(pictures)


@pytest.mark.parametrize("output", ["image", "depth", "segmentation"])
def test_it_lies_over_any_picture_also_while_time_stands_still(page: Page, output: str) -> None:
    _, pictures, logged = stage(page, "Cart")
    view = view_of(page, model("Cart", output=output), Selection("Sensors", "Cart", "Eye"), pictures)
    assert isinstance(view, PictureView)
    shapes = {"image": np.zeros((24, 32, 4), np.uint8), "depth": np.full((24, 32), np.inf, np.float32)}
    none = np.empty(0)
    truth = GroundTruth(0.0, 0, True, {}, none, none, none, none, none, none)
    truth.readings["Cart/Eye"] = shapes.get(output, np.zeros((24, 32), np.uint16))
    truth.captured["Cart/Eye"] = 0.0
    view.take(truth)
    view.draw()
    plain = view._image.image
    assert not plain.any()
    view.draw()
    assert view._image.image is plain, "the same is not sent twice"
    for place in ((3, 4), (5, 6)):
        logged.take("Cart", log_entry("ball", MARK | {"points": [place]}, space="Eye"))
        view.take(truth)
        view.draw()
        assert np.argwhere(view._image.image[..., 0]).tolist() == [[place[1], place[0]]]


def test_nonsense_is_told_once_and_the_rest_is_drawn(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(page, "show_error", said.append)
    _, pictures, logged = stage(page, "Cart")
    for number, content in enumerate(
        (b'{"points":[[1,2,3]]', b'{"width":1e300,"text":"x"', b'{"lines":[[]]', b'{"text":null')
    ):
        logged.take("Cart", LogEntry(str(number), DRAWING, content + b',"space":"Eye"}'))
    logged.take("Cart", LogEntry("large", DRAWING, b'{"space":"Eye","points":[' + b"[1,2]," * 60_000 + b"[1,2]]}"))
    logged.take("Cart", log_entry("ball", MARK, space="Eye"))
    assert red(pictures) == {(3, 4)}
    assert len(said) == 1 and "the drawing '0' of Cart: places in a picture are pairs" in said[0]


def test_there_are_so_many(page: Page) -> None:
    _, pictures, logged = stage(page, "Cart")
    for number in range(MOST + 20):
        logged.take("Cart", log_entry(f"mark{number}", MARK | {"points": [(number % 32, number // 32)]}, space="Eye"))
    assert len(red(pictures)) == MOST
    logged.take("Cart", log_entry("mark0", {}, space="Eye"))
    logged.take("Cart", log_entry("mark70", MARK | {"points": [(31, 23)]}, space="Eye"))
    assert (31, 23) in red(pictures)
