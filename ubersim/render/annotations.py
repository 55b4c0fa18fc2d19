"""Drawings in the pixels of a picture, laid over it: lines, points and a text.

They come from any program, so everything in them is checked, and what they cost has a limit. Places are (column, row)
from the picture's upper left corner, the first pixel's centre is (0.5, 0.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]
"""Rows, columns, red green blue."""
Color = tuple[int, int, int]
MOST_PLACES = 5000
"""Lines and points of one drawing."""
WIDEST = 100.0
"""Of lines and points [px]."""
_FARTHEST = 1e6
_LONGEST = 200
"""Characters of a text."""
_PAINT = 2**22
"""Pixels that all drawings of a picture may paint; what is beyond it is left out."""
_LEAST_PAINT = 200
"""What a line or a point costs at least, of that."""
_ORANGE = (1.0, 0.5, 0.0)


@dataclass(frozen=True)
class Annotation:
    """One drawing."""

    lines: Array
    """From (column, row) to (column, row): (N, 2, 2) [px]."""
    points: Array
    """(N, 2) [px]."""
    text: str
    at: Array
    """The lower left corner of the text, which stands on a label of the colour [px]."""
    color: Color
    """Red, green, blue."""
    width: float
    """Of lines, and across points [px]."""


def read_annotation(content: Mapping[str, Any]) -> Annotation:
    """What a program said; raises, with whatever error, for what cannot be drawn."""
    lines, points = content.get("lines", ()), content.get("points", ())
    if len(lines) + len(points) > MOST_PLACES:
        raise ValueError(f"more than {MOST_PLACES} lines and points in a picture")
    width = float(content.get("width", 1.0))
    if not 0.0 < width <= WIDEST:
        raise ValueError(f"a width in a picture is above 0 and at most {WIDEST:g} pixels")
    text = content.get("text", "")
    if not isinstance(text, str | int | float):
        raise ValueError("a text is a string")
    (at,) = _places([content.get("at", (0.0, 0.0))], (2,))
    red, green, blue = (round(255 * min(max(float(part), 0.0), 1.0)) for part in content.get("color", _ORANGE))
    return Annotation(_places(lines, (2, 2)), _places(points, (2,)), _plain(str(text)), at, (red, green, blue), width)


def annotated(picture: Picture, annotations: Iterable[Annotation], size: tuple[int, int] | None = None) -> Picture:
    """The picture with drawings over it, the last on top.

    `size`: width and height of the camera's own pictures, if this one is larger or smaller than those.
    """
    brush = _Brush(picture)
    height, width = picture.shape[:2]
    scale = np.array([width, height]) / (size or (width, height))
    for one in annotations:
        thick = max(1, round(one.width * float(scale.mean())))
        brush.lines(one.lines * scale, one.color, thick)
        brush.points(one.points * scale, one.color, thick)
        if one.text:
            brush.text(one.text, one.at * scale, one.color)
    return brush.picture()


class _Brush:
    """Draws into a copy of a picture, as long as there is paint."""

    def __init__(self, picture: Picture) -> None:
        try:
            from PIL import Image, ImageDraw
        except ImportError:
            raise UberSimError("drawings over pictures need Pillow: pip install 'ubersim[camera]'") from None
        self._image = Image.fromarray(picture)
        self._pen = ImageDraw.Draw(self._image)
        self._size = np.array(self._image.size, dtype=float)
        self._paint = _PAINT

    def picture(self) -> Picture:
        return np.asarray(self._image)

    def lines(self, lines: Array, color: Color, thick: int) -> None:
        """The pixel that Pillow is told is not the first of a wide line's, but in its middle, or before that."""
        lines = _clipped(lines, self._size, thick)
        lines = self._affordable(lines, thick * np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1))
        for line in (_first_pixels(lines, thick) + (thick - 1) // 2).reshape(-1, 4).tolist():
            self._pen.line(line, fill=color, width=thick)

    def points(self, points: Array, color: Color, thick: int) -> None:
        """Discs."""
        points = points[((points > -thick) & (points < self._size + thick)).all(axis=1)]
        points = self._affordable(points, np.full(len(points), thick * thick))
        for column, row in _first_pixels(points, thick).tolist():
            if thick == 1:  # no disc for Pillow
                self._pen.point((column, row), fill=color)
            else:
                self._pen.ellipse((column, row, column + thick - 1, row + thick - 1), fill=color)

    def text(self, text: str, at: Array, color: Color) -> None:
        """A label of that colour, black or white on it: thin letters in colours cannot be read in a JPEG.

        One that begins in the picture is moved so that all of it can be read, if there is room for it.
        """
        from PIL import ImageFont

        size = max(12.0, self._size[1] / 20)  # as large on a page, however fine the picture
        if not len(self._affordable(at[None], np.array([len(text) * size * size]))):
            return
        font: Any = ImageFont.load_default(size)
        across, up = font.getlength(text) + 2, sum(font.getmetrics())
        left, bottom = at.tolist()
        if ((at >= 0.0) & (at <= self._size)).all():
            left, bottom = max(min(left, self._size[0] - across), 0.0), max(bottom, up)
        ink = (0, 0, 0) if np.dot(color, (0.299, 0.587, 0.114)) > 128 else (255, 255, 255)
        self._pen.rectangle((left, bottom - up, left + across - 1, bottom - 1), fill=color)
        self._pen.text((left + 1, bottom), text, fill=ink, font=font, anchor="ld")

    def _affordable(self, things: Array, pixels: NDArray[Any]) -> Array:
        """The first of them, as far as the paint goes."""
        spent = np.cumsum(np.maximum(pixels, _LEAST_PAINT))
        count = int(np.searchsorted(spent, self._paint, side="right"))
        self._paint -= int(spent[count - 1]) if count else 0
        return things[:count]


def _first_pixels(places: Array, thick: int) -> NDArray[np.int64]:
    """Of so many, which a place is in the middle of."""
    return np.floor(places - thick / 2 + 0.5).astype(np.int64)


def _clipped(lines: Array, size: Array, margin: int) -> Array:
    """What is within the picture of each line that is: a far end costs nothing."""
    start, way = lines[:, 0], lines[:, 1] - lines[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        edges = (-margin - start) / way, (size + margin - start) / way
    enter = np.maximum(np.fmin(*edges).max(axis=1), 0.0)
    leave = np.minimum(np.fmax(*edges).min(axis=1), 1.0)
    seen = enter <= leave
    start, way, shares = start[seen, None], way[seen, None], np.stack([enter[seen], leave[seen]], axis=1)
    cut: Array = start + shares[..., None] * way
    return cut


def _places(values: Any, shape: tuple[int, ...]) -> Array:
    places = np.array(values, dtype=float) if len(values) else np.empty((0, *shape))
    if places.shape[1:] != shape:
        raise ValueError("places in a picture are pairs: column, row")
    if not (np.abs(places) < _FARTHEST).all():
        raise ValueError("a place is not finite, or too far away")
    return places


def _plain(text: str) -> str:
    """On one line, without what has no form."""
    return " ".join(text[:_LONGEST].split()).encode(errors="replace").decode()
