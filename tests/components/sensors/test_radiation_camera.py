"""Cameras that see another class of radiation or send other pixels, from the document to the client's arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.cameras import ball, camera, middle, play, sled, vector, weightless
from ubersim.client import connect
from ubersim.description import default_materials, load_materials, read_robot, read_world
from ubersim.errors import DescriptionError
from ubersim.render.pixel_formats import convert
from ubersim.simulation import Simulation

INFRARED = "<Radiation>infrared</Radiation><Format>grey</Format>"
MATERIALS = """
materials: {Ball: an infrared ball, Wood: boards, Plastic: hard, Rubber: tyres, Ground: the floor}
radiation:
  infrared: {ambient: 0.0, default: 0.0, emits: {Ball: 0.8}}
"""


def test_a_ball_that_glows_is_found_in_the_dark(tmp_path: Path) -> None:
    """Nothing else emits or is lit, so the picture is the ball's disc, 0.8 of full scale, where projection puts it."""
    (tmp_path / "materials.yaml").write_text(MATERIALS)
    dark = f"<Lights><DirectionalLight name='Sun'>{vector('Direction', 0, 0, -1)}</DirectionalLight></Lights>"
    place = (0.3, 3.0, 1.2)
    world = weightless(ball("Ball", *place)).source_text.replace("<Static>", f"{dark}<Static>")
    with Simulation(read_world(world), materials=load_materials(tmp_path / "materials.yaml")) as simulation:
        robot = simulation.spawn(sled(camera(INFRARED)))
        simulation.begin_frame()
        picture: Any = robot.sensors["Eye"].value()
        assert picture.shape == (120, 160)
        assert set(np.unique(picture)) == {0, 204}
        focal = 80 / np.tan(np.radians(30))
        column, row = middle(picture > 0)
        assert abs(column - (80 + focal * 0.3 / 2.88)) < 0.5
        assert abs(row - (60 - focal * 0.2 / 2.88)) < 0.5
        disc = np.pi * (focal * 0.1 / 2.88) ** 2
        assert abs((picture > 0).sum() / disc - 1) < 0.1


@pytest.mark.parametrize(("form", "shape"), [("yuv", (120, 160, 3)), ("yuyv", (120, 160, 2)), ("grey", (120, 160))])
def test_a_client_gets_the_format_that_it_asks_for(form: Any, shape: tuple[int, ...]) -> None:
    plain, other = camera(name="Eye"), camera(f"<Format>{form}</Format>", name="Other")

    def program(port: int) -> tuple[Any, Any, Any]:
        with connect(sled(plain, other), port=port) as robot:
            pictures = [(frame["Eye"], frame["Other"]) for frame in robot]
            return *pictures[-1], robot.settings["sensors"]["Other"]

    with Simulation(weightless(ball("Ball", 0.3, 3.0, 1.2), ground=True)) as simulation:
        ((drawn, sent, about),) = play(simulation, 2, program)
    expected = np.zeros(shape, np.uint8)
    convert(drawn, form, expected)
    assert np.array_equal(sent, expected)
    assert about["format"] == form


def test_what_a_document_cannot_ask_for() -> None:
    for elements, complaint in (
        ("<Radiation>infra-red</Radiation>", "unknown radiation 'infra-red'; did you mean infrared?"),
        ("<Format>yuyv</Format><Width>161</Width><Height>120</Height>", "yuyv needs an even width"),
        ("<Format>yuv</Format><Compression>png</Compression>", "files have colours of their own"),
    ):
        with pytest.raises(DescriptionError, match=complaint):
            read_robot(sled(camera(elements)), materials=default_materials())


@pytest.mark.parametrize(
    ("section", "complaint"),
    [
        ("light: {}", "is no name for a class"),
        ("infrared: {reflects: {Wod: 0.5}}", "unknown key; did you mean Wood?"),
        ("infrared: {reflects: {Wood: 1.5}}", "1.5 is out of range; allowed is a number from 0 to 1"),
        ("infrared: {shines: 1}", "unknown key"),
    ],
)
def test_what_materials_cannot_say(tmp_path: Path, section: str, complaint: str) -> None:
    file = tmp_path / "materials.yaml"
    file.write_text(f"materials: {{Wood: boards}}\nradiation:\n  {section}\n")
    with pytest.raises(DescriptionError, match=complaint):
        load_materials(file)
