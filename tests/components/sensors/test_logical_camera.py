"""Levels of abstraction: what a camera tells when it does not draw."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.cameras import ball, camera, play, sled, wall, weightless
from ubersim.client import connect
from ubersim.description.resources import shipped
from ubersim.errors import RefusedError, RemoteProtocolError
from ubersim.simulation import Simulation
from ubersim.simulation.snapshot import Snapshot

OBJECTS, TRUTH = "<Level>objects</Level>", "<Level>truth</Level>"
EYE = np.array([0.0, 0.12, 1.0])
"""Where the sled's camera is."""


def seen(simulation: Simulation, robot: str = "Sled", sensor: str = "Eye") -> dict[str, NDArray[Any]]:
    """What is told of each thing, by its name."""
    rows = np.asarray(simulation.robots[robot].read(sensor))
    names = simulation.object_ids.names()
    return {names[int(row[0])]: row[1:] for row in rows}


def bearings(point: Any, radius: float) -> Any:
    """Bearing, elevation, distance and apparent size of a ball, by the book."""
    x, y, z = np.asarray(point) - EYE
    distance = math.sqrt(x * x + y * y + z * z)
    return math.atan2(-x, y), math.atan2(z, math.hypot(x, y)), distance, 2 * math.asin(radius / distance)


def test_objects_and_truth_tell_bearing_elevation_distance_and_size() -> None:
    places = {"Left": (-0.8, 3.0, 1.2), "Right": (1.0, 4.0, 0.6), "Behind": (0.0, -3.0, 1.0)}
    world = weightless("".join(ball(name, *place) for name, place in places.items()))
    with Simulation(world) as simulation:
        simulation.spawn(sled(camera(OBJECTS), camera(TRUTH, name="Oracle")))
        objects, truth = seen(simulation), seen(simulation, sensor="Oracle")
    assert list(objects) == ["Left", "Right"]
    assert list(truth) == ["Left", "Right", "Behind"]
    for name, row in (objects | truth).items():
        assert row == pytest.approx(bearings(places[name], 0.1), abs=1e-6)
    assert objects["Left"][0] > 0 > objects["Right"][0]


def test_what_hides_behind_something_is_not_in_sight_until_a_part_of_it_comes_out() -> None:
    world = weightless(ball("Ball", 0.0, 4.0, 1.0), wall("Screen", 2.0, width=1.0, height=1.0))
    with Simulation(world) as simulation:
        simulation.spawn(sled(camera(OBJECTS)))
        assert list(seen(simulation)) == ["Screen"]
        # The screen's edge throws its shadow at the distance of the ball: half its width times 3.88 / 1.88.
        edge = 0.5 * 3.88 / 1.88
        for x, expected in ((edge - 0.12, False), (edge - 0.05, True), (edge + 0.2, True)):
            simulation.objects["Ball"].set_state((x, 4.0, 1.0))
            simulation.step()
            assert ("Ball" in seen(simulation)) == expected
        simulation.objects["Ball"].set_state((0.0, 1.0, 1.0))  # in front of it
        simulation.step()
        assert list(seen(simulation)) == ["Screen", "Ball"]


def test_robots_hide_things_and_are_seen_but_not_by_themselves() -> None:
    with Simulation(weightless(ball("Ball", 0.0, 4.0, 1.0, 0.04))) as simulation:
        simulation.spawn(sled(camera(OBJECTS)))
        assert list(seen(simulation)) == ["Ball"]
        simulation.spawn(sled(name="Other", at=(0.0, 2.0, 1.0)))
        simulation.step()
        assert list(seen(simulation)) == ["Other/Base", "Other/Tail"]


def test_a_wheel_with_its_rollers_is_one_thing_under_the_number_of_its_hub() -> None:
    parts = ["Base", "Plunger", "Right.Hub", "Left.Hub", "Rear.Hub"]
    with Simulation(weightless()) as simulation:
        # Beside the wheel Right, lower than the chassis, looking along the wheel's axis.
        axis = math.degrees(math.atan2(0.5, 0.866025))
        simulation.spawn(sled(camera(OBJECTS), camera(TRUTH, name="Oracle"), at=(0.0, -0.12, 0.05)))
        simulation.spawn(shipped("robots/msl_omni.xml"), position=(0.0, 1.0, 0.0), heading=math.radians(-90 - axis))
        simulation.step()
        assert list(seen(simulation, sensor="Oracle")) == [f"MSL/{part}" for part in parts]
        size = seen(simulation, sensor="Oracle")["MSL/Right.Hub"][3]
        wheel = seen(simulation)["MSL/Right.Hub"]
        hub = simulation.body("MSL/Right.Hub").position
        assert wheel[2] == pytest.approx(math.dist(hub, (0.0, 0.0, 0.05)), abs=1e-3)
        assert size == wheel[3] == pytest.approx(2 * math.asin(0.05 / wheel[2]), abs=1e-6)  # the whole wheel's


@pytest.mark.parametrize("projection", ["pinhole", "facette", "fisheye"])
def test_the_field_of_view_is_that_of_the_picture(projection: str) -> None:
    """The same things are named as have a pixel in the segmentation picture, near the edges, too."""
    spots = [(x, 3.0, z) for x in np.linspace(-2.2, 2.2, 9) for z in (-0.7, 1.0, 2.1)]
    world = weightless("".join(ball(f"B{i}", x, y, z, 0.02) for i, (x, y, z) in enumerate(spots)))
    shape = f"<Projection>{projection}</Projection>"
    with Simulation(world) as simulation:
        robot = simulation.spawn(sled(camera(shape + OBJECTS), camera(shape, kind="SegmentationSensor", name="Mask")))
        names = simulation.object_ids.names()
        drawn = {names[number] for number in np.unique(np.asarray(robot.read("Mask"))) if number}
        assert set(seen(simulation)) == drawn
        assert 5 < len(drawn) < len(spots)


def test_a_wall_that_fills_the_picture_is_in_sight_though_its_middle_and_corners_are_not() -> None:
    with Simulation(weightless(static=wall("Wall", 1.0, width=30.0, height=30.0, x=7.0))) as simulation:
        simulation.spawn(sled(camera(OBJECTS)))
        assert list(seen(simulation)) == ["Wall"]


def test_nothing_is_seen_beyond_the_range() -> None:
    world = weightless(ball("Near", -0.5, 3.0, 1.0) + ball("Far", 0.5, 5.0, 1.0))
    with Simulation(world) as simulation:
        simulation.spawn(sled(camera(OBJECTS + "<Objects><Range>4</Range></Objects>")))
        assert list(seen(simulation)) == ["Near"]


def test_errors_and_misses_have_the_statistics_that_the_document_asks_for() -> None:
    quality = """<Objects><DistanceError>0.02</DistanceError><RelativeError>0.01</RelativeError>
        <AngleError>2</AngleError><MissRate>0.25</MissRate></Objects>"""
    place = (-0.5, 4.12, 1.3)
    with Simulation(weightless(ball("Ball", *place))) as simulation:
        robot = simulation.spawn(sled(camera(OBJECTS + quality)))
        rows = []
        for _ in range(4000):
            simulation.step()
            rows += list(np.asarray(robot.read("Eye")))
    assert len(rows) / 4000 == pytest.approx(0.75, abs=3 * math.sqrt(0.25 * 0.75 / 4000))
    true = bearings(place, 0.1)
    errors = np.array(rows)[:, 1:] - true
    sigmas = [math.radians(2), math.radians(2), 0.02 + 0.01 * true[2], math.radians(2)]
    assert errors.std(axis=0) == pytest.approx(sigmas, rel=0.05)
    assert (np.abs(errors.mean(axis=0)) < 4 * np.array(sigmas) / math.sqrt(len(rows))).all()
    assert np.abs(np.corrcoef(errors.T) - np.eye(4)).max() < 0.08


def test_the_truth_has_no_errors_and_no_misses() -> None:
    quality = "<Objects><DistanceError>1</DistanceError><AngleError>20</AngleError><MissRate>1</MissRate></Objects>"
    with Simulation(weightless(ball("Ball", 0.5, 3.0, 1.0), wall("Screen", 1.0))) as simulation:
        simulation.spawn(sled(camera(TRUTH + quality)))
        assert seen(simulation)["Ball"] == pytest.approx(bearings((0.5, 3.0, 1.0), 0.1), abs=1e-6)


def test_a_switch_over_the_wire_changes_the_readings_captured_after_it_and_each_says_its_level() -> None:
    document = sled(
        camera("<Switchable>true</Switchable><Stamped>true</Stamped><Latency>3</Latency>"),
        camera(TRUTH, name="Oracle"),  # levels are mixed in one robot
    )

    def program(port: int) -> list[tuple[int, float, Any]]:
        readings = []
        with connect(document, port=port) as robot:
            assert robot.settings["sensors"]["Eye"]["legend"]["1"] == "Ground"
            for count, frame in enumerate(robot):
                if "Eye" in frame:
                    readings.append((frame.levels["Eye"], frame.captured["Eye"], frame["Eye"]))
                assert np.shape(frame["Oracle"]) == (1, 5)
                if count in (4, 8, 12):
                    robot.set("Eye", "Level", {4: 1, 8: 2, 12: 0}[count])
        return readings

    (readings,) = play(Simulation(weightless(ball("Ball", 0.3, 3.0, 1.2), ground=True)), 20, program)
    assert [level for level, _, _ in readings] == [0] * 5 + [1] * 4 + [2] * 4 + [0] * 4
    assert [round(1000 * captured) for _, captured, _ in readings] == list(range(17))
    for level, _, value in readings:
        if level == 0:
            assert value.shape == (120, 160, 4) and value.dtype == np.uint8
        else:
            assert value[0] == pytest.approx((2, *bearings((0.3, 3.0, 1.2), 0.1)), abs=1e-6)


def test_a_camera_that_is_not_switchable_keeps_its_level_and_its_plain_payload() -> None:
    def program(port: int) -> str:
        with connect(sled(camera()), port=port) as robot:
            assert robot.settings["sensors"]["Eye"] == {
                "type": "CameraSensor", "dtype": "|u1", "shape": [120, 160, 4], "stamped": False
            }  # fmt: skip
            robot.set("Eye", "Level", 1)
            try:
                for _ in robot:
                    pass
            except RefusedError as error:
                return str(error)
        return ""

    # The other keeps the world going once this one has had to leave.
    error, _ = play(Simulation(), 5, program, _bystander)
    assert "switchable" in error


def _bystander(port: int) -> str:
    with connect(sled(name="Other", at=(5, 0, 1)), port=port) as robot:
        for _ in robot:
            pass
    return ""


def test_a_level_is_a_number_from_0_to_2() -> None:
    with Simulation() as simulation:
        robot = simulation.spawn(sled(camera("<Switchable>true</Switchable>")))
        with pytest.raises(RemoteProtocolError, match="0 to 2"):
            robot.command("Eye", "Level", 3)


def test_a_snapshot_keeps_the_level_and_where_chance_stands() -> None:
    quality = "<Objects><AngleError>2</AngleError><MissRate>0.5</MissRate></Objects><Switchable>true</Switchable>"
    world = weightless("".join(ball(f"B{i}", 0.3 * i - 1, 3.0, 1.0) for i in range(7)))
    with Simulation(world) as here, Simulation(world) as there:
        robot = here.spawn(sled(camera(quality)))
        robot.command("Eye", "Level", 1)
        here.step(10)
        there.restore(Snapshot.from_bytes(here.snapshot().to_bytes()))
        for _ in range(10):
            here.step()
            there.step()
            assert np.array_equal(np.asarray(robot.read("Eye")), np.asarray(there.robots["Sled"].read("Eye")))
