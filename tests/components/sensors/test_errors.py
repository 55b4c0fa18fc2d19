"""What devices do to the truth, and that snapshots and seeds keep it reproducible."""

import numpy as np
import pytest

from tests.helpers.documents import body
from tests.helpers.sensor_stage import box, hinge, sensor, simulation, spawned, sphere
from ubersim.components.sensors.measurement import Imperfection
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot
from ubersim.simulation.snapshot import Snapshot
from ubersim.timing.latency import generator


def test_a_perfect_device_reports_the_truth_itself() -> None:
    values = [1.0, 2.0]
    assert Imperfection(generator(1)).of_few(values) is values


def test_bias_is_drawn_once_noise_every_time() -> None:
    many = [Imperfection(generator(seed), 3, bias=0.5) for seed in range(2000)]
    drawn = np.array([device.of(np.zeros(3)) for device in many])
    assert drawn.std(axis=0) == pytest.approx([0.5] * 3, rel=0.1)
    assert drawn.mean(axis=0) == pytest.approx([0] * 3, abs=0.05)
    assert many[0].of(np.zeros(3)).tolist() == drawn[0].tolist()
    noisy = Imperfection(generator(1), noise=2.0)
    white = np.array([noisy.of(np.zeros(1))[0] for _ in range(4000)])
    assert white.std() == pytest.approx(2, rel=0.05)
    assert abs(np.corrcoef(white[1:], white[:-1])[0, 1]) < 4 / np.sqrt(4000)


def test_rounding_comes_last() -> None:
    device = Imperfection(generator(1), noise=0.3, bias=1.0, resolution=0.25)
    values = np.array([device.of(np.array([0.1]))[0] for _ in range(200)])
    assert (values / 0.25).tolist() == np.round(values / 0.25).tolist() and len(set(values.tolist())) > 3


def test_what_is_not_finite_stays_so() -> None:
    device = Imperfection(generator(1), noise=0.3, bias=1.0, resolution=0.25)
    assert np.isposinf(device.of(np.array([np.inf])))[0] and np.isnan(device.of(np.array([np.nan])))[0]


NOISE = "<Noise>0.1</Noise>"
BIASED = f"{NOISE}<Bias>0.2</Bias><Resolution>0.001</Resolution>"
RANGING = f"{BIASED}<Range>50</Range>"
PARTS = "".join(
    [
        sensor("AccelerometerSensor", "Accelerometer", BIASED),
        sensor("BumperSensor", "Bumper"),
        sensor("CompassSensor", "Compass", f"{NOISE}<Bias>0.2</Bias>"),
        sensor("ContactSensor", "Contact", BIASED),
        sensor("ForceTorqueSensor", "ForceTorque", f"{BIASED}<Joint>J</Joint><TorqueNoise>0.2</TorqueNoise>"),
        sensor("GyroSensor", "Gyro", BIASED + "<Frequency>37</Frequency><Latency>12</Latency>"),
        sensor("ImuSensor", "Imu", f"{BIASED}<ForceNoise>1</ForceNoise><OrientationNoise>0.1</OrientationNoise>"),
        sensor("InclinometerSensor", "Inclinometer", NOISE + "<Axis>roll</Axis>"),
        sensor("JointSensor", "Joint", f"{BIASED}<Joint>J</Joint><RateNoise>0.1</RateNoise>"),
        sensor("LidarSensor", "Lidar", RANGING),
        sensor("OdometrySensor", "Odometry", f"{BIASED}<LeftWheel>J</LeftWheel><RightWheel>K</RightWheel>"
               "<WheelRadius>0.1</WheelRadius><Track>0.5</Track>"),
        sensor("OracleSensor", "Oracle", f"{NOISE}<Target>R S</Target>"),
        sensor("SonarSensor", "Sonar", RANGING),
        sensor("WhiskerSensor", "Whisker", RANGING),
    ]
)  # fmt: skip


def tumbler(seed: int = 0) -> tuple[Simulation, Robot]:
    """A box that falls and rolls, with a swinging arm, a driven wheel and every sensor of numbers."""
    here = simulation(ground=True, seed=seed)
    arms = body(sphere("a", (0.3, 0.4, 0)), "Arm") + body(sphere("w", (-0.3, 0.4, 0)), "Wheel")
    joints = hinge("J", (1, 0, 0), "Arm", "", "B") + hinge("K", (1, 0, 0), "Wheel", "<Vel>30</Vel><FMax>1</FMax>", "B")
    found = spawned(here, box("b", (0.3, 0.3, 0.3)) + PARTS, joints, more_bodies=arms, at=(0, 0, 1))
    return here, found


def readings(here: Simulation, found: Robot, frames: int) -> list[dict[str, bytes]]:
    rows = []
    for _ in range(frames):
        here.step()
        rows.append(dict(found.readings))
    return rows


def test_every_sensor_goes_on_after_a_snapshot_as_if_nothing_had_happened() -> None:
    here, found = tumbler()
    found.command("Accelerometer", "Noise", 3.0)
    here.step(300)
    snapshot = Snapshot.from_bytes(here.snapshot().to_bytes())
    expected = readings(here, found, 200)
    other, _ = tumbler()
    other.restore(snapshot)
    assert readings(other, other.robots["R"], 200) == expected
    here.restore(snapshot)
    assert readings(here, here.robots["R"], 200) == expected


def test_other_seeds_other_errors_the_same_world() -> None:
    (first, one), (second, two), (third, three) = tumbler(1), tumbler(1), tumbler(2)
    rows = [readings(here, found, 100) for here, found in ((first, one), (second, two), (third, three))]
    assert rows[0] == rows[1]
    assert first.digest() == third.digest()
    assert {name for name in one.sensors if rows[0][-1].get(name) != rows[2][-1].get(name)} >= set(one.sensors) - {
        "Bumper", "Gyro"
    }  # fmt: skip
