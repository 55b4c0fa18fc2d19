"""Films: all of their pictures, in their own colours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image
from PIL.GifImagePlugin import GifImageFile

from ubersim.demos.pictures import save_gif, with_inset


def test_a_film_has_all_its_pictures_and_its_colours(tmp_path: Path) -> None:
    pictures = []
    for index in range(5):
        picture = np.full((60, 80, 3), 90, np.uint8)
        picture[10:20, 10 * index : 10 * index + 10] = (250, 110, 20)
        pictures.append(with_inset(picture, np.full((30, 40, 3), (10, 40, 200), np.uint8)))
    save_gif(pictures, tmp_path / "film.gif", rate=10.0)
    with Image.open(tmp_path / "film.gif") as film:
        assert isinstance(film, GifImageFile)
        assert film.n_frames == 5 and film.info["duration"] == 100
        for index, picture in enumerate(pictures):
            film.seek(index)
            shown = np.asarray(film.convert("RGB")).astype(int)
            assert np.abs(shown - picture).max() < 12
