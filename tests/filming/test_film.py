"""Pictures that are drawn from a log are those that the camera had taken; labels say what is in them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageSequence

from tests.helpers.command_line import ubersim
from tests.helpers.documents import vector
from tests.helpers.recording_robots import car, drive, world
from ubersim.demos.pictures import load_png
from ubersim.errors import UberSimError
from ubersim.filming import FilmSettings, film
from ubersim.filming.labels import objects_in, run_lengths
from ubersim.filming.log_views import LogViews, looking_at
from ubersim.filming.movie import USUAL_OFFSET, MovieSettings, _write, movie, usual_offset
from ubersim.filming.mp4 import Mp4Writer
from ubersim.png import from_bgra
from ubersim.protocol.log_entries import log_entry
from ubersim.recording import Log, Recorder
from ubersim.simulation import Simulation
from ubersim.sweeps.executors import workplace

EYE = f'<CameraSensor name="Eye">{vector("Position", 0, 0.3, 0.2)}<Fov>60</Fov><Width>64</Width><Height>48</Height>'
EYE += "<Frequency>100</Frequency></CameraSensor>"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[int, Any]]:
    """A log, and what the camera saw while it was recorded."""
    folder = tmp_path_factory.mktemp("run")
    seen = {}
    with Simulation(world(folder)) as simulation:
        robot = simulation.spawn(car("<Latency>5</Latency>", EYE), name="One", position=(0.0, 0.0, 0.01))
        with Recorder(simulation, folder / "run.mcap"):
            for _ in range(6):
                drive(simulation, 50)
                picture = robot.read("Eye")
                assert isinstance(picture, np.ndarray)
                seen[simulation.frame] = from_bgra(picture).copy()
    return folder / "run.mcap", seen


def test_what_the_camera_saw(run: tuple[Path, dict[int, Any]], tmp_path: Path) -> None:
    path, seen = run
    settings = FilmSettings(camera="One/Eye", every=50, samples=1, shadows=False)
    with Log(path) as log, workplace("local=1") as place:
        assert film(log, settings, tmp_path, place) == 7
    for frame, picture in seen.items():
        assert np.array_equal(load_png(tmp_path / f"{frame:08}.png"), picture)


def test_what_a_slow_shutter_saw(tmp_path: Path) -> None:
    """A log knows how everything moved: blurred and sheared as it was, to the byte."""
    slow = EYE.replace("<Width>", "<Shutter><Exposure>0.02</Exposure><Readout>0.03</Readout></Shutter><Width>")
    with Simulation(world(tmp_path)) as simulation:
        sensors = slow + EYE.replace("Eye", "Quick")
        robot = simulation.spawn(car("<Latency>0</Latency>", sensors), name="One", position=(0.0, 0.0, 0.01))
        with Recorder(simulation, tmp_path / "run.mcap"):
            drive(simulation, 300)
            seen, sharp = (from_bgra(np.asarray(robot.read(name), np.uint8)).copy() for name in ("Eye", "Quick"))
    assert np.mean(seen != sharp) > 0.05
    settings = FilmSettings(camera="One/Eye", every=300, start=0.3, samples=1, shadows=False)
    with Log(tmp_path / "run.mcap") as log, workplace("local=1") as place:
        film(log, settings, tmp_path / "film", place)
    assert np.array_equal(load_png(tmp_path / "film" / "00000300.png"), seen)


def test_colours_that_were_commanded_are_in_it(tmp_path: Path) -> None:
    """One car sees another, which is painted; the film of what it saw is the same to the bit, before and after."""
    with Simulation(world(tmp_path)) as simulation:
        robot = simulation.spawn(car("<Latency>0</Latency>", EYE), name="One", position=(0.0, 0.0, 0.01))
        other = simulation.spawn(car("<Latency>0</Latency>", ""), name="Two", position=(0.0, 1.5, 0.01))
        seen = []
        with Recorder(simulation, tmp_path / "run.mcap"):
            for color in (0.0, 1.0):
                for solid in other.paints:
                    other.command(solid, "Red", color)
                simulation.step(50)
                seen.append(from_bgra(np.asarray(robot.read("Eye"), np.uint8)).copy())
    assert not np.array_equal(seen[0], seen[1])
    settings = FilmSettings(camera="One/Eye", every=50, start=0.05, samples=1, shadows=False)
    with Log(tmp_path / "run.mcap") as log, workplace("local=1") as place:
        film(log, settings, tmp_path / "film", place)
    for frame, picture in zip((50, 100), seen, strict=True):
        assert np.array_equal(load_png(tmp_path / "film" / f"{frame:08}.png"), picture)


def test_lamps_that_were_commanded_shine_in_it(tmp_path: Path) -> None:
    """A lamp turns red, and is switched off: what the camera saw in each colour, to the bit."""
    lamp = '<Lights><PointLight name="Lamp"><Position><x>0</x><y>0.3</y><z>0.4</z></Position></PointLight></Lights>'
    with Simulation(world(tmp_path)) as simulation:
        robot = simulation.spawn(car("<Latency>0</Latency>", EYE + lamp), name="One", position=(0.0, 0.0, 0.01))
        seen = []
        with Recorder(simulation, tmp_path / "run.mcap"):
            for red, rest in ((1.0, 1.0), (1.0, 0.0), (0.0, 0.0)):
                for name, value in (("Red", red), ("Green", rest), ("Blue", rest)):
                    robot.command("Lamp", name, value)
                simulation.step(50)
                seen.append(from_bgra(np.asarray(robot.read("Eye"), np.uint8)).copy())
    white, reddish, off = (picture.astype(int).mean(axis=(0, 1)) for picture in seen)
    assert white[2] > reddish[2] + 3 and reddish[0] > off[0] + 3
    settings = FilmSettings(camera="One/Eye", every=50, start=0.05, samples=1, shadows=False)
    with Log(tmp_path / "run.mcap") as log, workplace("local=1") as place:
        film(log, settings, tmp_path / "film", place)
    for frame, picture in zip((50, 100, 150), seen, strict=True):
        assert np.array_equal(load_png(tmp_path / "film" / f"{frame:08}.png"), picture)


def test_labels_and_a_film(run: tuple[Path, dict[int, Any]], tmp_path: Path) -> None:
    path, _ = run
    words = ["render", path, "--every", "100", "--size", "160x121"]
    words += ["--eye", "2,-2,1", "--labels", "coco", "--light-seed", "3", "--on", "local=1"]
    done = ubersim(*words, "-o", "out", "--mp4", "film.mp4", folder=tmp_path)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "4 pictures in out\nfilm.mp4\n")
    found = json.loads((tmp_path / "out" / "annotations.json").read_text())
    assert len(found["images"]) == 4
    names = {one["id"]: one["name"] for one in found["categories"]}
    first = {names[one["category_id"]]: one for one in found["annotations"] if one["image_id"] == 1}
    assert {"One/Chassis", "Ball"} <= set(first)
    chassis = first["One/Chassis"]
    assert sum(chassis["segmentation"]["counts"]) == 160 * 121
    assert sum(chassis["segmentation"]["counts"][1::2]) == chassis["area"] <= chassis["bbox"][2] * chassis["bbox"][3]
    pictures = [load_png(file) for file in sorted((tmp_path / "out").glob("*.png"))]
    assert pictures[0].shape == (121, 160, 3) and not np.array_equal(pictures[0], pictures[1])
    import av

    library: Any = av
    with library.open(str(tmp_path / "film.mp4")) as container:
        frames = list(container.decode(video=0))
    assert len(frames) == 4 and (frames[0].width, frames[0].height) == (160, 120)
    shown = frames[0].to_ndarray(format="rgb24").astype(int)
    assert abs(shown.mean() - pictures[0].mean()) < 8  # the same picture, but for what compression does


def test_yolo(run: tuple[Path, dict[int, Any]], tmp_path: Path) -> None:
    path, _ = run
    settings = FilmSettings(eye=(2.0, -2.0, 1.0), every=300, size=(160, 120), labels="yolo")
    with Log(path) as log, workplace("local=1") as place:
        film(log, settings, tmp_path, place)
    names = (tmp_path / "classes.txt").read_text().split()
    lines = (tmp_path / "00000000.txt").read_text().splitlines()
    assert {names[int(line.split()[0])] for line in lines} >= {"One/Chassis", "Ball"}
    assert all(0.0 <= float(number) <= 1.0 for line in lines for number in line.split()[1:])


def test_boxes_and_masks() -> None:
    picture = np.zeros((4, 5), dtype=np.uint16)
    picture[1:3, 2:5] = 7
    (seen,) = objects_in(picture)
    assert (seen.number, seen.box, int(seen.mask.sum())) == (7, (2, 1, 3, 2), 6)
    assert run_lengths(seen.mask) == [9, 2, 2, 2, 2, 2, 1]
    assert run_lengths(np.ones((2, 2), dtype=bool)) == [0, 4]


def test_what_is_not_there(run: tuple[Path, dict[int, Any]], tmp_path: Path) -> None:
    path, _ = run
    with Log(path) as log, workplace("local=1") as place:
        with pytest.raises(UberSimError, match=r"there is no camera 'One/Ear' .* there are One/Eye"):
            film(log, FilmSettings(camera="One/Ear"), tmp_path, place)
        with pytest.raises(UberSimError, match="there are no labels 'voc'; there are coco, yolo"):
            film(log, FilmSettings(labels="voc"), tmp_path, place)


def test_a_film_that_follows_a_robot_with_its_camera_in_a_corner(
    run: tuple[Path, dict[int, Any]], tmp_path: Path
) -> None:
    path, _ = run
    words = ["film", path, "--follow", "One", "--inset", "One/Eye"]
    words += ["--size", "240x180", "--rate", "20", "--from", "0.1", "--on", "local=1", "-o", "film.mp4"]
    done = ubersim(*words, folder=tmp_path)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "5 pictures in film.mp4\n")
    import av

    library: Any = av
    with library.open(str(tmp_path / "film.mp4")) as container:
        stream = container.streams.video[0]
        assert (stream.width, stream.height, stream.average_rate) == (240, 180, 20)
        pictures = [frame.to_ndarray(format="rgb24").astype(int) for frame in container.decode(video=0)]
    assert len(pictures) == 5
    assert (pictures[0][180 - 60 - 12, 240 - 80 - 12 : 240 - 8] > 200).all()  # the inset's white frame


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of a program that marks pictures of frames 50 and 100, which it gets 20 ms later."""
    folder = tmp_path_factory.mktemp("marked")
    eye = EYE.replace("<Frequency>100", "<Latency>20</Latency><Frequency>20")
    with Simulation(world(folder)) as simulation, Recorder(simulation, folder / "run.mcap") as recorder:
        robot = simulation.spawn(car("<Latency>0</Latency>", eye), name="One", position=(0.0, 0.0, 0.01))
        for frame in (70, 120):
            simulation.step(frame - simulation.frame)
            mark = {"points": [(frame / 4, 10)], "width": 3, "color": (1, 0, 0)}
            recorder.logged(robot, frame, log_entry("ball", mark, space="Eye"))
            recorder.logged(robot, frame, log_entry("odd", {"points": [(1, 2)], "width": 1e300}, space="Eye"))
        simulation.step(80)
    return folder / "run.mcap"


def marks(picture: Any) -> list[tuple[int, int]]:
    """Columns and rows that are red."""
    rows, columns = np.nonzero((picture == (255, 0, 0)).all(axis=2))
    return list(zip(columns.tolist(), rows.tolist(), strict=True))


def test_marks_lie_over_the_pictures_that_they_were_made_of(marked: Path, tmp_path: Path) -> None:
    """Where they are asked for: a picture is data."""
    settings = FilmSettings(camera="One/Eye", every=50, samples=1, shadows=False)
    with Log(marked) as log, workplace("local=1") as place:
        film(log, settings, tmp_path / "plain", place)
        film(log, replace(settings, drawings=True), tmp_path / "marked", place)
        film(log, replace(settings, drawings=True, size=(128, 96), every=100), tmp_path / "large", place)
    found = {}
    for file in sorted((tmp_path / "plain").glob("*.png")):
        assert not marks(load_png(file))
        found[int(file.stem)] = marks(load_png(tmp_path / "marked" / file.name))
    assert [len(places) for places in found.values()] == [0, 5, 5, 5, 5]
    assert (17, 10) in found[50] and (30, 10) in found[100]
    large = marks(load_png(tmp_path / "large" / "00000100.png"))
    assert np.mean(large, axis=0) + 0.5 == pytest.approx([60.0, 20.0], abs=0.6) and len(large) > 20


def test_marks_are_in_the_corner_of_a_film(marked: Path, tmp_path: Path) -> None:
    """At the size that the corner has: 96 x 72 of 64 x 48."""
    settings = MovieSettings(
        follow="One", inset="One/Eye", size=(288, 216), rate=20.0, start=0.1, end=0.1, shadows=False
    )
    with Log(marked) as log, workplace("local=1") as place:
        assert movie(log, tmp_path / "film.gif", settings, place) == 1
    corner = load_png(tmp_path / "film.gif")[216 - 72 - 10 : 216 - 10, 288 - 96 - 10 : 288 - 10].astype(int)
    rows, columns = np.nonzero((corner[..., 0] > 200) & (corner[..., 1:] < 60).all(axis=2))
    assert (columns.mean() + 0.5, rows.mean() + 0.5) == pytest.approx((45.0, 15.0), abs=1.0)


def test_a_film_of_what_is_not_there(run: tuple[Path, dict[int, Any]], tmp_path: Path) -> None:
    with Log(run[0]) as log, workplace("local=1") as place:
        with pytest.raises(UberSimError, match="Two is in none of the frames"):
            movie(log, tmp_path / "film.gif", MovieSettings(follow="Two"), place)
        with pytest.raises(UberSimError, match=r"film.avi should end in .mp4 or .gif"):
            movie(log, tmp_path / "film.avi", MovieSettings(), place)
        with pytest.raises(UberSimError, match=r"run.mcap ends at 0.3 s; there is nothing from 2 s on"):
            movie(log, tmp_path / "film.mp4", MovieSettings(start=2.0), place)
        with pytest.raises(UberSimError, match=r"there is nothing from 0.2 s to 0.1 s"):
            movie(log, tmp_path / "film.mp4", MovieSettings(start=0.2, end=0.1), place)


def test_a_film_that_cannot_be_written(run: tuple[Path, dict[int, Any]], tmp_path: Path) -> None:
    """Where nothing fits any more, the library's own end of a file would end the process."""
    with Log(run[0]) as log, workplace("local=1") as place:
        with pytest.raises(UberSimError, match="there is no folder"):
            movie(log, tmp_path / "none" / "film.mp4", MovieSettings(), place)
        for name, size in (("full.mp4", (320, 240)), ("full.gif", (32, 24))):
            (tmp_path / name).symlink_to("/dev/full")
            with pytest.raises(UberSimError, match=f"cannot write .*{name}: No space left on device"):
                movie(log, tmp_path / name, MovieSettings(size=size), place)
    nowhere = Mp4Writer(tmp_path / "none" / "film.mp4", rate=25.0)
    nowhere.add(np.zeros((32, 32, 3), np.uint8))
    with pytest.raises(UberSimError, match=r"cannot write .*none/film.mp4: No such file or directory"):
        nowhere.close()
    with (
        Mp4Writer(tmp_path / "small.mp4", rate=25.0) as film,
        pytest.raises(UberSimError, match="2 x 2 pixels or more, not 1 x 1"),
    ):
        film.add(np.zeros((1, 1, 3), np.uint8))


@pytest.mark.parametrize("offset", [(0.0, 0.0, 5.0), (0.0, 0.0, -5.0), (1.0, 2.0, 3.0), (0.0, 0.0, 0.0)])
def test_every_direction_is_one_to_look_in(offset: tuple[float, float, float]) -> None:
    """From straight above, too, as on a map; where there is no direction, ahead."""
    target = np.array([1.0, 2.0, 0.5])
    rotation = looking_at(target + offset, target)
    assert rotation.T @ rotation == pytest.approx(np.eye(3)) and np.linalg.det(rotation) == pytest.approx(1.0)
    distance = float(np.linalg.norm(offset))
    assert rotation[:, 1] == pytest.approx(-np.array(offset) / distance if distance else [0.0, 1.0, 0.0])


def test_a_film_is_taken_from_as_far_as_the_robot_is_large(tmp_path: Path) -> None:
    with Simulation() as simulation:
        simulation.spawn("segway")
        simulation.spawn("ssl", name="Small", position=(3.0, 0.0, 0.0))
        with Recorder(simulation, tmp_path / "run.mcap"):
            simulation.step(10)
    with Log(tmp_path / "run.mcap") as log:
        first, small, ball = (np.array(usual_offset(log, name)) for name in ("", "Small", "Ball"))
        assert (first == usual_offset(log, "Segway")).all()
    away = np.linalg.norm(USUAL_OFFSET)
    assert 0.7 < np.linalg.norm(first) / away < 1.4
    assert 0.25 < np.linalg.norm(small) / away < 0.4
    assert (ball == USUAL_OFFSET).all()


def test_a_film_may_be_a_gif(tmp_path: Path) -> None:
    pictures = [np.full((8, 8, 3), shade, np.uint8) for shade in (0, 128, 255)]
    _write(iter(pictures), tmp_path / "film.GIF", rate=10.0)
    with Image.open(tmp_path / "film.GIF") as film:
        assert film.format == "GIF" and sum(1 for _ in ImageSequence.Iterator(film)) == 3


def test_a_film_that_is_longer_than_what_its_encoder_looks_ahead(tmp_path: Path) -> None:
    """Pictures are written while others are still to come; each is there in the end, in order."""
    import av

    library: Any = av
    with Mp4Writer(tmp_path / "long.mp4", rate=25.0) as film:
        for number in range(120):
            film.add(np.full((64, 64, 3), 2 * number, np.uint8))
    with library.open(str(tmp_path / "long.mp4")) as container:
        shades = [frame.to_ndarray(format="rgb24").mean() for frame in container.decode(video=0)]
    assert shades == pytest.approx(2 * np.arange(120), abs=6)


@pytest.mark.parametrize("every", [40, 320])
def test_what_is_followed_stays_in_the_picture_however_fast_it_goes(every: int, tmp_path: Path) -> None:
    """4 m/s, in a film that shows a picture per 40 ms, and in one that is eight times as fast."""
    with Simulation() as simulation, Recorder(simulation, tmp_path / "run.mcap"):
        fast = simulation.spawn(car("<Latency>0</Latency>", ""), name="One", position=(0.0, 0.0, 0.01))
        for _ in range(60):
            fast.bodies["Chassis"].set_state(linear=(0.0, 4.0, 0.0))
            simulation.step(50)
    offset, astray = np.array([1.8, -2.4, 1.4]), []
    with Log(tmp_path / "run.mcap") as log:
        for view in LogViews(log).along(offset, "One", range(0, 3000, every)):
            place = log.at(view.frame * log.step).states["One", "Chassis"][:3]
            ahead = view.rotation.T @ (place - view.position)
            astray.append(float(np.degrees(np.arctan2(np.hypot(ahead[0], ahead[2]), ahead[1]))))
    assert 4.0 < max(astray) < 12.0  # of 14 degrees up and down, and 25 to the sides
