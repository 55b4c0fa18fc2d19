"""docs/robot-xml.md is current, and what it shows works."""

import re
from pathlib import Path

import pytest

from ubersim.description import default_materials, read_materials, read_robot, read_world
from ubersim.description.reference import refreshed
from ubersim.description.registry import registry
from ubersim.errors import DescriptionError

PAGE = (Path(__file__).parents[2] / "docs" / "robot-xml.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_tables_are_current() -> None:
    """If not: `python -m ubersim.description.reference docs/robot-xml.md`."""
    assert refreshed(PAGE) == PAGE


def test_every_component_and_each_of_its_elements_is_there() -> None:
    for tag, cls in registry().components.items():
        assert f"#### `{tag}`" in PAGE
        for entry in cls.entries():
            assert f"| `{entry.tag}` |" in PAGE or entry.tag == "name"


def test_the_first_robot_and_the_world_can_be_read() -> None:
    robot, *_, world = (block for block in blocks("xml") if block.startswith(("<Client", "<World")))
    cart = read_robot(robot, materials=default_materials())
    assert cart.name == "Cart" and [joint.name for joint in cart.joints] == ["Motor"]
    assert read_world(world, materials=default_materials()).objects[0].name == "Ball"
    assert read_materials(blocks("yaml")[0]).surface("Ground", "Rubber").mu == 0.9


def test_the_shown_errors_are_the_real_ones() -> None:
    robot = next(block for block in blocks("xml") if block.startswith("<Client"))
    broken = robot.replace("Wood", "Wod").replace("Radius", "Raduis").replace("<Body2>Wheel<", "<Body2>Wheels<")
    with pytest.raises(DescriptionError) as refused:
        read_robot(broken, source="cart.xml", materials=default_materials())
    assert f"```\n{refused.value}\n```" in PAGE


def test_latencies_and_the_mesh_can_be_read() -> None:
    from tests.helpers.documents import ball, body, robot

    latencies = next(block for block in blocks("xml") if block.startswith("<Latency")).splitlines()
    for latency in latencies:
        read_robot(robot(body(ball("s")), settings=f"<CSettings><Name>R</Name>{latency}</CSettings>"))
    read_robot(robot(body(next(block for block in blocks("xml") if block.startswith("<Mesh")))))


def test_an_unknown_section_is_an_error() -> None:
    with pytest.raises(KeyError):
        refreshed("<!-- generated: nothing -->\n<!-- end -->")
