"""What the buttons of the camera frame: everything, solids that stand there too, or what is chosen."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers.robots import cart
from tests.viewer.test_tree import model_of
from ubersim.description import read_world
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.simulation import Simulation
from ubersim.viewer.framing import everything, extent, of_choice
from ubersim.viewer.model import SceneModel
from ubersim.viewer.selection import Selection

WALL = """<World><Ground/><Static><Box name="Wall"><XSize>8</XSize><YSize>0.2</YSize><ZSize>1</ZSize>
  <Position><x>5</x><y>0</y><z>0.5</z></Position><Rotation><x>0</x><y>0</y><z>90</z></Rotation>
  <Material>Concrete</Material></Box></Static></World>"""


def staged(*robots: str) -> tuple[SceneModel, GroundTruth]:
    """A wall across the x axis at 5 m, and robots where they stand first."""
    with Simulation(read_world(WALL)) as simulation:
        for robot in robots:
            simulation.spawn(robot)
        model = model_of(simulation)
        bodies = [body for robot in simulation.robots.values() for body in robot.bodies.values()]
        places = np.array([body.position for body in bodies]).reshape(-1, 3)
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(places), 1))
    none = np.zeros_like(places)
    legend = {"number": 1, "bodies": model.bodies, "joints": [], "robots": {}}
    return model, GroundTruth(0.0, 0, False, legend, places, turns, none, none, np.zeros(0), np.zeros(0))


def test_everything_has_the_walls_in_it() -> None:
    middle, radius = everything(*staged(cart(x=0.0))) or (np.zeros(3), 0.0)
    for corner in ([5.1, 4, 1], [4.9, -4, 0], [0, 0.3, 0.3]):
        assert np.linalg.norm(np.array(corner) - middle) <= radius + 1e-9
    assert radius < 6.0
    _, wide = everything(*staged(cart("A", x=-20.0), cart("B", x=20.0))) or (np.zeros(3), 0.0)
    assert wide < 22.0, "no more than there is"
    alone, size = everything(*staged()) or (np.zeros(3), 0.0)
    assert alone == pytest.approx([5, 0, 0.5]) and size == pytest.approx(np.sqrt(4**2 + 0.1**2 + 0.5**2))


def test_what_is_chosen_is_whole() -> None:
    """A robot with all its bodies; one of these; a solid of the world."""
    model, truth = staged(cart(x=0.0))
    robot, body = (of_choice(model, truth, Selection(*of)) for of in (("Robot", "Cart"), ("Bodies", "Cart", "Wheel")))
    whole, part = extent(model, truth, model.rows("Cart")), extent(model, truth, [model.bodies.index("Cart/Wheel")])
    assert robot and whole and body and part
    assert (robot[0] == whole[0]).all() and robot[1] == whole[1]
    assert (body[0] == part[0]).all() and body[1] < robot[1]
    wall = of_choice(model, truth, Selection("Solid", "Wall"))
    assert wall is not None and wall[0] == pytest.approx([5, 0, 0.5])
