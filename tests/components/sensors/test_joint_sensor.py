"""Joint sensors and load cells against closed forms."""

import math

import numpy as np
import pytest

from tests.helpers.documents import body, robot, vector
from tests.helpers.sensor_stage import STEP, G, hinge, sensor, settings, simulation, spawned, sphere
from ubersim.description import read_robot
from ubersim.errors import DescriptionError, UberSimError
from ubersim.simulation.robot import Robot


def read(found: Robot, name: str) -> list[float]:
    value = found.read(name)
    assert isinstance(value, np.ndarray)
    return [float(part) for part in value]


def meter(inside: str = "", joint: str = "J") -> str:
    return sensor("JointSensor", "M", f"<Joint>{joint}</Joint>{inside}")


def slider(name: str, axis: tuple[float, float, float], inside: str) -> str:
    return f'<JointSlider name="{name}"><Body1>B</Body1>{vector("Axis", *axis)}{inside}</JointSlider>'


def test_a_driven_hinge_turns_as_told() -> None:
    here = simulation(gravity=0)
    found = spawned(here, sphere("s") + meter(), hinge("J", (0, 0, 1), inside="<Vel>2</Vel><FMax>100</FMax>"))
    here.step(1000)
    angle, rate, _ = read(found, "M")
    assert angle == pytest.approx(2.0, abs=2.1e-3) and rate == pytest.approx(2.0, abs=1e-6)
    here.step(1000)
    assert read(found, "M")[0] == pytest.approx(4 - 2 * math.pi, abs=2.1e-3)


def test_a_motor_that_holds_an_arm_exerts_its_weights_moment() -> None:
    """An arm of 0.5 m along +y about +x: gravity turns it down, by -m g l about +x."""
    here = simulation()
    found = spawned(here, sphere("s", (0, 0.5, 0), mass=2) + meter(), hinge("J", (1, 0, 0), inside="<FMax>100</FMax>"))
    here.step(200)
    assert read(found, "M")[2] == pytest.approx(2 * G * 0.5, rel=1e-4)


def test_effort_changes_sides_with_the_bodies() -> None:
    """The same, seen from a hinge whose second body is the arm."""
    here = simulation()
    joint = hinge("J", (1, 0, 0), "World", "<FMax>100</FMax>", "B")
    found = spawned(here, sphere("s", (0, 0.5, 0), mass=2) + meter(), joint)
    here.step(200)
    assert read(found, "M")[2] == pytest.approx(-2 * G * 0.5, rel=1e-4)


def test_a_motor_at_its_limit_exerts_just_that() -> None:
    here = simulation(gravity=0)
    found = spawned(here, sphere("s") + meter(), hinge("J", (0, 0, 1), inside="<Vel>1000</Vel><FMax>0.02</FMax>"))
    here.step(10)
    _, rate, effort = read(found, "M")
    assert effort == pytest.approx(0.02, rel=1e-5)
    assert rate == pytest.approx(10 * STEP * 0.02 / (0.4 * 0.01), rel=1e-5)


def test_a_hinge_that_swings_freely_exerts_nothing() -> None:
    """Though its bearing carries far more than the weight."""
    here = simulation()
    found = spawned(here, sphere("s", (0, 0.5, 0), mass=2) + meter(), hinge("J", (1, 0, 0)))
    efforts, rates = [], []
    for _ in range(700):
        here.step()
        efforts.append(abs(read(found, "M")[2]))
        rates.append(abs(read(found, "M")[1]))
    assert max(efforts) < 1e-9 and max(rates) > 5


def test_a_stop_exerts_what_it_holds() -> None:
    here = simulation()
    arm = hinge("J", (1, 0, 0), inside="<LoStop>0</LoStop><HiStop>90</HiStop>")
    found = spawned(here, sphere("s", (0, 0.5, 0), mass=2) + meter(), arm)
    here.step(500)
    assert read(found, "M")[2] == pytest.approx(2 * G * 0.5, rel=1e-3)


def test_a_slider_tells_extension_speed_and_force() -> None:
    """A lift that moves 3 kg up at a constant speed exerts their weight."""
    here = simulation()
    lift = slider("J", (0, 0, 1), "<Vel>0.5</Vel><FMax>1000</FMax>")
    found = spawned(here, sphere("s", mass=3) + meter(), lift)
    here.step(1000)
    assert read(found, "M") == pytest.approx([0.5, 0.5, 3 * G], rel=2e-3)


def two(joint: str, parts: str) -> str:
    """Two bodies: A in front of the origin, B at it."""
    return robot(body(sphere("a", (0, 0.3, 0)), "A") + body(sphere("b") + parts), joint, settings())


def test_the_second_axis_of_a_hinge2() -> None:
    here = simulation(gravity=0)
    place = vector("Axis1", 0, 0, 1) + vector("Axis2", 1, 0, 0) + vector("AnchorPos", 0, 0, 0)
    limits = "<LoStop>0</LoStop><HiStop>0</HiStop>"
    motor = f"{limits}<Vel2>1000</Vel2><FMax2>0.01</FMax2>"
    joint = f'<JointHinge2 name="J"><Body1>A</Body1><Body2>B</Body2>{place}{motor}</JointHinge2>'
    found = here.spawn(two(joint, meter("<Axis>2</Axis>")), position=(0, 0, 0))
    here.step(20)
    angle, rate, effort = read(found, "M")
    bodies = found.bodies
    assert rate == pytest.approx(bodies["A"].angular_velocity[0] - bodies["B"].angular_velocity[0], rel=1e-4)
    assert rate > 0.04 and angle == pytest.approx(rate * 20 * STEP / 2, rel=0.06)
    assert effort == pytest.approx(0.01, rel=1e-3)


def test_a_motor_without_angles_has_no_position() -> None:
    here = simulation(gravity=0)
    axes = vector("Axis1", 0, 0, 1)
    joint = f'<JointAMotor name="J"><Body1>B</Body1>{axes}<Vel>3</Vel><FMax>1</FMax></JointAMotor>'
    found = spawned(here, sphere("s") + meter(), joint)
    here.step(100)
    position, rate, effort = read(found, "M")
    assert math.isnan(position) and rate == pytest.approx(3, rel=1e-5) and effort == pytest.approx(0, abs=1e-4)


def test_an_encoder_has_steps_and_a_tachometer_noise() -> None:
    here = simulation(gravity=0)
    errors = "<Resolution>0.01</Resolution><RateNoise>0.1</RateNoise><EffortNoise>0.5</EffortNoise>"
    found = spawned(here, sphere("s") + meter(errors), hinge("J", (0, 0, 1), inside="<Vel>0.3</Vel><FMax>100</FMax>"))
    rows = []
    for _ in range(1500):
        here.step()
        rows.append(read(found, "M"))
    positions, rates, efforts = np.array(rows[100:]).T
    assert positions / 0.01 == pytest.approx(np.round(positions / 0.01), abs=1e-4)
    assert len(set(positions.tolist())) > 30
    assert (rates.std(), efforts.std()) == (pytest.approx(0.1, rel=0.1), pytest.approx(0.5, rel=0.1))


def test_a_joint_that_does_not_exist_is_refused_with_its_line() -> None:
    document = robot(body(sphere("s") + meter(joint="K")), hinge("Knee", (0, 0, 1)))
    with pytest.raises(DescriptionError, match=r"JointSensor\[M\]/Joint: joint 'K' does not exist"):
        read_robot(document)
    with pytest.raises(DescriptionError, match=r"joint 's' is a Sphere"):
        read_robot(document.replace("<Joint>K</Joint>", "<Joint>s</Joint>"))


def test_an_axis_that_the_joint_has_not_is_refused() -> None:
    with pytest.raises(UberSimError, match="'J' has no axis 2 to measure; it has 1"):
        spawned(simulation(), sphere("s") + meter("<Axis>2</Axis>"), hinge("J", (0, 0, 1)))


def cell(name: str, **place: object) -> str:
    return sensor("ForceTorqueSensor", name, "<Joint>J</Joint>", **place)  # type: ignore[arg-type]


def test_a_load_cell_weighs_what_hangs_from_it() -> None:
    """2 kg held by a weld to the world, 0.5 m in front of the cell: m g up, and a moment about +x."""
    here = simulation()
    weld = '<JointFixed name="J"><Body1>B</Body1></JointFixed>'
    parts = sphere("s", (0, 0.5, 0), mass=2) + cell("Level") + cell("Turned", x=90) + cell("There", at=(0, 0.5, 0))
    found = spawned(here, parts, weld)
    here.step(300)
    weight = 2 * G
    assert read(found, "Level") == pytest.approx([0, 0, weight, weight * 0.5, 0, 0], abs=1e-3)
    assert read(found, "Turned") == pytest.approx([0, weight, 0, weight * 0.5, 0, 0], abs=1e-3)
    assert read(found, "There") == pytest.approx([0, 0, weight, 0, 0, 0], abs=1e-3)


def test_at_a_free_hinge_there_is_no_torque_about_its_axis() -> None:
    """A pendulum at its lowest point pulls with m g + m v^2 / l; the cell at its hinge feels no moment about x."""
    here = simulation()
    found = spawned(here, sphere("s", (0, 0.5, 0), mass=2) + cell("F"), hinge("J", (1, 0, 0)))
    moments, pulls = [], []
    for _ in range(700):
        here.step()
        force, moment = read(found, "F")[:3], read(found, "F")[3]
        moments.append(abs(moment))
        pulls.append(float(np.linalg.norm(force)))
    # Released level: v^2 = 2 g l / (1 + 2/5 r^2 / l^2).
    assert max(pulls) == pytest.approx(2 * G * (1 + 2 / (1 + 0.4 * 0.1**2 / 0.5**2)), rel=5e-3)
    assert max(moments) < 1e-3 * max(pulls)


def test_on_the_other_side_action_is_reaction() -> None:
    here = simulation()
    weld = '<JointFixed name="J"><Body1>A</Body1><Body2>B</Body2></JointFixed>'
    held = '<JointFixed name="K"><Body1>B</Body1></JointFixed>'
    found = here.spawn(two(weld + held, cell("F")), position=(0, 0, 0))
    here.step(300)
    assert read(found, "F") == pytest.approx([0, 0, -G, -G * 0.3, 0, 0], abs=1e-3)


def test_a_load_cell_belongs_to_one_of_the_joints_bodies() -> None:
    bodies = body(sphere("a"), "A") + body(sphere("b", (1, 0, 0)), "C")
    joint = '<JointFixed name="J"><Body1>A</Body1><Body2>C</Body2></JointFixed>'
    with pytest.raises(UberSimError, match="does not hold the body"):
        spawned(simulation(), sphere("s", (2, 0, 0)) + cell("F"), joint, more_bodies=bodies)


@pytest.mark.parametrize(("torque", "load"), [(3.0, 0.0), (-3.0, 0.0), (0.0, 9.81), (3.0, 9.81), (-3.0, 9.81)])
def test_at_a_stop_motor_and_stop_together_carry_the_load_and_no_more(torque: float, load: float) -> None:
    """An arm of 0.5 m with 2 kg on stops of 1 degree: what the motor presses, the stop gives back."""
    here = simulation(gravity=load)
    stops = f"<FMax>{abs(torque)}</FMax><Vel>{math.copysign(9.0, torque)}</Vel><LoStop>-1</LoStop><HiStop>1</HiStop>"
    found = spawned(here, sphere("s", (0, 0.5, 0), mass=2) + meter(), hinge("J", (1, 0, 0), inside=stops))
    here.step(1000)
    angle, _, effort = read(found, "M")
    assert abs(angle) == pytest.approx(math.radians(1), rel=1e-3)
    assert effort == pytest.approx(2 * load * 0.5 * math.cos(angle), abs=1e-4)
