"""Pictures as arrays: read from files, one inside another, and many as a film."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError
from ubersim.png import save_png

Picture = NDArray[np.uint8]
"""Rows, columns, red green blue."""

INSET = 3
"""An inset is so many times smaller than the picture around it."""


def with_inset(picture: Picture, inset: Picture, finish: Callable[[Picture], Picture] = lambda small: small) -> Picture:
    """The picture with a small one, framed in white, in its lower right corner; the small one keeps its proportions.

    `finish` is done to the small one at the size that it is shown in.
    """
    share = min(picture.shape[0] / inset.shape[0], picture.shape[1] / inset.shape[1]) / INSET
    rows, columns = (max(1, int(share * side)) for side in inset.shape[:2])
    small = inset[np.arange(rows) * inset.shape[0] // rows][:, np.arange(columns) * inset.shape[1] // columns]
    picture = picture.copy()
    picture[-rows - 12 : -8, -columns - 12 : -8] = 255
    picture[-rows - 10 : -10, -columns - 10 : -10] = finish(small)
    return picture


def halved(picture: Picture) -> Picture:
    """Half as wide and high, each pixel the mean of four."""
    rows, columns = picture.shape[0] // 2, picture.shape[1] // 2
    four = picture[: 2 * rows, : 2 * columns].reshape(rows, 2, columns, 2, 3)
    small: Picture = four.mean(axis=(1, 3)).round().astype(np.uint8)
    return small


def load_png(file: Path) -> Picture:
    """A picture that was saved."""
    return np.asarray(_pillow().open(file).convert("RGB"))


Box = tuple[float, float, float, float]
"""Left, top, right, bottom [px]."""


def draw_over(picture: Picture, lines: Iterable[tuple[NDArray[np.float64], str, tuple[int, int, int]]]) -> Picture:
    """The picture with lines through points (column, row), each named beside its first point; one point alone is a dot.

    No name is written over another: where there is no room, it stands some lines away, and a thin line leads to it.
    """
    from PIL import ImageDraw

    image = _pillow().fromarray(picture)
    pen = ImageDraw.Draw(image)
    names: list[tuple[float, float, str, tuple[int, int, int]]] = []
    for points, label, color in lines:
        places = [(float(column), float(row)) for column, row in points]
        if len(places) > 1:
            pen.line(places, fill=color, width=2)
        column, row = places[0]
        pen.ellipse((column - 3, row - 3, column + 3, row + 3), fill=color)
        names.append((column, row, label, color))
    taken: list[Box] = []
    for column, row, label, color in names:
        left, top, right, bottom = pen.textbbox((0, 0), label, stroke_width=2)
        box = free_box(column, row, right - left, bottom - top, taken)
        taken.append(box)
        if abs(box[1] + 0.5 * (bottom - top) - row) > bottom - top:
            pen.line((column, row, box[0] if box[0] > column else box[2], 0.5 * (box[1] + box[3])), fill=color)
        pen.text((box[0] - left, box[1] - top), label, fill=color, stroke_width=2, stroke_fill=(255, 255, 255))
    return np.asarray(image)


def free_box(column: float, row: float, width: float, height: float, taken: Sequence[Box]) -> Box:
    """Where a text of this size has room: right or left of its point, as few lines away as possible."""
    for line in range(16):
        for shift in (line, -line):
            for left in (column + 5, column - 5 - width):
                top = row + shift * height - 0.5 * height
                beside = (left, top, left + width, top + height)
                if not any(_overlap(beside, other) for other in taken):
                    return beside
    return (column + 5, row - 0.5 * height, column + 5 + width, row + 0.5 * height)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def save_picture(file: Path, picture: Picture) -> None:
    """A PNG or a JPEG, as the file's name says."""
    match file.suffix.lower():
        case ".png":
            save_png(file, picture)
        case ".jpg" | ".jpeg":
            _pillow().fromarray(picture).save(file, quality=92)
        case _:
            raise UberSimError(f"{file} should end in .png or .jpg")


def save_gif(pictures: Sequence[Picture], file: Path, *, rate: float) -> None:
    """An endless film of `rate` pictures per second.

    One palette serves all pictures, so that what stands still does not flicker, and takes little space.
    """
    image = _pillow()
    samples = np.concatenate(pictures[:: max(1, len(pictures) // 8)])
    palette = image.fromarray(samples).quantize(256, method=image.Quantize.MAXCOVERAGE)
    images = [image.fromarray(picture).quantize(palette=palette, dither=image.Dither.NONE) for picture in pictures]
    images[0].save(file, save_all=True, append_images=images[1:], duration=1000 / rate, loop=0, optimize=False)


def _pillow() -> ModuleType:
    try:
        from PIL import Image
    except ImportError:
        raise UberSimError("pictures and films need Pillow: pip install 'ubersim[film]'") from None
    return Image
