"""A pose is the pose of the thing; into something solid nothing is put, unless that is what was asked for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.helpers.robots import cart
from ubersim.description import default_materials, read_world
from ubersim.errors import UberSimError
from ubersim.simulation import Simulation
from ubersim.supervision.interventions import Interventions

WORLD = """<World><Ground/><Static>
<Box name="Table"><XSize>1</XSize><YSize>1</YSize><ZSize>0.5</ZSize>
<Position><x>4</x><y>0</y><z>0.25</z></Position><Material>Metal</Material></Box>
</Static><Objects><Body name="Ball"><Sphere name="Skin"><Radius>0.1</Radius><Mass>0.5</Mass>
<Position><x>1</x><y>2</y><z>0.1</z></Position><Material>Metal</Material></Sphere></Body></Objects></World>"""


@pytest.fixture
def simulation() -> Simulation:
    return Simulation(read_world(WORLD, materials=default_materials()))


def teleport(simulation: Simulation, thing: str, position: tuple[float, float, float], **more: Any) -> None:
    Interventions(simulation).execute("Teleport", {"thing": thing, "position": list(position), **more})


def test_an_object_goes_where_it_is_put_however_it_has_turned(simulation: Simulation) -> None:
    """Its centre is not the origin of the world's file; half a turn used to put it under the ground."""
    ball = simulation.objects["Ball"]
    ball.set_state(quaternion=(0.0, 1.0, 0.0, 0.0))
    teleport(simulation, "Ball", (-3.0, 1.0, 0.1))
    assert ball.position.tolist() == [-3.0, 1.0, 0.1]
    simulation.step(200)
    assert ball.position == pytest.approx([-3.0, 1.0, 0.1], abs=1e-3)


def test_heading_and_velocity_are_those_of_the_centre(simulation: Simulation) -> None:
    teleport(simulation, "Ball", (0.0, 0.0, 5.0), heading=1.0, linear=[1.0, 0.0, 0.0], angular=[0.0, 0.0, 3.0])
    ball = simulation.objects["Ball"]
    assert ball.position.tolist() == [0.0, 0.0, 5.0]
    assert ball.linear_velocity.tolist() == [1.0, 0.0, 0.0]
    assert math.atan2(ball.rotation[1, 0], ball.rotation[0, 0]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("place", "deep_in"),
    [
        ((0.0, 0.0, 0.05), "the world's own solids"),
        ((4.0, 0.0, 0.5), "the world's own solids"),
        ((9.0, 9.0, 0.3), "Cart"),
    ],
)
def test_into_something_solid_is_refused(
    simulation: Simulation, place: tuple[float, float, float], deep_in: str
) -> None:
    simulation.spawn(cart(), position=(9.0, 9.0, 0.3))
    before = simulation.objects["Ball"].position.copy()
    with pytest.raises(UberSimError, match=f"Ball would be .* mm deep in {deep_in}"):
        teleport(simulation, "Ball", place)
    assert (simulation.objects["Ball"].position == before).all()
    teleport(simulation, "Ball", place, overlap="allow")
    assert simulation.objects["Ball"].position.tolist() == list(place)


@pytest.mark.parametrize(("z", "top"), [(0.05, 0.1), (-30.0, 0.1)])
def test_lifted_it_lies_on_the_ground(simulation: Simulation, z: float, top: float) -> None:
    teleport(simulation, "Ball", (0.0, 0.0, z), overlap="lift")
    assert simulation.objects["Ball"].position == pytest.approx([0.0, 0.0, top], abs=2e-4)


def test_lifted_it_lies_on_the_table(simulation: Simulation) -> None:
    teleport(simulation, "Ball", (4.0, 0.0, 0.2), overlap="lift")
    assert simulation.objects["Ball"].position == pytest.approx([4.0, 0.0, 0.6], abs=2e-4)
    simulation.step(500)
    assert simulation.objects["Ball"].position == pytest.approx([4.0, 0.0, 0.6], abs=1e-3)


def test_what_touches_is_not_in_it(simulation: Simulation) -> None:
    """A robot that stands on the ground is a bit in it."""
    robot = simulation.spawn(cart())
    simulation.step(300)
    (x, y, z), *_ = (body.position.copy() for body in robot.bodies.values())
    height = z - robot.description.bodies[0].mass_properties().center[2]
    teleport(simulation, "Cart", (x + 3.0, y, float(height)))
    assert next(iter(robot.bodies.values())).position == pytest.approx([x + 3.0, y, z], abs=0.01)


def test_spawning_into_something_solid(simulation: Simulation) -> None:
    spawn = Interventions(simulation).execute
    with pytest.raises(UberSimError, match=r"Cart would be .* mm deep in the world's own solids"):
        spawn("Spawn", {"xml": cart(), "position": [4.0, 0.0, 0.3]})
    assert "Cart" not in simulation.robots
    placed = spawn("Spawn", {"xml": cart(), "position": [4.0, 0.0, 0.3], "overlap": "lift"})
    assert placed["position"][:2] == [4.0, 0.0] and placed["position"][2] > 0.5
    before = simulation.robots["Cart"].bodies["Base"].position.copy()
    simulation.step(300)
    assert np.abs(simulation.robots["Cart"].bodies["Base"].position - before)[2] < 0.05


def test_trying_changes_no_bit(simulation: Simulation) -> None:
    simulation.spawn(cart())
    simulation.step(10)
    before = simulation.digest()
    with pytest.raises(UberSimError, match="deep in"):
        teleport(simulation, "Cart", (4.0, 0.0, 0.2))
    assert simulation.digest() == before


def test_another_word_is_refused(simulation: Simulation) -> None:
    with pytest.raises(UberSimError, match="overlap takes one of refuse, lift, allow, not 'perhaps'"):
        teleport(simulation, "Ball", (0.0, 0.0, 1.0), overlap="perhaps")
