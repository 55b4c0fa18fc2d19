"""Contact sensors and bumpers: who touches, and how hard."""

import numpy as np
import pytest

from tests.helpers.documents import body, vector
from tests.helpers.sensor_stage import G, box, sensor, simulation, spawned, sphere
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot


def read(found: Robot, name: str) -> list[float]:
    value = found.read(name)
    assert isinstance(value, np.ndarray)
    return [float(part) for part in value]


def numbered(here: Simulation, name: str) -> int:
    """A name's number in the legend."""
    return next(number for number, known in here.object_ids.names().items() if known == name)


def feel(name: str = "F", inside: str = "", **place: object) -> str:
    return sensor("ContactSensor", name, inside, **place)  # type: ignore[arg-type]


def test_a_ball_on_the_ground_feels_its_weight() -> None:
    here = simulation(ground=True)
    found = spawned(here, sphere("s", mass=3) + feel() + feel("Turned", x=90), at=(0, 0, 0.1))
    assert read(found, "F") == [0, 0, 0, 0, 0]
    here.step(500)
    assert read(found, "F") == pytest.approx([1, 0, 0, 3 * G, 1], abs=1e-3)
    assert read(found, "Turned") == pytest.approx([1, 0, 3 * G, 0, 1], abs=1e-3)


def test_in_the_air_it_feels_nothing() -> None:
    here = simulation(ground=True)
    found = spawned(here, sphere("s") + feel(), at=(0, 0, 5))
    here.step(100)
    assert read(found, "F") == [0, 0, 0, 0, 0]


def ball(name: str, at: tuple[float, float, float], mass: float = 1.0) -> str:
    return body(sphere(f"{name}Shape", at, mass=mass), name)


def stacked() -> tuple[Simulation, Robot]:
    """A plate with a ball of 2 kg on its right and one of 4 kg on its left."""
    objects = f"<Objects>{ball('Right', (0.4, 0, 0.2), 2)}{ball('Left', (-0.4, 0, 0.2), 4)}</Objects>"
    here = simulation(ground=True, inside=objects)
    parts = [
        box("plate", (1.4, 1.4, 0.1), mass=10),
        feel("All"),
        feel("Near", "<Radius>0.2</Radius>", at=(0.4, 0, 0.05)),
        feel("Left_", "<Partner>Left</Partner>"),
        feel("Floor", "<Partner>Ground</Partner>"),
        feel("Nobody", "<Partner>Stranger</Partner>"),
    ]
    return here, spawned(here, "".join(parts), at=(0, 0, 0.05))


def test_radius_and_partner_choose_what_is_felt() -> None:
    here, found = stacked()
    here.step(800)
    count, *force, who = read(found, "All")
    assert count >= 6 and force == pytest.approx([0, 0, 10 * G], abs=0.05)
    assert who in (numbered(here, "Ground"), numbered(here, "Left"))
    assert read(found, "Near") == pytest.approx([1, 0, 0, -2 * G, numbered(here, "Right")], abs=0.01)
    assert read(found, "Left_") == pytest.approx([1, 0, 0, -4 * G, numbered(here, "Left")], abs=0.01)
    ground = read(found, "Floor")
    assert ground[0] >= 4 and ground[1:] == pytest.approx([0, 0, 16 * G, 1], abs=0.05)
    assert read(found, "Nobody") == [0, 0, 0, 0, 0]


def test_partners_are_told_apart() -> None:
    """A robot of two bodies that touch, while another robot sits on top."""
    here = simulation(ground=True)
    lower = body(box("low", (1, 1, 0.1), mass=1), "Low")
    parts = box("high", (1, 1, 0.1), (0, 0, 0.1)) + feel("Down", "<Partner>R/Low</Partner>")
    found = spawned(here, parts + feel("Up", "<Partner>S</Partner>"), more_bodies=lower, at=(0, 0, 0.05))
    spawned(here, sphere("ball", mass=5), name="S", at=(0, 0, 0.30))
    here.step(800)
    assert read(found, "Up") == pytest.approx([1, 0, 0, -5 * G, numbered(here, "S/B")], abs=0.02)
    count, *force, who = read(found, "Down")
    assert count >= 4 and who == numbered(here, "R/Low") and force == pytest.approx([0, 0, 6 * G], abs=0.05)


def test_who_leaves_is_felt_no_more() -> None:
    here = simulation(ground=True)
    found = spawned(here, box("plate", (1, 1, 0.1)) + feel("F", "<Partner>S</Partner>"), at=(0, 0, 0.05))
    spawned(here, sphere("ball", mass=5), name="S", at=(0, 0, 0.2))
    here.step(300)
    assert read(found, "F")[0] == 1
    here.remove("S")
    here.step(1)
    assert read(found, "F") == [0, 0, 0, 0, 0]


def test_noise_is_on_the_force_alone() -> None:
    here = simulation(ground=True)
    found = spawned(here, sphere("s", mass=3) + feel("F", "<Noise>0.5</Noise>"), at=(0, 0, 0.1))
    here.step(500)
    rows = []
    for _ in range(800):
        here.step()
        rows.append(read(found, "F"))
    array = np.array(rows)
    assert array[:, 1:4].std(axis=0) == pytest.approx([0.5] * 3, rel=0.12)
    assert set(array[:, 0]) == {1.0} and set(array[:, 4]) == {1.0}


def bumpers() -> str:
    ring = "".join(sensor("BumperSensor", f"B{angle}", "<Fov>60</Fov>", z=angle) for angle in range(0, 360, 60))
    stiff = sensor("BumperSensor", "Stiff", "<Threshold>1000</Threshold>")
    return ring + stiff + sensor("BumperSensor", "All")


@pytest.mark.parametrize("azimuth", [0, 60, 180, 300])
def test_a_bumper_is_pressed_in_its_own_sector(azimuth: int) -> None:
    """A wall at that azimuth, counted from the front to the left, and a push towards it."""
    turn = np.radians(azimuth)
    ahead = np.array([-np.sin(turn), np.cos(turn), 0])
    x, y, _ = 1.1 * ahead
    wall = f"<Static>{box('Wall', (4, 0.2, 2), (x, y, 1), mass=None, z=azimuth)}</Static>"
    here = simulation(ground=True, inside=wall)
    size = "<Mass>5</Mass><Radius>0.3</Radius><Height>0.2</Height><Material>Rubber</Material>"
    parts = f'<Cylinder name="c">{vector("Position", 0, 0, 0)}{size}</Cylinder>'
    found = spawned(here, parts + bumpers(), at=(0, 0, 0.1))
    here.step(200)
    assert not any(found.read(name) for name in found.sensors)  # it stands on the floor, which presses nothing
    for _ in range(1500):
        found.bodies["B"].add_force(80 * ahead)
        here.step()
    pressed = {name for name in found.sensors if found.read(name)}
    assert pressed == {f"B{azimuth}", "All"}
