"""Drawings of clients on the page: shown, and never believed."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image
from viser import LineSegmentsHandle

from tests.helpers.page_client import PageClient
from tests.helpers.waiting import until
from ubersim.errors import RemoteProtocolError
from ubersim.png import encode_png
from ubersim.protocol.drawings import read_drawing
from ubersim.viewer.drawings import LARGEST_PICTURE, MOST, Drawings
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page


def packed(width: int, height: int) -> bytes:
    """A picture of few bytes with many pixels."""
    buffer = io.BytesIO()
    Image.new("1", (width, height)).save(buffer, "PNG")
    return buffer.getvalue()


PNG = packed(64, 64)
LONG = "9" * 4000


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def image(data: bytes) -> str:
    return json.dumps({"png": base64.b64encode(data).decode()})


HOSTILE = {
    "deep": f'{{"text": {nested(30_000)}}}',
    "deep text": f'{{"text": {nested(900)}}}',
    "deep objects": '{"text": ' + '{"a":' * 900 + "1" + "}" * 901,
    "deep lines": f'{{"lines": {nested(900)}}}',
    "deep colour": f'{{"color": {nested(900)}}}',
    "no pair": '{"lines": [[1, 2]]}',
    "words": '{"points": "x"}',
    "nothing": '{"points": null, "lines": null}',
    "ragged": '{"points": [[1, 2], [1]]}',
    "far": '{"points": [[1e300, 0, 0]]}',
    "infinite": '{"points": [[1e999, 0, 0]]}',
    "not a number": '{"points": [[NaN, 0, 0]]}',
    "long number": f'{{"points": [[{LONG}, 0, 0]]}}',
    "many": f'{{"points": [{", ".join(["[]"] * 15_000)}, 1]}}',
    "wide": '{"width": "wide"}',
    "long width": f'{{"width": {LONG}}}',
    "infinite width": '{"width": 1e999}',
    "colour": '{"color": 3}',
    "two colours": '{"color": [1, 2]}',
    "infinite colour": '{"color": [1e999, 0, -1e999]}',
    "half a character": '{"text": "\\ud800", "width": "\\ud800"}',
    "picture with half a character": '{"png": "\\ud800"}',
    "text that is none": '{"text": null}',
    "nowhere": '{"text": "x", "at": null}',
    "no picture": '{"png": "no picture"}',
    "number as a picture": '{"png": 1}',
    "short picture": image(PNG[:-20]),
    "headless picture": image(PNG[:30]),
    "wrong chunk": image(PNG.replace(b"IDAT", b"IDAU")),
    "wrong sum": image(PNG.replace(b"IEND", b"iEND")),
}


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    page = Page()
    yield page
    page.stop()


def take(drawings: Drawings, name: bytes, content: str) -> None:
    """As it comes from the server."""
    try:
        drawings.take("Cart", *read_drawing(name + b"\0" + content.encode()))
    except RemoteProtocolError:
        return  # which the supervisor's end leaves out
    drawings.draw()


def test_drawings_are_shown(page: Page) -> None:
    drawings = Drawings(page)
    png = base64.b64encode(encode_png(np.zeros((3, 4, 3), np.uint8))).decode()
    for lines in ([[[0, 0, 0], [1, 0, 0]]], [[[0, 0, 0], [2, 0, 0]]] * 3):
        drawings.take("Cart", "plan", {"lines": lines, "text": "hello", "png": png})
        drawings.draw()
        node = page.scene.get_handle_by_name("/drawings/Cart/plan/lines")
        assert isinstance(node, LineSegmentsHandle)
        assert node.points == pytest.approx(np.array(lines))
    drawings.set_model(SceneModel({"bodies": [], "robots": {}}, {}))
    assert page.scene.get_handle_by_name("/drawings/Cart/plan") is None


@pytest.mark.parametrize("content", HOSTILE.values(), ids=list(HOSTILE))
def test_whatever_is_drawn_the_page_goes_on(page: Page, content: str) -> None:
    """Also for those who open it afterwards."""
    drawings = Drawings(page)
    with PageClient(page.address) as before:
        until(page.get_clients)
        take(drawings, b"plan", content)
        take(drawings, b"plan", '{"text": "\\ud800"}')
        take(drawings, b"plan", '{"text": "well", "points": [[1, 2, 3]]}')
        with PageClient(page.address) as after:
            before.hear("well")
            after.hear("well")
    drawings.set_model(SceneModel({"bodies": [], "robots": {}}, {}))


@pytest.mark.parametrize("side", [4096, 30_000])
def test_pictures_of_few_bytes_and_many_pixels(page: Page, side: int) -> None:
    test_whatever_is_drawn_the_page_goes_on(page, image(packed(side, side)))


def test_complaints_are_few(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(page, "show_error", said.append)
    drawings = Drawings(page)
    for number in range(100):
        take(drawings, str(number).encode(), '{"width": -1}')
    assert len(said) == 1 and "'0' of Cart: a width is above 0" in said[0]


def test_names_share_nothing(page: Page) -> None:
    drawings = Drawings(page)
    names = [b"a b", b"a/b", b"a_b", b"", b"..", b"x" * 5000, b"x" * 5001, "ü".encode()]
    for name in names:
        take(drawings, name, '{"points": [[0, 0, 0]]}')
    assert len({root.name for root in drawings._roots.values()}) == len(names)
    for name in names[::2]:
        take(drawings, name, '{"width": -1}')
    assert set(drawings._roots) == {("Cart", name.decode()) for name in names[1::2]}


def test_floods_wait_and_are_limited(page: Page) -> None:
    """Thousands of pictures in one instant: the page goes on drawing them, some at a time."""
    drawings = Drawings(page)
    side = int(LARGEST_PICTURE**0.5)
    content = json.loads(image(packed(side, side)))
    for number in range(20 * MOST):
        drawings.take("Cart", str(number), content)
    assert len(drawings._waiting) == MOST
    drawings.draw()
    assert 0 < len(drawings._roots) < MOST / 2
    drawings.set_model(SceneModel({"bodies": [], "robots": {}}, {}))
    assert not drawings._waiting and not drawings._roots
