"""What is in the pictures, in the words of those who learn from them: COCO and YOLO."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.render import Camera
from ubersim.simulation.object_ids import GROUND

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class SeenObject:
    """One object in one picture."""

    number: int
    box: tuple[int, int, int, int]
    """Left, top, width, height [px]."""
    mask: Mask


def objects_in(picture: NDArray[np.uint16]) -> Iterator[SeenObject]:
    """All that is seen, but for the ground and the sky."""
    for number in np.unique(picture).tolist():
        if number not in (0, GROUND):
            mask = picture == number
            rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
            left, top = int(columns[0]), int(rows[0])
            yield SeenObject(number, (left, top, int(columns[-1]) - left + 1, int(rows[-1]) - top + 1), mask)


class Coco:
    """`annotations.json`: boxes, and masks as run lengths, column by column, as COCO has them."""

    def __init__(self, folder: Path, camera: Camera, names: Mapping[int, str]) -> None:
        self._path, self._camera = folder / "annotations.json", camera
        kept = {number: name for number, name in names.items() if number != GROUND}
        self._found: dict[str, Any] = {
            "images": [],
            "annotations": [],
            "categories": [{"id": number, "name": name} for number, name in kept.items()],
        }

    def add(self, picture: Path, objects: NDArray[np.uint16]) -> None:
        images, annotations = self._found["images"], self._found["annotations"]
        height, width = objects.shape
        images.append({"id": len(images) + 1, "file_name": picture.name, "width": width, "height": height})
        for seen in objects_in(objects):
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": len(images),
                    "category_id": seen.number,
                    "bbox": list(seen.box),
                    "area": int(seen.mask.sum()),
                    "iscrowd": 0,
                    "segmentation": {"size": [height, width], "counts": run_lengths(seen.mask)},
                }
            )

    def close(self) -> None:
        self._path.write_text(json.dumps(self._found), encoding="utf-8")


def run_lengths(mask: Mask) -> list[int]:
    """How many pixels are out, then in, then out, column by column."""
    flat = mask.ravel(order="F")
    changes = np.flatnonzero(np.diff(flat)) + 1
    edges = np.concatenate([[0], changes, [len(flat)]])
    lengths: list[int] = np.diff(edges).tolist()
    return [0, *lengths] if flat[0] else lengths


class Yolo:
    """A text file beside each picture: class, middle and size of each box, in parts of it; `classes.txt` names them."""

    def __init__(self, folder: Path, camera: Camera, names: Mapping[int, str]) -> None:
        kept = [(number, name) for number, name in names.items() if number != GROUND]
        self._classes = {number: place for place, (number, _) in enumerate(kept)}
        (folder / "classes.txt").write_text("".join(f"{name}\n" for _, name in kept), encoding="utf-8")

    def add(self, picture: Path, objects: NDArray[np.uint16]) -> None:
        height, width = objects.shape
        lines = []
        for seen in objects_in(objects):
            left, top, across, down = seen.box
            middle = (left + across / 2) / width, (top + down / 2) / height
            numbers = (*middle, across / width, down / height)
            lines.append(f"{self._classes[seen.number]} {' '.join(f'{number:.6f}' for number in numbers)}\n")
        picture.with_suffix(".txt").write_text("".join(lines), encoding="utf-8")

    def close(self) -> None:
        """Everything is written already."""


LABELS: dict[str, type[Coco] | type[Yolo]] = {"coco": Coco, "yolo": Yolo}
