"""Markings are drawn where they are described, count as ground, and touch nothing."""

from __future__ import annotations

import math

import pytest

from tests.helpers.documents import vector
from ubersim.components.solids.sphere import Sphere
from ubersim.description import WorldDescription, default_materials, load_world, read_world, shipped, shipped_names
from ubersim.errors import DescriptionError
from ubersim.simulation import Simulation
from ubersim.simulation.object_ids import GROUND
from ubersim.simulation.scene import scene_of


def world(markings: str) -> WorldDescription:
    return read_world(f"<World><Ground/><Markings>{markings}</Markings></World>", materials=default_materials())


def test_a_line_goes_from_one_end_to_the_other() -> None:
    (line,) = world(f"<Line>{vector('From', 1, 1, 0)}{vector('To', 4, 5, 0)}<Width>0.1</Width></Line>").markings
    (strip,) = line.strips()
    assert strip.center == (2.5, 3.0, 0.0)
    assert (strip.length, strip.width) == (5.0, 0.1)
    assert strip.heading == pytest.approx(math.atan2(4, 3))


def test_a_rectangle_is_as_large_as_its_outside() -> None:
    size = "<XSize>4</XSize><YSize>2</YSize><Width>0.1</Width>"
    (rectangle,) = world(f"<Rectangle>{vector('Position', 1, 0, 0)}{size}</Rectangle>").markings
    strips = list(rectangle.strips())
    for axis, edge in ((0, 3.0), (1, 1.0)):
        along = [abs((math.cos, math.sin)[axis](strip.heading)) for strip in strips]
        reach = [
            (share * strip.length + (1 - share) * strip.width) / 2 for share, strip in zip(along, strips, strict=True)
        ]
        assert max(strip.center[axis] + own for strip, own in zip(strips, reach, strict=True)) == pytest.approx(edge)
    assert sum(strip.length * strip.width for strip in strips) == pytest.approx(4 * 2 - 3.8 * 1.8)


def test_a_circle_is_closed() -> None:
    (circle,) = world(f"<Circle>{vector('Position', 0, 0, 0)}<Radius>2</Radius><Width>0.1</Width></Circle>").markings
    strips = list(circle.strips())
    assert all(math.hypot(*strip.center[:2]) == pytest.approx(2.0) for strip in strips)
    # The outer corners of neighbours meet.
    half = math.atan2(strips[0].length / 2, 2.0 + 0.05)
    assert len(strips) * 2 * half == pytest.approx(math.tau)


def test_markings_are_level() -> None:
    with pytest.raises(DescriptionError, match="markings are level"):
        world(f"<Line>{vector('From', 1, 1, 0)}{vector('To', 4, 5, 1)}</Line>")


def test_markings_count_as_ground_and_are_no_obstacle() -> None:
    simulation = Simulation(world(f"<Line>{vector('From', 0, -5, 0)}{vector('To', 0, 5, 0)}</Line>"))
    assert [shape.object_id for shape in scene_of(simulation).shapes] == [GROUND]
    assert len(simulation.world.geoms) == 1


@pytest.mark.parametrize("name", [name for name in shipped_names("worlds") if "x" in name])
def test_a_ball_rolls_on_a_field_as_its_materials_say(name: str) -> None:
    materials = default_materials()
    simulation = Simulation(load_world(shipped(f"worlds/{name}.xml"), materials=materials))
    (ball,) = simulation.description.objects
    (sphere,) = ball.solids
    assert isinstance(sphere, Sphere)
    radius, moving = sphere.radius, simulation.objects["Ball"]
    moving.set_state((0, 0, radius), (1, 0, 0, 0), (0, 1.0, 0), (-1.0 / radius, 0, 0))
    simulation.step(500)
    loss = materials.surface(sphere.material, "Carpet").rolling * 9.81 / (1.4 * radius)
    assert moving.linear_velocity[1] == pytest.approx(1.0 - 0.5 * loss, abs=0.01)


def test_what_markings_are_painted_with_decides_how_other_radiation_sees_them() -> None:
    materials = default_materials()
    infrared = list(materials.radiation).index("infrared")
    line = f"<Line>{vector('From', 0, -5, 0)}{vector('To', 0, 5, 0)}{{}}</Line>"
    with Simulation(world(line.format("") + line.format("<Material>Rubber</Material>"))) as simulation:
        paint, rubber = (shape.radiation[infrared] for shape in scene_of(simulation).shapes)
    assert paint == materials.radiation["infrared"].of("Paint") and paint[0] == 0.9
    assert rubber == materials.radiation["infrared"].of("Rubber")
    with pytest.raises(DescriptionError, match="Chalk"):
        world(line.format("<Material>Chalk</Material>"))
