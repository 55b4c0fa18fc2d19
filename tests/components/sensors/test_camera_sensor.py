"""Cameras through the whole stack: from the world's file to the pixels that a client receives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.helpers.cameras import BALL, ball, camera, middle, play, red, sled, wall, weightless
from ubersim.client import connect
from ubersim.errors import RefusedError, RemoteProtocolError
from ubersim.simulation import Simulation
from ubersim.simulation.introduction import introduction_of
from ubersim.simulation.snapshot import Snapshot


def pinhole(point: Any, place: Any, rotation: Any, *, fov: float = 60.0, width: int = 160, height: int = 120) -> Any:
    """Column and row of a point of the world, by the book: +x right, +y ahead, +z up."""
    x, y, z = np.asarray(rotation).T @ (np.asarray(point) - place)
    focal = width / 2 / math.tan(math.radians(fov) / 2)
    return width / 2 + focal * x / y, height / 2 - focal * z / y


def test_a_ball_is_seen_where_the_pinhole_formula_says_from_a_robot_that_moves_and_turns() -> None:
    with Simulation(weightless(ball("Ball", *BALL))) as simulation:
        robot = simulation.spawn(sled(camera("<Latency>30</Latency><Frequency>50</Frequency>")))
        for body in robot.bodies.values():
            body.set_state(linear=(0.3, 0.4, 0.1), angular=(0.25, 0.3, 0.2))
        simulation.objects["Ball"].set_state(linear=(-0.8, 0.2, 0.1))
        channel, expected, errors = robot.sensors["Eye"], {}, []
        for _ in range(500):
            base = robot.bodies["Base"]
            eye = base.position + base.rotation @ [0.0, 0.12, 0.0]
            truth = simulation.objects["Ball"].position.copy()
            expected[simulation.frame] = pinhole(truth, eye, base.rotation)
            if any(name == "Eye" for name, _ in robot.readings):
                assert simulation.frame - channel.latest_frame == 30
                errors.append(np.subtract(middle(red(channel.value())), expected[channel.latest_frame]))
            simulation.step()
        travelled = np.subtract(*(expected[frame] for frame in (0, 499)))
        assert len(errors) == 24
        assert np.hypot(*travelled) > 20  # it did move across the picture
        assert np.abs(errors).max() < 0.5


def test_fov_brightness_and_noise_change_over_the_wire_from_the_frame_in_which_the_command_executes() -> None:
    def program(port: int) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        with connect(sled(camera()), port=port, latency=2) as robot:
            for count, frame in enumerate(robot):
                seen[str(count)] = frame["Eye"]
                if count == 0:
                    robot.set("Eye", "Fov", math.radians(30))
                elif count == 5:
                    robot.set("Eye", "Brightness", 0.5)
                elif count == 10:
                    robot.set("Eye", "Noise", 8.0)
        return seen

    (seen,) = play(Simulation(weightless(ball("Ball", *BALL))), 15, program)
    wide, narrow = (middle(red(seen[name])) for name in ("2", "3"))
    grown = math.tan(math.radians(30)) / math.tan(math.radians(15))
    assert (narrow[0] - 80) / (wide[0] - 80) == pytest.approx(grown, rel=0.02)
    assert (seen["1"] == seen["0"]).all()
    assert (seen["7"] == seen["3"]).all()
    half = seen["8"].astype(float) / np.maximum(seen["7"], 1)
    assert np.median(half[..., :3]) == pytest.approx(0.5, abs=0.01)
    difference = (seen["13"].astype(float) - seen["12"])[..., :3]
    assert (seen["12"] == seen["8"]).all()
    assert difference.std() == pytest.approx(8.0, rel=0.03)
    assert (seen["14"] != seen["13"]).any()  # each picture has its own


@pytest.mark.parametrize(("fov", "projection"), [(math.pi, "pinhole"), (7.0, "fisheye"), (0.001, "facette")])
def test_a_fov_that_the_projection_cannot_have_is_refused(fov: float, projection: str) -> None:
    with Simulation() as simulation:
        robot = simulation.spawn(sled(camera(f"<Projection>{projection}</Projection>")))
        with pytest.raises(RemoteProtocolError, match="Fov of 'Eye' cannot be"):
            robot.command("Eye", "Fov", fov)


def test_depth_is_along_the_optical_axis_and_infinite_where_nothing_is() -> None:
    with Simulation(weightless(static=wall("Wall", 2.12, width=1.0, height=1.0))) as simulation:
        robot = simulation.spawn(sled(camera(kind="DepthSensor")))
        depth = np.asarray(robot.read("Eye"))
    assert depth.dtype == np.float32 and depth.shape == (120, 160)
    on_wall = np.isfinite(depth)
    focal = 80 / math.tan(math.radians(30))
    assert on_wall.sum() == pytest.approx((focal / 2.0) ** 2, rel=0.03)
    assert np.abs(depth[on_wall] - 2.0).max() < 1e-3
    assert math.isinf(depth[0, 0])


def test_noise_of_depth_is_in_metres_and_its_own_in_every_picture() -> None:
    with Simulation(weightless(static=wall("Wall", 2.12))) as simulation:
        robot = simulation.spawn(sled(camera("<Noise>0.05</Noise>", kind="DepthSensor")))
        first = np.asarray(robot.read("Eye"))
        simulation.step()
        second = np.asarray(robot.read("Eye"))
        robot.command("Eye", "Noise", 0.0)
        simulation.step(2)
        third = np.asarray(robot.read("Eye"))
    for depth in (first, second):
        assert depth.mean() == pytest.approx(2.0, abs=0.003)
        assert depth.std() == pytest.approx(0.05, rel=0.03)
    assert np.corrcoef(first.ravel(), second.ravel())[0, 1] == pytest.approx(0.0, abs=0.05)
    assert third.std() < 1e-3


def test_segmentation_numbers_are_in_the_welcome_and_stay_when_others_come_and_go() -> None:
    world = weightless(ball("Ball", *BALL), wall("Wall", 5.0, width=40, height=2, z=1.0), ground=True)
    with Simulation(world) as simulation:
        watcher = simulation.spawn(sled(camera(kind="SegmentationSensor")))
        legend = introduction_of(watcher)["sensors"]["Eye"]["legend"]
        assert legend == {"1": "Ground", "2": "Wall", "3": "Ball", "4": "Sled/Base", "5": "Sled/Tail"}
        assert set(np.unique(np.asarray(watcher.read("Eye")))) == {0, 1, 2, 3}
        first = simulation.spawn(sled(name="First", at=(-0.5, 2, 1)))
        second = simulation.spawn(sled(name="Second", at=(0.4, 2, 1)))
        simulation.step()
        assert set(np.unique(np.asarray(watcher.read("Eye")))) == {0, 1, 2, 3, 6, 7, 8, 9}
        simulation.remove(first.name)
        simulation.step()
        assert set(np.unique(np.asarray(watcher.read("Eye")))) == {0, 1, 2, 3, 8, 9}
        assert simulation.object_ids.names()[8] == f"{second.name}/Base"
        simulation.spawn(sled(name="Third", at=(-0.5, 2, 1)))  # takes the numbers that became free
        simulation.step()
        assert set(np.unique(np.asarray(watcher.read("Eye")))) == {0, 1, 2, 3, 6, 7, 8, 9}
        assert simulation.object_ids.names()[6] == "Third/Base"
        # In another process, the same robots have the same numbers, however they came by them.
        snapshot = Snapshot.from_bytes(simulation.snapshot().to_bytes())
        with Simulation(world) as other:
            other.restore(snapshot)
            assert other.object_ids.names() == simulation.object_ids.names()


def test_a_legend_sensor_tells_the_names_of_those_who_came_later() -> None:
    sensor = '<LegendSensor name="Names"><Position><x>0</x><y>0</y><z>0</z></Position></LegendSensor>'
    with Simulation() as simulation:
        robot = simulation.spawn(sled(sensor))
        simulation.spawn(sled(name="Late", at=(3, 0, 1)))
        simulation.step()
        text = np.asarray(robot.read("Names")).tobytes().decode()
    assert text == '{"1": "Ground", "2": "Sled/Base", "3": "Sled/Tail", "4": "Late/Base", "5": "Late/Tail"}'


def test_a_snapshot_with_pictures_under_way_goes_on_in_both_with_the_same_bytes() -> None:
    document = sled(camera("<Latency>50</Latency><Frequency>100</Frequency><Noise>3</Noise>"))
    world = weightless(ball("Ball", *BALL))
    with Simulation(world, render_workers=1) as here, Simulation(world) as there:
        robot = here.spawn(document)
        here.objects["Ball"].set_state(linear=(-1.0, 0.0, 0.0))
        here.step(33)
        assert robot.read("Eye") is None  # nothing has arrived yet
        there.restore(Snapshot.from_bytes(here.snapshot().to_bytes()))
        other = there.robots["Sled"]
        pictures = set()
        for _ in range(60):
            here.step()
            there.step()
            assert robot.readings == other.readings
            pictures |= {payload for _, payload in robot.readings}
        assert len(pictures) == 5
        here.restore(there.snapshot())  # and its own, which are under way, are forgotten
        here.step(60)
        there.step(60)
        assert (np.asarray(robot.read("Eye")) == np.asarray(other.read("Eye"))).all()


def test_pictures_that_would_pile_up_are_refused_when_the_robot_joins_and_later() -> None:
    large = "<Width>2048</Width><Height>1024</Height>"
    with Simulation() as simulation:
        with pytest.raises(RemoteProtocolError, match=r"lower the latency, the frequency or the size"):
            simulation.spawn(sled(camera(f"{large}<Latency>100</Latency>")))
        assert simulation.robots == {} and simulation.world.bodies == []
        robot = simulation.spawn(sled(camera(f"{large}<Latency>100</Latency><Frequency>30</Frequency>")))
        with pytest.raises(RemoteProtocolError, match="mostly of 'Eye'"):
            robot.command("Eye", "Frequency", 0)


def test_a_switchable_camera_counts_with_its_picture_in_the_limit_of_all_readings() -> None:
    huge = "<Width>4096</Width><Height>4096</Height><Frequency>1</Frequency><Switchable>true</Switchable>"
    with Simulation() as simulation, pytest.raises(Exception, match="allowed are 268435456"):
        simulation.spawn(sled(*(camera(huge, name=f"Eye{index}") for index in range(5))))


def test_over_the_wire_too_much_memory_is_an_error_for_that_robot_alone() -> None:
    def greedy(port: int) -> str:
        with connect(sled(camera("<Width>1024</Width><Height>1024</Height><Frequency>1</Frequency>")), port=port) as me:
            me.set("Eye", "Latency", 60000.0)
            me.set("Eye", "Frequency", 1000.0)
            try:
                for _ in me:
                    pass
            except RefusedError as error:
                return str(error)
        return ""

    def modest(port: int) -> str:
        with connect(sled(name="Modest", at=(5, 0, 1)), port=port) as me:
            return str(sum(1 for _ in me))

    assert [text[:30] for text in play(Simulation(), 20, greedy, modest)] == ["Sled's readings under way woul", "20"]
