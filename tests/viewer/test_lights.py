"""Lights on the page: lamps shine where their bodies are, take other colours, and go with their robots."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.cameras import camera, sled, vector
from ubersim.description import read_world
from ubersim.geometry import matrix_from_quaternion
from ubersim.protocol.to_json import to_json
from ubersim.recording import Log, Recorder
from ubersim.simulation import Simulation
from ubersim.simulation.scene import scene_of
from ubersim.viewer.log_source import LogSource
from ubersim.viewer.page import Page

LAMP = f"""<Lights><SpotLight name="Lamp">{vector("Position", 0.1, 0.15, 1.2)}{vector("Direction", 0, 1, 0)}
    <Cone>40</Cone><Range>2</Range><Color><r>0.5</r><g>0</g><b>0</b></Color></SpotLight></Lights>"""
WORLD = f"""<World><Lights><PointLight name="Bulb">{vector("Position", 0, 0, 3)}</PointLight></Lights></World>"""


@pytest.fixture
def page() -> Iterator[Page]:
    page = Page()
    yield page
    page.stop()


def lit(name: str = "Sled") -> str:
    return sled(camera(), LAMP, name=name)


def seen(simulation: Simulation) -> Any:
    return to_json(scene_of(simulation))["lights"]


def light(page: Page, number: int) -> Any:
    return page.scene.get_handle_by_name(f"/lights/{number}")


def test_a_lamp_is_where_its_body_carries_it(page: Page) -> None:
    with Simulation(read_world(WORLD)) as simulation:
        robot = simulation.spawn(lit())
        page.lights.build(seen(simulation))
        row, rows = robot.bodies["Base"].row, len(robot.bodies)
        turn = np.array([math.cos(0.4), 0.0, 0.0, math.sin(0.4)])
        positions, quaternions = np.zeros((rows, 3)), np.tile((1.0, 0.0, 0.0, 0.0), (rows, 1))
        positions[row], quaternions[row] = (2.0, 3.0, 1.0), turn
        page.lights.move(positions, quaternions)
        (base,) = (body for body in robot.description.bodies if body.name == "Base")
        away = np.array((0.1, 0.15, 1.2)) - base.mass_properties().center
    assert light(page, 1).position == pytest.approx((2.0, 3.0, 1.0) + matrix_from_quaternion(turn) @ away)
    assert light(page, 1).wxyz == pytest.approx(turn)  # viser turns a light's direction with it
    assert light(page, 0).position == pytest.approx((0.0, 0.0, 3.0))


def test_half_of_its_strength_is_left_at_its_range_or_nearly_so(page: Page) -> None:
    """At a metre it is right, and so is how it falls there."""
    with Simulation(read_world(WORLD)) as simulation:
        simulation.spawn(lit())
        page.lights.build(seen(simulation))
    lamp, bulb = light(page, 1), light(page, 0)
    assert lamp.intensity == pytest.approx(math.pi * 0.5 / (1 + 1 / 4))
    assert lamp.color == (255, 0, 0)
    at = [1 / (1 + distance**2 / 4) for distance in (0.999, 1.001)]
    assert lamp.decay == pytest.approx(-math.log(at[1] / at[0]) / math.log(1.001 / 0.999), rel=1e-4)
    assert bulb.intensity == pytest.approx(math.pi, rel=1e-3) and bulb.decay < 1e-3  # it reaches 100 m


def test_it_takes_other_colours_and_leaves_with_its_robot(page: Page) -> None:
    with Simulation(read_world(WORLD)) as simulation:
        robot = simulation.spawn(lit())
        page.lights.build(seen(simulation))
        robot.obey(("Lamp", 24, 0.0), simulation.frame)
        robot.obey(("Lamp", 26, 1.0), simulation.frame)
        assert page.lights.repaint(seen(simulation))
        assert light(page, 1).color == (0, 0, 255)
        robot.obey(("Lamp", 26, 0.0), simulation.frame)
        assert page.lights.repaint(seen(simulation))
        assert light(page, 1).intensity == 0.0
        simulation.remove("Sled")
        assert not page.lights.repaint(seen(simulation))
        page.lights.build(seen(simulation))
    assert light(page, 0) is not None and light(page, 1) is None


def test_a_log_has_the_light_of_each_time(tmp_path: Path) -> None:
    """Of two robots, one switches its lamp off and on and the other comes later; its lamp is out until then."""
    with Simulation(read_world(WORLD)) as simulation:
        first = simulation.spawn(lit())
        with Recorder(simulation, tmp_path / "run.mcap"):
            simulation.step(100)
            first.command("Lamp", "Red", 0.0)
            simulation.step(100)
            simulation.spawn(lit("Second"))
            simulation.step(100)
            first.command("Lamp", "Green", 1.0)
            simulation.step(100)
    with Log(tmp_path / "run.mcap") as log:
        source = LogSource(log)
        told = [source.lamps(time, source.at(time)[1]) for time in (0.05, 0.15, 0.25, 0.35)]
    red, out = (0.5, 0.0, 0.0), (0.0, 0.0, 0.0)
    assert told == [{1: red, 2: out}, {1: out, 2: out}, {1: out, 2: red}, {1: (0.0, 1.0, 0.0), 2: red}]
