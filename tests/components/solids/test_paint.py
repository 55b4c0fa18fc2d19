"""Colours that are commanded: what cameras, snapshots, logs and pages make of a lamp; physics never notices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

from tests.helpers.cameras import camera, red, sled, weightless
from ubersim.errors import RemoteProtocolError, UberSimError
from ubersim.geometry import Triple
from ubersim.protocol.to_json import to_json
from ubersim.recording import Log, Recorder, replay
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot
from ubersim.simulation.scene import scene_of
from ubersim.simulation.snapshot import Snapshot
from ubersim.viewer.log_source import LogSource
from ubersim.viewer.meshes import SceneMeshes
from ubersim.viewer.page import Page

GREY: Triple = (0.7, 0.7, 0.7)
RED: Triple = (1.0, 0.0, 0.0)
LATE = "<Latency>3</Latency>"


def paint(robot: Robot, solid: str, color: Triple, frame: int | None = None) -> None:
    for name, value in zip(("Red", "Green", "Blue"), color, strict=True):
        robot.command(solid, name, value, frame=frame)


def lamp(settings: str = "", name: str = "Lamp") -> str:
    """A sled in front of another one's camera."""
    return sled(name=name, at=(0.0, 1.0, 1.0)).replace("</Spawn>", f"</Spawn>{settings}", 1)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_camera_sees_it_from_the_frame_after_the_command_is_executed(workers: int) -> None:
    with Simulation(weightless(), render_workers=workers) as simulation:
        watcher = simulation.spawn(sled(camera()))
        robot = simulation.spawn(lamp(LATE))
        simulation.step(2)
        paint(robot, "TailBall", RED)
        pictures = []
        for _ in range(6):
            pictures.append(np.array(watcher.read("Eye")))
            simulation.step()
        paint(robot, "TailBall", GREY)
        simulation.step(4)
        shown = [bool(red(picture).any()) for picture in pictures]
        assert shown == [False, False, False, False, True, True]
        assert (np.asarray(watcher.read("Eye")) == pictures[0]).all()


def test_only_what_was_painted_changes_in_the_scene() -> None:
    simulation = Simulation(weightless())
    first, second = simulation.spawn(lamp(name="First")), simulation.spawn(lamp(name="Second"))
    before = scene_of(simulation)
    paint(second, "Plate", RED)
    simulation.step()
    after = scene_of(simulation)
    changed = [new for old, new in zip(before.shapes, after.shapes, strict=True) if old != new]
    assert [shape.color for shape in changed] == [RED] and changed[0].body == second.bodies["Base"].row
    assert first.colors()["Plate"] == GREY and second.colors() == {"Plate": RED, "TailBall": GREY}


def test_physics_does_not_notice() -> None:
    digests = []
    for painted in (True, False):
        simulation = Simulation()
        robot = simulation.spawn(lamp())
        for frame in range(100):
            if painted:
                paint(robot, "Plate", (frame / 100, 0.0, 0.0))
            simulation.step()
        digests.append(simulation.digest())
    assert digests[0] == digests[1]


def test_a_snapshot_has_its_colours_and_those_under_way() -> None:
    simulation = Simulation()
    robot = simulation.spawn(lamp(LATE))
    paint(robot, "Plate", RED)
    simulation.step(5)
    paint(robot, "TailBall", RED)
    simulation.step(1)
    snapshot = simulation.snapshot()
    paint(robot, "Plate", GREY)
    simulation.step(5)
    assert robot.colors() == {"Plate": GREY, "TailBall": RED}
    paintings = simulation.cameras.paintings
    simulation.restore(snapshot)
    assert simulation.cameras.paintings > paintings
    other = Simulation()
    other.restore(Snapshot.from_bytes(snapshot.to_bytes()))
    for one in (simulation, other):
        assert one.robots["Lamp"].colors() == {"Plate": RED, "TailBall": GREY}
        one.step(3)
        assert one.robots["Lamp"].colors() == {"Plate": RED, "TailBall": RED}


def test_what_is_no_colour_is_refused() -> None:
    robot = Simulation().spawn(lamp())
    for value in (-0.1, 1.5, float("nan")):
        with pytest.raises(RemoteProtocolError, match=r"Green of 'Plate' cannot be .*: it takes 0 to 1"):
            robot.command("Plate", "Green", value)
    with pytest.raises(UberSimError, match="Plate has no property 'Vel'; known are Blue, Green, Red"):
        robot.command("Plate", "Vel", 1.0)


def recorded(path: Path) -> None:
    """Red from frame 100 to 200, from 300 to 400 by going back in time; a second lamp joins red."""
    simulation = Simulation()
    robot = simulation.spawn(lamp())
    paint(robot, "TailBall", RED)
    simulation.step(10)
    with Recorder(simulation, path, poses=10):
        simulation.step(90)
        paint(robot, "Plate", RED)
        simulation.step(50)
        middle = simulation.snapshot()
        simulation.step(50)
        paint(robot, "Plate", GREY)
        simulation.step(100)
        simulation.restore(middle)
        simulation.step(100)


def scenes(path: Path) -> list[tuple[float, dict[str, Any]]]:
    """Times [s] and entities of everything on the topic `/scene`."""
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        messages = reader.iter_decoded_messages(topics=["/scene"])
        return [
            (message.log_time / 1e9, {entity.id: entity for entity in decoded.entities})
            for _, _, message, decoded in messages
        ]


def test_a_log_shows_it_and_replays(tmp_path: Path) -> None:
    recorded(tmp_path / "run.mcap")
    with Log(tmp_path / "run.mcap") as log:
        assert replay(log) is None
        tape = LogSource(log)
        plate, tail = (
            tape.scene["shapes"].index(shape) for shape in tape.scene["shapes"] if shape["kind"] in ("box", "sphere")
        )
        for frame, color in ((20, GREY), (99, GREY), (101, RED), (199, RED), (201, GREY), (299, GREY), (301, RED)):
            colors = tape.colors(frame * log.step)
            assert colors[plate] == color, frame
            assert colors[tail] == RED  # since before the log began
    seen = [
        (round(time, 3), (cube.color.r, cube.color.g, cube.color.b))
        for time, entities in scenes(tmp_path / "run.mcap")
        if "Lamp/Base" in entities
        for cube in entities["Lamp/Base"].cubes
    ]
    assert seen == [(0.01, GREY), (0.1, RED), (0.2, GREY), (0.3, RED)]


def test_a_page_repaints_what_it_shows() -> None:
    page = Page()
    try:
        simulation = Simulation()
        robot = simulation.spawn(lamp())
        figures = SceneMeshes(page)
        figures.build(to_json(scene_of(simulation)))
        paint(robot, "TailBall", RED)
        simulation.step()
        assert figures.repaint(to_json(scene_of(simulation)))
        colors = {tuple(color) for batch in figures._batches for color in batch.node.batched_colors.tolist()}
        assert (255, 0, 0) in colors and (178, 178, 178) in colors
        simulation.spawn(lamp(name="Second"))
        assert not figures.repaint(to_json(scene_of(simulation)))  # there is more than other colours
    finally:
        page.stop()
