"""Every joint that a document can describe can be built, with every property that it can set."""

import numpy as np
import pytest

from tests.helpers.documents import ANCHOR, two_bodies, vector
from ubersim.description import default_materials, read_robot
from ubersim.description.base import JointDescription
from ubersim.description.registry import registry
from ubersim.geometry import Pose, rotation_about
from ubersim.physics import Joint, World
from ubersim.physics.build import add_body
from ubersim.physics.joint_kinds import KINDS, properties_of

AXIS = vector("Axis", 1, 0, 0)
AXES = vector("Axis1", 0, 0, 1) + vector("Axis2", 1, 0, 0)
GEOMETRY = {
    "JointBall": ANCHOR,
    "JointHinge": AXIS + ANCHOR,
    "JointHinge2": AXES + ANCHOR,
    "JointSlider": AXIS,
    "JointUniversal": AXES + ANCHOR,
    "JointFixed": "",
    "JointPiston": AXIS + ANCHOR,
    "JointPR": AXES + ANCHOR,
    "JointPU": AXES + vector("Axis3", 0, 1, 0) + ANCHOR,
    "JointAMotor": AXES + vector("Axis3", 0, 1, 0),
    "JointLMotor": AXES + vector("Axis3", 0, 1, 0),
}
FRAME = Pose(np.array([1.0, 2.0, 5.0]), rotation_about(2, 0.5))
CONNECTIONS = ("<Body1>A</Body1><Body2>B</Body2>", "<Body1>A</Body1>", "<Body2>B</Body2>")


def build(kind: str, connection: str, properties: str = "") -> tuple[JointDescription, Joint, World]:
    robot = read_robot(two_bodies(f'<{kind} name="j">{connection}{GEOMETRY[kind]}{properties}</{kind}>'))
    materials = default_materials()
    world = World(0.001, surfaces=materials.matrix())
    bodies = {body.name: add_body(world, 1, body, FRAME, materials) for body in robot.bodies}
    return robot.joints[0], robot.joints[0].build(world, 1, bodies, FRAME), world


def test_the_table_has_all_joints() -> None:
    assert set(registry().members(JointDescription)) == set(GEOMETRY) | {"OmniWheel"}  # which is several


@pytest.mark.parametrize("kind", GEOMETRY)
@pytest.mark.parametrize("connection", CONNECTIONS)
def test_it_holds_two_bodies_or_one_and_the_world(kind: str, connection: str) -> None:
    if kind == "JointHinge2" and connection != CONNECTIONS[0]:
        return  # a wheel needs a vehicle; the reader refuses it otherwise
    _, joint, world = build(kind, connection)
    assert joint.kind == registry().components[kind].kind  # type: ignore[attr-defined]
    world.run(100)
    assert np.isfinite(world.positions).all()


@pytest.mark.parametrize("kind", GEOMETRY)
def test_xml_has_exactly_the_properties_that_the_joint_has(kind: str) -> None:
    cls = registry().components[kind]
    tags = {entry.index: entry.tag for entry in cls.entries() if entry.index is not None}
    native = properties_of(cls.kind, len(KINDS[cls.kind].properties))  # type: ignore[attr-defined]
    assert tags == {number: about.name for number, about in native.items()}


@pytest.mark.parametrize("kind", GEOMETRY)
def test_every_property_reaches_the_physics_engine(kind: str) -> None:
    entries = [entry for entry in registry().components[kind].entries() if entry.index is not None]
    # FudgeFactor, Bounce and the like are shares; stops are degrees here, or metres.
    given = {entry.tag: 0.25 + 0.01 * place for place, entry in enumerate(entries)}
    given |= {tag: -value for tag, value in given.items() if tag.startswith("LoStop")}
    description, joint, _ = build(kind, CONNECTIONS[0], "".join(f"<{tag}>{v!r}</{tag}>" for tag, v in given.items()))
    assert len(description.initial) == len(entries)
    for index, value in description.initial.items():
        assert joint.get(index) == value


def test_anchors_and_axes_go_with_the_robot() -> None:
    """A hinge that holds a body at its centre of mass, turned with the robot: its motor turns it about that axis."""
    _, joint, world = build("JointHinge", CONNECTIONS[1], "<Vel>2</Vel><FMax>1000</FMax>")
    world.run(100)
    np.testing.assert_allclose(world.positions[0], FRAME.position, atol=1e-9)
    np.testing.assert_allclose(world.angular_velocities[0], FRAME.turn((2, 0, 0)), atol=1e-6)
    assert joint.rate() == pytest.approx(2.0)


@pytest.mark.parametrize("kind", ["JointSlider", "JointFixed", "JointAMotor", "JointLMotor"])
def test_joints_that_hold_no_point_may_say_where_they_are(kind: str) -> None:
    description, _, _ = build(kind, CONNECTIONS[0], ANCHOR)
    assert description.anchor is None
    assert description.anchor_pos == (0.0, 0.0, 0.0)  # type: ignore[attr-defined]
