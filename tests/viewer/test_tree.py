"""The tree of the world: what folds, what is marked, and what generated parts are called together."""

from __future__ import annotations

import re

from tests.helpers.robots import cart
from ubersim.description import shipped
from ubersim.protocol.to_json import to_json
from ubersim.simulation import Simulation
from ubersim.simulation.introduction import introduction_of
from ubersim.simulation.robot_info import robot_info
from ubersim.simulation.scene import scene_of, solid_names
from ubersim.viewer.highlight import places_of
from ubersim.viewer.model import SceneModel
from ubersim.viewer.selection import Selection
from ubersim.viewer.tree import grouped, tree_html


def model_of(simulation: Simulation) -> SceneModel:
    """As the page gets it."""
    scene = to_json(scene_of(simulation)) | {"solids": solid_names(simulation), "robots": robot_info(simulation)}
    names = {body.row: name for name, body in simulation.objects.items()}
    for robot in simulation.robots.values():
        names |= {body.row: f"{robot.name}/{name}" for name, body in robot.bodies.items()}
    robots = {name: introduction_of(robot) for name, robot in simulation.robots.items()}
    return SceneModel(
        {"number": 1, "bodies": [names[row] for row in sorted(names)], "joints": [], "robots": robots}, scene
    )


def test_rollers_are_folded_away() -> None:
    with Simulation() as simulation:
        simulation.spawn(shipped("robots/msl_omni.xml"))
        (robot,) = simulation.robots
        model = model_of(simulation)
        bodies = dict(grouped(model.names(robot, "Bodies")))
    wheels = [name for name in bodies if name]
    assert len(wheels) == 3
    assert all(len(bodies[wheel]) > 8 for wheel in wheels)
    tree = tree_html(model, Selection("Robot", robot))
    for wheel in wheels:
        assert f'<details data-key="{robot}/Bodies/{wheel}"><summary>' in tree, "closed, but there"


def test_what_is_chosen_is_marked_and_its_branch_open() -> None:
    with Simulation(shipped("worlds/room.xml")) as simulation:
        simulation.spawn(cart(x=1.0))
        model = model_of(simulation)
    for choice in (
        Selection("Sensors", "Cart", "Tilt"),
        Selection("Object", "Ball"),
        Selection("Solid", next(iter(model.solids))),
    ):
        assert model.has(choice)
        tree = tree_html(model, choice)
        assert re.findall(r'data-key="([^"]*)" aria-current="true"', tree) == [choice.key]
        assert Selection.from_key(choice.key) == choice
        opened = re.findall(r'<details data-key="([^"]*)" open>', tree)
        assert {"Sensors": "Cart/Sensors", "Object": "Objects", "Solid": "Static solids"}[choice.kind] in opened
    assert not model.has(Selection("Sensors", "Cart", "Nothing"))
    assert tree_html(model, None).count("aria-current") == 0


def test_shapes_of_what_is_chosen() -> None:
    with Simulation(shipped("worlds/room.xml")) as simulation:
        simulation.spawn(cart(x=1.0))
        model = model_of(simulation)
    wheel = places_of(model, Selection("Bodies", "Cart", "Wheel"))
    assert [model.bodies[model.shapes[place]["body"]] for place in wheel] == ["Cart/Wheel"]
    base = places_of(model, Selection("Bodies", "Cart", "Base"))
    assert places_of(model, Selection("Sensors", "Cart", "Tilt")) == base
    assert places_of(model, Selection("Joints", "Cart", "Motor")) == base, "what its motor turns"
    solid = next(iter(model.solids))
    assert all(model.shapes[place]["body"] == -1 for place in places_of(model, Selection("Solid", solid)))
    assert not places_of(model, Selection("Robot", "Cart")), "a whole robot is not covered"
