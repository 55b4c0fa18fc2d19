"""Bodies whose mass, centre and inertia are given, and bodies that look other than they collide."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.helpers.documents import ball, body, robot, vector
from ubersim.description import expand, read_robot
from ubersim.errors import DescriptionError
from ubersim.geometry import product, rotation_xyz_degrees
from ubersim.simulation import Simulation

PLAIN_BOX = "<XSize>1</XSize><YSize>1</YSize><ZSize>1</ZSize>" + vector("Position", 0, 0, 0)


def inertia(*moments: float, mass: float = 2.0) -> str:
    tags = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    numbers = "".join(f"<{tag}>{value}</{tag}>" for tag, value in zip(tags, moments, strict=False))
    return f"<Inertia><Mass>{mass}</Mass>{vector('Center', 0.1, 0.2, 0.3)}{numbers}</Inertia>"


def only_body(content: str) -> str:
    return robot(body(content))


def test_what_is_given_replaces_what_the_solids_would_weigh() -> None:
    found = read_robot(only_body(inertia(0.3, 0.4, 0.5, 0.01, -0.02, 0.03) + ball("a"))).bodies[0].mass_properties()
    assert found.mass == 2.0 and found.center.tolist() == [0.1, 0.2, 0.3]
    assert found.inertia.tolist() == [[0.3, 0.01, -0.02], [0.01, 0.4, 0.03], [-0.02, 0.03, 0.5]]


def test_with_it_solids_need_no_mass_and_a_body_no_solid() -> None:
    box = f'<Box name="box">{PLAIN_BOX}<Material>Wood</Material></Box>'
    assert read_robot(only_body(inertia(1, 1, 1) + box)).bodies[0].mass_properties().mass == 2.0
    with Simulation() as simulation:
        made = simulation.spawn(only_body(inertia(1, 1, 1)))
        simulation.step(10)
        assert made.bodies["B"].linear_velocity[2] == pytest.approx(-0.0981)


def test_without_it_the_solid_that_lacks_a_mass_is_named() -> None:
    box = f'<Box name="box">{PLAIN_BOX}<Material>Wood</Material></Box>'
    with pytest.raises(DescriptionError, match=r"Body\[B\]/Box\[box\]: Mass is missing"):
        read_robot(only_body(box))


@pytest.mark.parametrize(
    ("moments", "message"),
    [
        ((1, 1, 3), r"moments are 1, 1 and 3 kg m\^2; the largest cannot exceed the sum of the others, 2"),
        ((1, 1, 1, 2), r"moments are -1, 1 and 3 kg m\^2; each has to be above 0"),
        ((0, 1, 1), "out of range"),
        (("nan", 1, 1), "is not a number"),
    ],
)
def test_an_inertia_that_no_body_has_is_refused_with_its_figures(moments: tuple[float, ...], message: str) -> None:
    with pytest.raises(DescriptionError, match=message):
        read_robot(only_body(inertia(*moments)))


@pytest.mark.parametrize("products", [(0.01, -0.02, 0.03), ()])
def test_it_turns_with_the_part_that_it_is_in(tmp_path: Path, products: tuple[float, ...]) -> None:
    moments = (0.3, 0.4, 0.5, *products)
    (tmp_path / "part.xml").write_text(f"<Part><RigidBodies>{body(inertia(*moments))}</RigidBodies></Part>")
    place = vector("Position", 1, 2, 3) + vector("Rotation", 20, 30, 40)
    whole = robot(body(ball("a"), "A")).replace(
        "</Entity>", f"<Parts><Include><File>part.xml</File>{place}</Include></Parts></Entity>"
    )
    found = read_robot(expand(whole, tmp_path)).bodies[1].mass_properties()
    turn = rotation_xyz_degrees([20, 30, 40])
    xy, xz, yz = products or (0.0, 0.0, 0.0)
    tensor = np.array([[0.3, xy, xz], [xy, 0.4, yz], [xz, yz, 0.5]])
    assert found.inertia == pytest.approx(product(product(turn, tensor), turn.T), abs=1e-15)
    assert found.center == pytest.approx(turn @ [0.1, 0.2, 0.3] + [1, 2, 3], abs=1e-14)


def test_what_is_for_the_eye_neither_weighs_nor_touches() -> None:
    hull = ball("hull").replace("<Material>", "<Visible>false</Visible><Material>")
    shell = f'<Visual><Box name="shell">{PLAIN_BOX}</Box></Visual>'
    with Simulation() as plain, Simulation() as dressed:
        plain.spawn(only_body(ball("hull")))
        other = dressed.spawn(only_body(hull + shell))
        assert [solid.name for solid in other.description.bodies[0].shown] == ["shell"]
        assert list(other.paints) == ["shell"]
        for simulation in (plain, dressed):
            simulation.step(300)
        assert plain.digest() == dressed.digest()


def test_what_is_for_the_eye_has_no_mass_and_no_material() -> None:
    shell = f'<Visual><Box name="shell">{PLAIN_BOX}<Mass>1</Mass><Material>Wood</Material></Box></Visual>'
    with pytest.raises(DescriptionError, match="Mass has no place") as caught:
        read_robot(only_body(ball("a") + shell))
    assert "Material has no place" in str(caught.value)
