"""Every sensor over a real connection: read by what the welcome says, and compared with the simulation's own state."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tests.helpers.documents import body, robot, vector
from tests.helpers.sensor_stage import STEP, G, box, sensor, settings, simulation, sphere
from ubersim.client import connect
from ubersim.description.base import SensorDescription
from ubersim.description.registry import registry
from ubersim.geometry import matrix_from_quaternion
from ubersim.server import Server
from ubersim.simulation import Simulation

FRAMES = 1500
WALL = 0.7
"""y of the face of the wall that the robot drives into [m]."""
JOINTS = "<LeftWheel>LMotor</LeftWheel><RightWheel>RMotor</RightWheel><WheelRadius>0.1</WheelRadius><Track>0.5</Track>"
PICTURE = "<Fov>60</Fov><Width>9</Width><Height>7</Height>"


def on_base() -> dict[str, str]:
    """What each sensor of the base is given; its name is its kind's, without the word Sensor."""
    return {
        "Accelerometer": "",
        "Bumper": "<Fov>90</Fov>",
        "Camera": PICTURE,
        "Compass": "",
        "Depth": PICTURE,
        "ForceTorque": "<Joint>LMotor</Joint>",
        "Gyro": "",
        "Imu": "",
        "Inclinometer": "",
        "Joint": "<Joint>LMotor</Joint>",
        "Legend": "",
        "Lidar": "<Range>20</Range><Feature>Obstacles</Feature><Model>LMS200</Model>",
        "Localization": "",
        "LinePoint": "<Range>20</Range>",
        "Motion": "",
        "Obstacle": "<Range>20</Range>",
        "Odometry": JOINTS,
        "Oracle": "<Target>Ball Cart Nobody</Target><Feature>Truth</Feature>",
        "Radio": "",
        "Referee": "",
        "Segmentation": PICTURE,
        "Sonar": "<Range>20</Range><Fov>2</Fov><Feature>Obstacles</Feature>",
        "Whisker": "<Range>20</Range><Type>Infrared</Type><Stamped>true</Stamped>",
    }


def cart() -> str:
    """Two wheels, a base that slides on ice, and all sensors at its centre of mass, which is the model's origin."""
    sensors = "".join(sensor(f"{name}Sensor", name, inside) for name, inside in on_base().items())
    base = box("Hull", (0.3, 0.6, 0.1), mass=4, material="Ice") + sensors
    bodies, joints = body(base, "Base"), ""
    for side, x in (("L", -0.25), ("R", 0.25)):
        feeling = sensor("ContactSensor", "Contact") if side == "L" else ""
        bodies += body(sphere(f"{side}Tyre", (x, 0, 0)) + feeling, side)
        place = vector("Axis", -1, 0, 0) + vector("AnchorPos", x, 0, 0)
        ends = f"<Body1>{side}</Body1><Body2>Base</Body2>"
        joints += f'<JointHinge name="{side}Motor">{ends}{place}<Vel>5</Vel><FMax>0.8</FMax></JointHinge>'
    upright = f'<JointAMotor name="Upright"><Body1>Base</Body1>{vector("Axis1", 1, 0, 0)}<FMax>100</FMax></JointAMotor>'
    return robot(bodies, joints + upright, settings("Cart"))


@dataclass
class Truth:
    """What the simulation itself knows of one frame."""

    bodies: dict[str, dict[str, np.ndarray]]
    force_on_base: np.ndarray
    force_on_wheel: np.ndarray


Frames = list[tuple[dict[str, Any], Truth, dict[str, float]]]


def truth_of(here: Simulation) -> Truth:
    found = here.robots["Cart"]
    parts = ("position", "rotation", "quaternion", "linear_velocity", "angular_velocity")
    bodies = found.bodies | {"Ball": here.objects["Ball"]}
    state = {name: {part: getattr(thing, part).copy() for part in parts} for name, thing in bodies.items()}
    on_wheel, _, on_base, _ = found.joints["LMotor"].feedback()
    return Truth(state, on_base.copy(), on_wheel.copy())


def serve(server: Server) -> None:
    """Whatever happens, the client does not wait for ever."""
    try:
        server.run(FRAMES)
    finally:
        server.close()


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[dict[str, Any], Frames, dict[str, list[str]]]]:
    """A run over a real connection: the welcome, readings and truth of every frame, and what `find` finds."""
    wall = box("Wall", (20, 1, 4), (0, WALL + 0.5, 0), mass=None)
    ball = f"<Objects>{body(sphere('BallShape', (2, 0, 0.1)), 'Ball')}</Objects>"
    here = simulation(ground=True, inside=f"<Static>{wall}</Static>{ball}")
    truths: list[Truth] = []
    with here, Server(here, port=0, clients=1, watch=lambda _: truths.append(truth_of(here))) as server:
        here.objects["Ball"].set_state(linear=(1, 0, 2))
        thread = threading.Thread(target=serve, args=(server,))
        thread.start()
        frames: Frames = []
        with connect(cart(), port=server.address[1], position=(0, 0, 0.1)) as client:
            for frame in client:
                frames.append((dict(frame.readings), truths[len(frames)], dict(frame.captured)))
                assert (np.asarray(frame.by_feature("Truth")) == np.asarray(frame["Oracle"]))[:2].all()
                if len(frames) == FRAMES:
                    break
            found = {
                "feature": client.find(feature="Obstacles"),
                "both": client.find(feature="Obstacles", model="LMS200"),
                "type": client.find(type="Infrared"),
                "kind": client.find(type="GyroSensor"),
                "none": client.find(feature="DistanceToGoal"),
            }
            welcome = client.settings
        thread.join(60)
        yield welcome, frames, found


Served = tuple[dict[str, Any], Frames, dict[str, list[str]]]


def test_all_sensors_that_there_are_were_sent(served: Served) -> None:
    welcome, frames, _ = served
    ours = {tag for tag, cls in registry().members(SensorDescription).items() if cls.__module__.startswith("ubersim.")}
    assert {about["type"] for about in welcome["sensors"].values()} == ours
    speaking = set(welcome["sensors"]) - {"Radio"}  # nobody is there who could say something
    assert len(frames) == FRAMES and all(set(readings) == speaking for readings, _, _ in frames)
    for name in sorted(speaking):
        about = welcome["sensors"][name]
        value = np.asarray(frames[0][0][name])
        assert list(value.shape) == about["shape"] or -1 in about["shape"]
        assert not about["shape"] or value.dtype == np.dtype(about["dtype"])


def test_programs_find_readings_by_their_labels(served: Served) -> None:
    _, _, found = served
    assert found == {
        "feature": ["Lidar", "Sonar"], "both": ["Lidar"], "type": ["Whisker"], "kind": ["Gyro"], "none": [],
    }  # fmt: skip


def test_stamps_are_the_frames_times(served: Served) -> None:
    _, frames, _ = served
    assert [captured for _, _, captured in frames] == [{"Whisker": k * STEP} for k in range(FRAMES)]


def test_tilt_heading_and_rates(served: Served) -> None:
    for readings, truth, _ in served[1]:
        base = truth.bodies["Base"]
        turn, rate = base["rotation"], base["angular_velocity"]
        assert readings["Inclinometer"] == pytest.approx(np.arctan2(turn[2, 1], turn[2, 2]), abs=1e-6)
        assert readings["Compass"] == pytest.approx(np.arctan2(-turn[0, 1], turn[1, 1]), abs=1e-6)
        assert readings["Gyro"] == pytest.approx(turn.T @ rate, abs=1e-6)
        assert matrix_from_quaternion(readings["Imu"][:4]) == pytest.approx(turn, abs=1e-6)
        assert readings["Imu"][4:].tolist() == [*readings["Gyro"], *readings["Accelerometer"]]


def test_specific_force(served: Served) -> None:
    frames = served[1]
    for (_, before, _), (readings, now, _) in pairwise(frames):
        old, new = before.bodies["Base"], now.bodies["Base"]
        change = (new["linear_velocity"] - old["linear_velocity"]) / STEP + [0, 0, G]
        assert readings["Accelerometer"] == pytest.approx(old["rotation"].T @ change, abs=1e-3, rel=1e-3)


def test_joints_and_loads(served: Served) -> None:
    turned = 0.0
    frames = served[1]
    for (_, before, _), (readings, now, _) in pairwise(frames):
        wheel, base = now.bodies["L"], now.bodies["Base"]
        rate = -base["rotation"][:, 0] @ (wheel["angular_velocity"] - base["angular_velocity"])
        turned += rate * STEP
        angle, measured_rate, torque = readings["Joint"]
        assert measured_rate == pytest.approx(rate, abs=1e-4, rel=1e-4)
        assert np.cos(angle - turned) == pytest.approx(1, abs=1e-4)
        assert abs(torque) <= 0.8 * 1.01
        then = before.bodies["Base"]["rotation"]
        assert readings["ForceTorque"][:3] == pytest.approx(then.T @ now.force_on_base, abs=1e-4, rel=1e-4)
        # Newton's second law of the wheel, of 1 kg, says what the ground does to it.
        change = (wheel["linear_velocity"] - before.bodies["L"]["linear_velocity"]) / STEP
        ground = wheel["rotation"].T @ (change - now.force_on_wheel + [0, 0, G])
        assert readings["Contact"][1:4] == pytest.approx(ground, abs=1e-3)
        assert readings["Contact"][[0, 4]].tolist() in ([1, 1], [0, 0])


def test_distances(served: Served) -> None:
    for readings, truth, _ in served[1]:
        base = truth.bodies["Base"]
        forward = base["rotation"][:, 1]
        expected = (WALL - base["position"][1]) / forward[1]
        assert readings["Whisker"] == pytest.approx(expected, rel=1e-5)
        assert readings["Lidar"][90] == pytest.approx(expected, rel=1e-5)
        assert expected * 0.99 < readings["Sonar"] <= expected * (1 + 1e-6)
    readings, truth, _ = served[1][0]
    assert readings["Depth"][3, 4] == pytest.approx(WALL, rel=1e-3)
    assert readings["Camera"].shape == (7, 9, 4) and readings["Camera"].dtype == np.uint8
    assert readings["Segmentation"].shape == (7, 9)


def test_the_bumper_is_pressed_by_the_wall_alone(served: Served) -> None:
    free = [truth.bodies["Base"]["position"][1] < WALL - 0.3 - 0.02 for _, truth, _ in served[1]]
    assert not any(readings["Bumper"] for (readings, _, _), far in zip(served[1], free, strict=True) if far)
    assert all(readings["Bumper"] == 1 for readings, _, _ in served[1][-50:])


def test_odometry_up_to_the_wall(served: Served) -> None:
    for readings, truth, _ in served[1]:
        x, y, _ = truth.bodies["Base"]["position"]
        assert readings["Odometry"][:2] == pytest.approx([x, y], abs=0.02)
    assert readings["Odometry"][1] == pytest.approx(WALL - 0.3, abs=0.02)


def test_the_legend_knows_everybody(served: Served) -> None:
    names = json.loads(served[1][0][0]["Legend"].tobytes()).values()
    assert {"Ball", "Wall", "Cart/Base"} <= set(names)


def test_the_oracle(served: Served) -> None:
    parts = ("position", "quaternion", "linear_velocity", "angular_velocity")
    for readings, truth, _ in served[1]:
        for row, name in enumerate(("Ball", "Base")):
            expected = np.concatenate([truth.bodies[name][part] for part in parts])
            assert readings["Oracle"][row].tolist() == expected.tolist()
        assert np.isnan(readings["Oracle"][2]).all()
