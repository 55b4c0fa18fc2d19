"""The oracle tells the truth, in a shape that never changes."""

import numpy as np
import pytest

from tests.helpers.documents import body
from tests.helpers.sensor_stage import sensor, simulation, spawned, sphere
from ubersim.errors import DescriptionError
from ubersim.physics import Body
from ubersim.simulation.robot import Robot

ARM = body(sphere("a", (0, 1, 0)), "Arm")


def read(found: Robot) -> np.ndarray:
    value = found.read("O")
    assert isinstance(value, np.ndarray)
    return value


def oracle(targets: str, inside: str = "") -> str:
    return sphere("s") + sensor("OracleSensor", "O", f"<Target>{targets}</Target>{inside}")


def row(found: Body) -> list[float]:
    parts = (found.position, found.quaternion, found.linear_velocity, found.angular_velocity)
    return [float(value) for part in parts for value in part]


def test_objects_robots_and_their_bodies_to_the_bit() -> None:
    here = simulation(inside=f"<Objects>{body(sphere('b', (3, 0, 0)), 'Ball')}</Objects>")
    other = spawned(here, sphere("s"), more_bodies=ARM, name="Other", at=(0, 5, 0))
    found = spawned(here, oracle("Ball Other Other/Arm R"))
    here.objects["Ball"].set_state(linear=(1, 2, 3), angular=(4, 5, 6))
    here.step(50)
    bodies = [here.objects["Ball"], other.bodies["B"], other.bodies["Arm"], found.bodies["B"]]
    assert read(found).tolist() == [row(body) for body in bodies]


def test_a_robot_asks_for_itself_whatever_its_name() -> None:
    here = simulation()
    found = spawned(here, oracle("self self/B"), name="Seven")
    here.step(20)
    assert read(found).tolist() == [row(found.bodies["B"])] * 2


def test_who_is_not_there_is_not_a_number() -> None:
    here = simulation()
    found = spawned(here, oracle("Other Other/Tail R/Tail"))
    assert read(found).shape == (3, 13) and np.isnan(read(found)).all()
    other = spawned(here, sphere("s"), name="Other", at=(0, 5, 0))
    here.step()
    assert read(found)[0].tolist() == row(other.bodies["B"]) and np.isnan(read(found)[1:]).all()
    here.remove("Other")
    here.step()
    assert np.isnan(read(found)).all()


def test_noise_is_on_the_positions_alone() -> None:
    here = simulation(gravity=0)
    found = spawned(here, oracle("R", "<Noise>0.1</Noise>"))
    rows = []
    for _ in range(1000):
        here.step()
        rows.append(read(found)[0])
    assert np.std(rows, axis=0)[:3] == pytest.approx([0.1] * 3, rel=0.1)
    assert np.std(rows, axis=0)[3:].tolist() == [0] * 10


@pytest.mark.parametrize(
    ("targets", "complaint"),
    [("a/b/c", "'a/b/c' is neither a name"), ("ö", "neither a name nor"), ("R " * 65, "names 65 targets")],
)
def test_nonsense_is_refused(targets: str, complaint: str) -> None:
    with pytest.raises(DescriptionError, match=f"Target: .*{complaint}"):
        spawned(simulation(), oracle(targets.strip()))
