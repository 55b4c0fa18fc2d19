"""The pane of messages on the live page: history, filter, numbers, pictures."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

from tests.helpers.page_client import PageClient
from tests.helpers.waiting import until
from ubersim.png import encode_png
from ubersim.protocol.log_entries import LogEntry, log_entry
from ubersim.viewer.drawings import Drawings
from ubersim.viewer.logged_drawings import LoggedDrawings
from ubersim.viewer.messages import COLORS, HISTORY, MessagePane
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page
from ubersim.viewer.picture_drawings import PictureDrawings


@pytest.fixture
def page() -> Iterator[Page]:
    page = Page()
    yield page
    page.stop()


def pane_of(page: Page, drawings: Drawings | None = None) -> MessagePane:
    return MessagePane(page, LoggedDrawings(drawings or Drawings(page), PictureDrawings(page)))


def test_history_and_filter(page: Page) -> None:
    pane = pane_of(page)
    for number in range(HISTORY + 5):
        pane.take("Cart", 0.001 * number, log_entry("state", f"step {number}", level="debug"))
    pane.take("Cart", 2.0, log_entry("ball", "<b>lost</b>", level="error"))
    pane.take("Other", 2.0, log_entry("ball", "seen"))
    with PageClient(page.address) as client:
        pane.catch_up()
        assert [line[4] for line in pane.lines()] == ["<b>lost</b>", "seen"]
        assert "&lt;b&gt;lost" in pane._text.content and "step" not in pane._text.content
        client.set(pane._filter, "cart ball")
        until(lambda: pane._filter.value == "cart ball")
        assert [line[4] for line in pane.lines()] == ["<b>lost</b>"]
        client.set(pane._level, "debug")
        client.set(pane._filter, "step")
        until(lambda: len(pane.lines()) == HISTORY - 2)
        page.catch_up()
        assert f"step {HISTORY + 4}" in pane._text.content and "lost" not in pane._text.content


def test_numbers_and_pictures_are_shown_when_they_are_chosen(page: Page) -> None:
    pane = pane_of(page)
    entries = {"speed": 1.5, "pose": (1.0, 2.0), "eye": np.zeros((4, 6, 3), np.uint8)}
    with PageClient(page.address) as client:
        for name, value in entries.items():
            pane.take("Cart", 0.0, log_entry(name, value))
        assert pane._choice.options == ("nothing", "Cart/eye", "Cart/pose", "Cart/speed")
        for name, value in entries.items():
            client.set(pane._choice, f"Cart/{name}")
            until(partial(_shown, page, pane, log_entry(name, value)))


def test_points_and_drawings_go_to_the_scene(page: Page) -> None:
    drawings = Drawings(page)
    pane = pane_of(page, drawings)
    pane._drawings.set_model(SceneModel({"bodies": ["Cart/Base"], "robots": {"Cart": {}}}, {}))
    pane.take("Cart", 0.0, log_entry("cloud", np.zeros((9000, 3)), space="Base"))
    pane.take("Cart", 0.0, log_entry("plan", {"lines": [[(0, 0, 0), (1, 0, 0)]]}))
    assert drawings._waiting.keys() == {("Cart", "cloud"), ("Cart", "plan")}
    assert len(drawings._waiting["Cart", "cloud"]["points"]) <= 2250
    while drawings._waiting:
        drawings.draw()
    assert drawings._roots.keys() == {("Cart", "cloud"), ("Cart", "plan")}


def _shown(page: Page, pane: MessagePane, entry: LogEntry) -> bool:
    """Whether what is logged once more is to be seen, as a picture or as curves, and what was chosen before is not."""
    page.catch_up()
    pane.take("Cart", 1.0, entry)
    if entry.name == "eye":
        return pane._picture is not None and pane._curves is None
    return pane._picture is None and pane._plotted.startswith(f"Cart/{entry.name} ")


def test_pictures_that_are_none_or_too_large_are_left_out(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    pane = pane_of(page)
    pane._show_picture(b"no picture")
    assert pane._picture is None
    for color in (50, 200):
        pane._show_picture(encode_png(np.full((4, 6, 3), color, np.uint8)))
    assert pane._picture is not None
    monkeypatch.setattr("ubersim.viewer.messages.LARGEST_PICTURE", 10)
    before = pane._picture.image
    pane._show_picture(encode_png(np.zeros((4, 6, 3), np.uint8)))
    assert pane._picture.image is before


@pytest.mark.parametrize("level", ["debug", "warning", "error", "fatal"])
def test_every_level_can_be_read_on_white(level: str) -> None:
    """A contrast of 4.5 is what WCAG asks of small text."""
    digits = COLORS[level].removeprefix("#")
    linear = [_linear(int(digits[place : place + 2], 16) / 255) for place in (0, 2, 4)]
    luminance = sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    assert 1.05 / (luminance + 0.05) >= 4.5


def _linear(part: float) -> float:
    return float(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
