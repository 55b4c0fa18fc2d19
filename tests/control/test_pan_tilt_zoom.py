"""A camera on two joints: it looks where it is told, finds what it is asked for, and follows it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from tests.helpers.documents import body, robot, vector
from tests.helpers.sensor_stage import box, sensor, simulation, sphere
from ubersim.control.pan_tilt_zoom import PanTiltZoom
from ubersim.errors import UberSimError
from ubersim.simulation.local_robot import LocalRobot


def hinge(name: str, axis: tuple[float, float, float], one: str, other: str) -> str:
    ends = f"<Body1>{one}</Body1><Body2>{other}</Body2>"
    return (
        f'<JointHinge name="{name}">{ends}{vector("Axis", *axis)}{vector("AnchorPos", 0, 0, 0)}<Report/></JointHinge>'
    )


def servo(name: str, joint: str) -> str:
    return (
        f'<PositionServo name="{name}"><Joint>{joint}</Joint><Kp>20</Kp><Kd>1</Kd><TorqueLimit>50</TorqueLimit>'
        "</PositionServo>"
    )


def head(level: str = "objects") -> str:
    camera = "<Fov>40</Fov><Width>40</Width><Height>30</Height><Frequency>50</Frequency>"
    eye = sensor("CameraSensor", "Eye", f"{camera}<Level>{level}</Level>")
    bodies = (
        body(box("Foot", (0.4, 0.4, 0.1), (0, 0, -0.3), mass=20), "Base")
        + body(sphere("Neck", radius=0.05, mass=0.3), "Yoke")
        + body(sphere("Skull", radius=0.06, mass=0.3) + eye, "Head")
    )
    joints = hinge("Pan", (0, 0, 1), "Yoke", "Base") + hinge("Tilt", (1, 0, 0), "Head", "Yoke")
    document = robot(bodies, joints)
    return document.replace(
        "</Joints>", "</Joints><Motors>" + servo("PanServo", "Pan") + servo("TiltServo", "Tilt") + "</Motors>"
    )


@pytest.fixture
def program() -> Iterator[LocalRobot]:
    """A head, 1 m above nothing, and two boxes: one 60 degrees to its left and up, one behind its right shoulder."""
    left = (-2.0 * math.sin(math.radians(60)), 2.0 * math.cos(math.radians(60)), 0.5)
    boxes = box("Left", (0.2, 0.2, 0.2), left, mass=None) + box("Right", (0.2, 0.2, 0.2), (2.0, 0.5, 0.0), mass=None)
    with simulation(gravity=0.0, inside=f"<Static>{boxes}</Static>") as here:
        yield LocalRobot(here, here.spawn(head(), position=(0.0, 0.0, 0.0)))


def kit(program: LocalRobot) -> PanTiltZoom:
    return PanTiltZoom(program, camera="Eye", pan="PanServo", tilt="TiltServo", joints=("Pan", "Tilt"), sweep=4.0)


def angles(program: LocalRobot) -> tuple[float, float]:
    joints = program.robot.joints
    return joints["Pan"].position(), joints["Tilt"].position()


def test_it_looks_at_a_point_of_the_robot_or_the_world(program: LocalRobot) -> None:
    head = kit(program)
    program.next_frame()
    head.look_at((-1.0, 1.0, math.sqrt(2.0) * math.tan(0.3)))
    program.clock.sleep(0.6)
    assert angles(program) == pytest.approx((math.pi / 4, 0.3), abs=0.02)
    head.look_at((5.0, 4.0, 0.0), pose=(5.0, 3.0, math.radians(30)))
    assert (head.pan, head.tilt) == pytest.approx((math.radians(-30), 0.0))
    head.look(9.0, -9.0)
    assert (head.pan, head.tilt) == pytest.approx((math.pi / 2, -math.pi / 4))


@pytest.mark.parametrize(("name", "bearing", "elevation"), [("Left", 60.0, 14.0), ("Right", -76.0, 0.0)])
def test_it_finds_what_it_is_asked_for(program: LocalRobot, name: str, bearing: float, elevation: float) -> None:
    head = kit(program)
    for _ in program:
        found = head.search(name)
        if found is not None and program.simulation.time > 3.0:
            break
        assert program.simulation.time < 4.0
    assert found is not None and found.name == name
    assert math.degrees(found.bearing) == pytest.approx(bearing, abs=1.5)
    assert math.degrees(found.elevation) == pytest.approx(elevation, abs=1.5)
    assert math.degrees(angles(program)[0]) == pytest.approx(bearing, abs=1.5)


def test_zoom_narrows_what_is_in_sight(program: LocalRobot) -> None:
    head = kit(program)
    program.next_frame()
    head.look(math.radians(75.0), math.radians(14.0))
    program.clock.sleep(0.6)
    assert [seen.name for seen in head.in_sight()] == ["Left"]
    head.zoom(math.radians(10.0))
    program.clock.sleep(0.1)
    assert head.in_sight() == []


def test_it_says_what_is_wrong(program: LocalRobot) -> None:
    pan_tilt = kit(program)
    program.next_frame()
    with pytest.raises(UberSimError, match=r"nothing is called 'Lfet'; .*Left"):
        pan_tilt.search("Lfet")


def test_a_head_that_is_not_above_the_origin_looks_from_where_it_is(program: LocalRobot) -> None:
    """Close to it, a few centimetres are degrees."""
    place, point = (0.1, -0.2, 0.3), (0.6, 0.3, 0.3 - 0.5 * math.sqrt(2.0) * math.tan(0.4))
    names = {"camera": "Eye", "pan": "PanServo", "tilt": "TiltServo", "joints": ("Pan", "Tilt")}
    head = PanTiltZoom(program, at=place, **names)  # type: ignore[arg-type]
    head.look_at(point)
    assert (head.pan, head.tilt) == pytest.approx((-math.pi / 4, -0.4))
    head.look_at((3.0 - point[1], 2.0 + point[0], point[2]), pose=(3.0, 2.0, math.pi / 2))
    assert (head.pan, head.tilt) == pytest.approx((-math.pi / 4, -0.4))


def test_before_the_first_reading_nothing_is_in_sight(program: LocalRobot) -> None:
    assert kit(program).in_sight() == []


def test_pictures_are_no_list_of_what_is_seen() -> None:
    with simulation(ground=True) as world, LocalRobot(world, world.spawn(head("image"))) as program:
        looking = kit(program)
        while program.read("Eye") is None:
            assert program.next_frame() is not None
        with pytest.raises(UberSimError, match="tells pictures; with <Level>objects</Level> it tells what it sees"):
            looking.in_sight()
