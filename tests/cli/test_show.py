"""Pictures for people: they show what they should, in the size that was asked for."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

from ubersim.cli.app import app
from ubersim.cli.show import show
from ubersim.demos.annotations import marks
from ubersim.demos.pictures import load_png
from ubersim.description import load_robot
from ubersim.description.resources import shipped
from ubersim.errors import UberSimError
from ubersim.simulation import Simulation


def orange(picture: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Where the football is."""
    red, green, blue = (picture[..., channel].astype(int) for channel in range(3))
    return np.argwhere((red > 150) & (green < 0.65 * red) & (green > 0.2 * red) & (blue < 0.35 * red))


def test_a_robot_stands_in_the_middle_of_its_picture(tmp_path: Path) -> None:
    out = tmp_path / "segway.png"
    result = CliRunner().invoke(app, ["show", str(shipped("robots/segway.xml")), "-o", str(out), "--size", "160x120"])
    assert result.exit_code == 0, result.output
    picture = load_png(out).astype(int)
    assert picture.shape == (120, 160, 3)
    computers = np.argwhere((picture[..., 0] > 2 * picture[..., 1]) & (picture[..., 0] > 100))
    row, column = computers.mean(axis=0)
    assert len(computers) > 100 and row < 50 and 60 < column < 105


def test_a_world_is_shown_as_a_whole_and_from_where_one_wants(tmp_path: Path) -> None:
    sides = []
    for azimuth in (33.0, 213.0):
        out = tmp_path / "room.png"
        show(shipped("worlds/room.xml"), out, size="320x240", azimuth=azimuth)
        picture = load_png(out)
        ball = orange(picture)
        assert 10 < len(ball) < 300  # small: the picture is of the room
        sides.append(ball.mean(axis=0)[0])
    assert sides[0] > 130 and sides[1] < 110  # near, and far on the other side


def test_what_cannot_be_shown_is_said(tmp_path: Path) -> None:
    with pytest.raises(UberSimError, match="WIDTHxHEIGHT"):
        show(shipped("robots/segway.xml"), tmp_path / "x.png", size="0x5")
    with pytest.raises(UberSimError, match="cannot read"):
        show(tmp_path / "missing.xml", tmp_path / "x.png")
    with pytest.raises(UberSimError, match="cannot write"):
        show(shipped("robots/segway.xml"), tmp_path / "no" / "x.png", size="32x24")


def test_marks_are_drawn_where_things_are(tmp_path: Path) -> None:
    """Over the same picture: axes of joints, centres of mass, what sensors see; and a JPEG is one."""
    pictures = []
    for options in ([], ["--marks"]):
        out = tmp_path / "picture.png"
        result = CliRunner().invoke(app, ["show", "segway", "-o", str(out), "--size", "320x240", *options])
        assert result.exit_code == 0, result.output
        pictures.append(load_png(out).astype(int))
    changed = np.argwhere(np.abs(pictures[0] - pictures[1]).sum(axis=2) > 60)
    assert 100 < len(changed) < 20_000
    assert (np.abs(changed.mean(axis=0) - (120, 160)) < 60).all()
    out = tmp_path / "picture.jpg"
    assert CliRunner().invoke(app, ["show", "segway", "-o", str(out), "--size", "32x24"]).exit_code == 0
    assert out.read_bytes()[:3] == b"\xff\xd8\xff"
    refused = CliRunner().invoke(app, ["show", "segway", "-o", str(tmp_path / "x.bmp"), "--size", "32x24"])
    assert "should end in .png or .jpg" in str(refused.exception)


def test_parts_that_a_wheel_brings_along_are_not_marked() -> None:
    """Two dozen rollers with axles would hide everything else; the wheel itself has its axis and its name."""
    with Simulation() as simulation:
        labels = [mark.label for mark in marks(simulation.spawn("msl_omni"))]
    assert {"Left", "Right", "Rear", "OmniCam"} <= set(labels)
    assert not [label for label in labels if "." in label]


def test_what_sensors_see_is_marked_as_it_is() -> None:
    """A camera's pyramid by its picture, a sonar's edges; what measures a joint has the joint's mark."""
    with Simulation() as simulation:
        aibo = {mark.label: mark.points for mark in marks(simulation.spawn(load_robot(shipped("robots/aibo.xml"))))}
    camera = aibo["Camera"] - aibo["Camera"][0]
    tips = camera[np.linalg.norm(camera, axis=1) > 1e-9]
    assert len(np.unique(tips.round(6), axis=0)) == 4
    left, right = tips[0], tips[1]
    about: Any = next(one for one in load_robot(shipped("robots/aibo.xml")).sensors if one.name == "Camera")
    across, up = np.linalg.norm(left - right), np.linalg.norm(tips[1] - tips[3])
    assert across / up == pytest.approx(about.width / about.height)
    ahead = (tips[0] + tips[3]) / 2
    assert across / 2 / np.linalg.norm(ahead) == pytest.approx(math.tan(about.fov / 2))
    assert "HeadPan" in aibo and not any(label.endswith("Angle") for label in aibo)
