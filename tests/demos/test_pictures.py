"""Films: all of their pictures, in their own colours."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image
from PIL.GifImagePlugin import GifImageFile

from tests.helpers.documents import ANCHOR, AT_ORIGIN, ball, body, robot, vector
from ubersim.demos.annotations import marks
from ubersim.demos.pictures import draw_over, free_box, save_gif, with_inset
from ubersim.simulation import Simulation


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


def test_an_inset_keeps_its_proportions() -> None:
    """A square camera in a wide film: as high as a third of it, and as wide."""
    picture = with_inset(np.zeros((90, 160, 3), np.uint8), np.full((50, 50, 3), (0, 200, 0), np.uint8))
    rows, columns = np.nonzero((picture == (0, 200, 0)).all(axis=2))
    assert np.ptp(rows) == np.ptp(columns) == 29


def test_names_at_one_place_are_written_below_one_another() -> None:
    """Ten names in ten colours; none covers another."""
    canvas = np.full((300, 300, 3), 255, np.uint8)
    point = np.array([[150.0, 150.0]])
    colors = [(20 * index, 0, 255 - 20 * index) for index in range(10)]
    whole = draw_over(canvas, [(point, "Name", color) for color in colors])
    for color in colors:
        alone = draw_over(canvas, [(point, "Name", color)])
        written = (alone[:, 156:] == color).all(axis=2).sum()
        beside = whole[:, 156:], whole[:, :144]
        assert sum((side == color).all(axis=2).sum() for side in beside) >= written


def test_where_there_is_no_room_a_name_stands_beside_its_point() -> None:
    everywhere = (-1e9, -1e9, 1e9, 1e9)
    assert free_box(100.0, 50.0, 30.0, 10.0, [everywhere]) == (105.0, 45.0, 135.0, 55.0)


def test_marks_are_of_joints_with_an_anchor_and_of_sectors_that_are_scanned() -> None:
    lidar = f'<LidarSensor name="Scan">{AT_ORIGIN}<Fov>180</Fov><Range>0.01</Range></LidarSensor>'
    joints = f'<JointSlider name="S"><Body1>A</Body1><Body2>B</Body2>{vector("Axis", 0, 0, 1)}</JointSlider>'
    joints += f'<JointHinge name="H"><Body1>A</Body1><Body2>B</Body2>{vector("Axis", 0, 0, 1)}{ANCHOR}</JointHinge>'
    with Simulation() as simulation:
        made = simulation.spawn(robot(body(ball("a") + lidar, "A") + body(ball("b"), "B"), joints))
        found = list(marks(made))
        place = made.spawned_at.position
    assert [mark.label for mark in found] == ["H", "A", "B", "Scan"]
    here = [0.0, 0.0, 0.0]  # to the right edge of the sector and back, and to the left one
    np.testing.assert_allclose(found[-1].points - place, [here, [0.01, 0, 0], here, [-0.01, 0, 0], here], atol=1e-9)
