"""Whiskers, sonars and lidars against closed forms."""

import math

import numpy as np
import pytest

from tests.helpers.sensor_stage import box, sensor, simulation, spawned, sphere
from ubersim.geometry import Array
from ubersim.simulation.robot import Robot

RANGE = "<Range>10</Range>"


def scan(found: Robot, name: str) -> np.ndarray:
    value = found.read(name)
    assert isinstance(value, np.ndarray)
    return value.astype(float)


def wall(distance: float, *, x: float = 0.0, z: float = 0.0) -> str:
    """A wide wall whose face is at y = distance; turned about the middle of that face."""
    angle = math.radians(x)
    at = (0, distance + 0.5 * math.cos(angle), 0.5 * math.sin(angle))
    return f"<Static>{box('Wall', (40, 1, 40), at, mass=None, x=x, z=z)}</Static>"


@pytest.mark.parametrize("yaw", [0, 20, -45, 70])
def test_a_whisker_measures_along_its_forward_axis(yaw: float) -> None:
    found = spawned(simulation(inside=wall(2)), sphere("s") + sensor("WhiskerSensor", "W", RANGE, z=yaw))
    assert found.read("W") == pytest.approx(2 / math.cos(math.radians(yaw)), rel=1e-6)


def test_nothing_within_range_is_infinitely_far() -> None:
    parts = sensor("WhiskerSensor", "Far", "<Range>1.9</Range>") + sensor("WhiskerSensor", "Back", RANGE, z=180)
    found = spawned(simulation(inside=wall(2)), sphere("s") + parts)
    assert found.read("Far") == found.read("Back") == math.inf


def test_the_sensors_place_on_a_moving_body_counts() -> None:
    here = simulation(gravity=0, inside=wall(2))
    found = spawned(here, sphere("s") + sensor("WhiskerSensor", "W", RANGE, at=(0, 0.25, 0)), at=(0, -1, 0))
    assert found.read("W") == pytest.approx(2.75, rel=1e-6)
    found.bodies["B"].set_state(linear=(0, 1, 0))
    here.step(500)
    assert found.read("W") == pytest.approx(2.25, rel=1e-6)


def test_near_things_are_reported_at_the_nearest_distance() -> None:
    parts = sensor("WhiskerSensor", "W", f"{RANGE}<Near>0.8</Near>")
    assert spawned(simulation(inside=wall(0.5)), sphere("s") + parts).read("W") == pytest.approx(0.8)


def test_rays_go_through_the_own_robot_or_only_the_own_body() -> None:
    parts = sensor("WhiskerSensor", "Robot", RANGE) + sensor("WhiskerSensor", "Body", f"{RANGE}<Ignore>body</Ignore>")
    arm = f'<Body name="Arm">{sphere("arm", (0, 1, 0))}</Body>'
    here = simulation(gravity=0, inside=wall(3))
    spawned(here, sphere("other"), name="Other", at=(0, 2, 0))
    found = spawned(here, sphere("s") + parts, more_bodies=arm)
    assert found.read("Robot") == pytest.approx(1.9) and found.read("Body") == pytest.approx(0.9)


@pytest.mark.parametrize("tilt", [0, 5, 10, 40])
def test_a_sonar_finds_the_nearest_echo_in_its_cone(tilt: float) -> None:
    """A wall that leans: its nearest point is straight on its normal if that is in the cone, else on the cone's rim."""
    parts = sensor("SonarSensor", "S", f"{RANGE}<Fov>20</Fov><Rays>1000</Rays>")
    found = spawned(simulation(inside=wall(2, x=tilt)), sphere("s") + parts)
    off = math.radians(max(0, tilt - 10))
    expected = 2 * math.cos(math.radians(tilt)) / math.cos(off)
    assert found.read("S") == pytest.approx(expected, rel=4e-3)
    assert found.read("S") >= expected - 1e-6  # type: ignore[operator]  # rays cannot see what the cone does not hold


def test_a_sonar_does_not_hear_what_reflects_the_sound_away() -> None:
    parts = "".join(
        sensor("SonarSensor", f"S{most}", f"{RANGE}<Fov>1</Fov><Incidence>{most}</Incidence>") for most in (30, 50)
    )
    found = spawned(simulation(inside=wall(2, x=40)), sphere("s") + parts)
    assert found.read("S30") == math.inf and found.read("S50") == pytest.approx(2, rel=0.02)


def room(x: float, y: float) -> str:
    """Four walls with their faces at +-x and +-y."""
    walls = [
        box("E", (1, 40, 2), (x + 0.5, 0, 0), mass=None),
        box("W", (1, 40, 2), (-x - 0.5, 0, 0), mass=None),
        box("N", (40, 1, 2), (0, y + 0.5, 0), mass=None),
        box("S", (40, 1, 2), (0, -y - 0.5, 0), mass=None),
    ]
    return f"<Static>{''.join(walls)}</Static>"


def in_room(angles: Array, x: float, y: float) -> Array:
    """Distances from the middle of such a room, at angles from +y to the left."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.minimum(x / np.abs(np.sin(angles)), y / np.abs(np.cos(angles))))


@pytest.mark.parametrize(("fov", "beams"), [(180, 181), (180, 361), (360, 360), (270, 1081), (90, 2)])
def test_a_lidar_sees_a_rectangular_room(fov: float, beams: int) -> None:
    inside = f"<Range>30</Range><Fov>{fov}</Fov><Beams>{beams}</Beams>"
    found = spawned(simulation(inside=room(3, 5)), sphere("s") + sensor("LidarSensor", "L", inside))
    gaps = beams if fov == 360 else beams - 1
    angles = np.radians(-fov / 2 + fov * np.arange(beams) / gaps)
    assert scan(found, "L") == pytest.approx(in_room(angles, 3, 5), rel=1e-6)


def test_a_scan_runs_from_right_to_left() -> None:
    pole = f"<Static>{box('Pole', (0.2, 0.2, 1), (1, 0, 0), mass=None)}</Static>"
    found = spawned(simulation(inside=pole), sphere("s") + sensor("LidarSensor", "L", RANGE))
    assert np.isfinite(scan(found, "L")).nonzero()[0].tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert scan(found, "L")[0] == pytest.approx(0.9, rel=1e-6)


def test_a_turned_lidar_scans_upright() -> None:
    here = simulation(ground=True)
    lidar = sensor("LidarSensor", "L", "<Range>50</Range><Beams>3</Beams>", y=90)
    found = spawned(here, sphere("s") + lidar, at=(0, 0, 2))
    right, ahead, left = scan(found, "L")
    assert (right, ahead, left) == (pytest.approx(2), math.inf, math.inf)  # its right is now below


def test_noise_bias_and_resolution_of_a_lidar() -> None:
    errors = "<Noise>0.02</Noise>", "<Bias>0.1</Bias>", "<Resolution>0.05</Resolution>"
    parts = "".join(
        sensor("LidarSensor", f"L{place}", f"<Range>30</Range><Beams>1000</Beams><Fov>360</Fov>{inside}")
        for place, inside in enumerate(errors)
    )
    here = simulation(gravity=0, inside=room(3, 5))
    found = spawned(here, sphere("s") + parts)
    truth = in_room(2 * np.pi * (np.arange(1000) / 1000 - 0.5), 3, 5)
    noise, bias, steps = (scan(found, f"L{place}") - truth for place in range(3))
    assert (noise.std(), bias.std()) == (pytest.approx(0.02, rel=0.1), pytest.approx(0.1, rel=0.1))
    assert abs(noise.mean()) < 4 * 0.02 / math.sqrt(1000)
    assert np.abs(steps).max() <= 0.025 + 1e-6
    rounded = scan(found, "L2") / 0.05
    assert rounded == pytest.approx(np.round(rounded), abs=1e-4)
    here.step()
    assert (scan(found, "L1") - truth).tolist() == bias.tolist()
    assert not np.array_equal(scan(found, "L0") - truth, noise)


def test_noise_of_what_is_out_of_range_stays_out_of_range() -> None:
    found = spawned(simulation(), sphere("s") + sensor("LidarSensor", "L", f"{RANGE}<Noise>1</Noise>"))
    assert np.isinf(scan(found, "L")).all()


def test_noise_can_be_set_at_run_time() -> None:
    here = simulation(gravity=0, inside=room(3, 5))
    found = spawned(here, sphere("s") + sensor("LidarSensor", "L", "<Range>30</Range>"))
    clean = scan(found, "L")
    found.command("L", "Noise", 0.1)
    here.step(2)
    assert (scan(found, "L") - clean).std() == pytest.approx(0.1, rel=0.3)


def test_a_scanner_of_one_beam_looks_ahead() -> None:
    found = spawned(
        simulation(inside=wall(2.0)), sphere("s") + sensor("LidarSensor", "L", "<Beams>1</Beams><Range>9</Range>")
    )
    assert scan(found, "L") == pytest.approx([2.0])
