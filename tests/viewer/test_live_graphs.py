"""Graphs of the live page, the ways to look at it, and what a browser keeps of it."""

from __future__ import annotations

import contextlib
import math
import threading
from functools import partial
from urllib.error import HTTPError

import numpy as np
import pytest

from tests.helpers.live_stage import Stage, is_current, is_followed, is_kept, points
from tests.helpers.page_client import control
from tests.helpers.robots import cart
from tests.helpers.sensor_stage import sensor
from tests.helpers.waiting import until
from tests.league.localization.stage import robot as seeker
from ubersim.client import connect
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.cameras import CHOSEN
from ubersim.viewer.graphs import MOST
from ubersim.viewer.model import SceneModel
from ubersim.viewer.selection import Selection
from ubersim.viewer.views import SwitchedView, TraceView


def test_graphs_are_kept_paused_saved_and_closed(stage: Stage) -> None:
    graphs = stage.live.workspace.graphs
    kept = [Selection("Sensors", "Segway", "Tilt"), Selection("Sensors", "Pioneer", "Laser")]
    for choice in kept:
        stage.select(choice.entity, choice.kind, choice.part)
        until(partial(is_current, graphs, choice))
        assert graphs._current is not None
        stage.client.ask("graph/keep", number=graphs._current.number)
        until(partial(is_kept, graphs, choice))
    tilt, laser = (graphs._kept[choice][1] for choice in kept)
    until(lambda: stage.client.ask("graph/table", number=tilt.number).count("\n") > 3)
    assert stage.client.ask("graph/table", number=tilt.number).startswith('"time [s]","pitch [rad]"\n')
    until(lambda: "nan" not in stage.client.ask("graph/table", number=laser.number))
    assert stage.client.ask("graph/table", number=laser.number).startswith('"angle [rad]","distance [m]"\n')
    stage.client.ask("graph/pause", number=tilt.number)
    until(lambda: tilt.paused and 'aria-pressed="true"' in tilt._buttons.content)
    for graph in (tilt, laser):
        stage.client.ask("graph/close", number=graph.number)
    until(lambda: not graphs.kept)
    with pytest.raises(HTTPError, match="400"):
        stage.client.ask("graph/table", number=laser.number)


def test_wanted_executed_and_measured_in_one_graph(stage: Stage) -> None:
    """A program drives a wheel with a latency of 200 ms: the steps of what it wanted come that much earlier."""
    with connect(cart("Late", latency="200", x=3.0), port=stage.port) as robot:
        stage.select("Late", "Joints", "Motor")
        names = []
        for speed in (3.0, -3.0, 3.0):
            robot.set("Motor", "Vel", speed)
            for _ in range(300):
                robot.next_frame()
        view = stage.live.workspace.graphs._current.view  # type: ignore[union-attr]
        assert isinstance(view, TraceView)
        names = [quantity.name for quantity in view.traces.quantities]
        assert {"measured rate", "wanted Vel", "executed Vel"} <= set(names)
        assert len({view.traces.quantities[names.index(name)].unit for name in names if name != "position"}) == 1
        wanted, executed = (view.traces._samples[names.index(name)] for name in ("wanted Vel", "executed Vel"))
        until(lambda: len(executed) >= 3)
        sent = {value: time for time, value in list(wanted)}
        acted = {value: time for time, value in list(executed)}
        assert acted[-3.0] - sent[-3.0] == pytest.approx(0.2)


def test_a_camera_whose_level_is_switched_shows_what_it_tells(stage: Stage) -> None:
    more = "<Fov>90</Fov><Width>64</Width><Height>48</Height><Frequency>50</Frequency><Switchable>true</Switchable>"
    document = cart("Seer", x=3.0).replace("<Incl", sensor("CameraSensor", "Eye", more) + "<Incl")
    with connect(document, port=stage.port) as robot:
        stage.select("Seer", "Sensors", "Eye")
        for level, words in ((0, "64 × 48 pixels"), (1, "in the list"), (0, "64 × 48 pixels")):
            robot.set("Eye", "Level", level)
            for _ in range(300):
                robot.next_frame()
            until(partial(stage.says, words))
            graph = stage.live.workspace.graphs._current
            assert graph is not None and isinstance(graph.view, SwitchedView)
            shown = graph.view._picture._image.visible, graph.view._list._list.drawing.visible
            assert shown == (level == 0, level == 1)
        assert graph is not None
        table = stage.client.ask("graph/table", number=graph.number)
        assert table.startswith('"object","bearing [rad]","elevation [rad]","distance [m]","size [rad]"\n')
        assert len(table.splitlines()) > 1 and all(line[1].isalpha() for line in table.splitlines())


def test_a_list_without_numbers_of_objects_has_no_names(stage: Stage) -> None:
    """What stands to the left of an obstacle sensor, at a bearing of 1.5 rad, is not the object of that number."""
    scan = sensor("ObstacleSensor", "Scan", "<Beams>181</Beams><Fov>180</Fov><Range>8</Range>")
    stage.world.spawn(cart("Scanner", x=2.2).replace("<Incl", scan + "<Incl"))
    stage.select("Scanner", "Sensors", "Scan")
    until(partial(is_current, stage.live.workspace.graphs, Selection("Sensors", "Scanner", "Scan")))
    graph = stage.live.workspace.graphs._current
    assert graph is not None
    until(lambda: stage.client.ask("graph/table", number=graph.number).count("\n") > 2)
    head, *rows = stage.client.ask("graph/table", number=graph.number).splitlines()
    assert head == '"bearing [rad]","distance [m]","width [rad]"'
    assert all(abs(float(row.split(",")[0])) < 1.6 for row in rows)
    assert "Ground" not in graph.view._list.drawing.content  # type: ignore[union-attr]
    stage.world.remove("Scanner")


def test_cameras_fit_what_there_is_also_while_time_stands_still(stage: Stage) -> None:
    (viewer,) = stage.page.get_clients().values()
    stage.world.pause()
    stage.press("Look at", "Top")
    until(lambda: viewer.camera.position[2] - viewer.camera.look_at[2] > 2.0)
    until(lambda: np.allclose(viewer.camera.position[:2], viewer.camera.look_at[:2], atol=0.1))
    stage.select("Car")
    stage.press("Look at", CHOSEN)
    until(lambda: np.linalg.norm(viewer.camera.look_at - stage.world.truth()["Car"].position) < 0.3)
    stage.select("Segway")
    until(lambda: np.linalg.norm(viewer.camera.look_at - stage.world.truth()["Car"].position) < 0.3)  # it stays
    stage.select("Car")
    stage.press("Camera", "follow")
    until(lambda: is_followed(stage, "Car"))
    stage.select("Segway")
    until(lambda: is_followed(stage, "Segway"))
    stage.press("Camera", "free")
    stage.world.resume()


def test_other_parts_find_a_place(stage: Stage) -> None:
    class Board:
        """A part of somebody else's."""

        def __init__(self) -> None:
            with stage.live.workspace.layout.score():
                self.words = stage.page.gui.add_markdown("")
            self.robots = 0

        def set_model(self, model: SceneModel) -> None:
            self.robots = len(model.robots)

        def show(self, model: SceneModel, truth: GroundTruth) -> None:
            self.words.content = f"0 : 0 after {truth.time:.0f} s"

    stage.world.pause()  # what comes then is shown as well
    until(lambda: "stands still" in stage.live._clock._status.content)
    boards: list[Board] = []

    def add() -> None:
        """In the page's own thread, as parts are added: viser's panels do not take several at once."""
        boards.append(Board())
        stage.live.add(boards[0])

    stage.page.later(add)
    until(lambda: boards and boards[0].robots >= 4 and "0 : 0" in boards[0].words.content)
    stage.world.resume()
    assert stage.live.workspace.layout._boards.visible


def test_a_list_of_what_is_seen_is_a_table(stage: Stage) -> None:
    """Rows with the names of things, as CSV, too."""
    stage.world.spawn(seeker().source_text, name="Seeker", position=(0.0, 2.5, 0.3))
    stage.select("Seeker", "Sensors", "Cam")
    until(partial(stage.says, "in the list"))
    graph = stage.live.workspace.graphs._current
    assert graph is not None
    until(lambda: "Pioneer/" in stage.client.ask("graph/table", number=graph.number))
    head, *rows = stage.client.ask("graph/table", number=graph.number).strip().splitlines()
    assert len(rows) > 3 and {len(row.split(",")) for row in rows} == {len(head.split(","))}
    stage.select("Seeker", "Robot")
    stage.world.remove("Seeker")
    until(lambda: stage.live.inspector.entity != "Seeker")


def test_a_wall_says_what_and_where_it_is(stage: Stage) -> None:
    model = stage.live.inspector._model
    assert model is not None
    name = next(iter(model.solids))
    stage.select(name, "Solid")
    until(partial(stage.says, " m  \nat ("))
    stage.select("Segway")


def test_choices_of_a_browser_come_back(stage: Stage) -> None:
    """What is chosen, the graphs that were kept and what leads the camera; what makes no sense is let pass."""
    tilt = Selection("Sensors", "Segway", "Tilt")
    kept = {"graphs": [tilt.key], "chosen": tilt.key, "camera": "follow"}
    stage.page.later(lambda: stage.live.workspace.choices.restore(kept | {"graphs": ["nonsense"]}))
    stage.page.later(lambda: stage.live.workspace.choices.restore(kept))
    restored = threading.Event()
    stage.page.later(restored.set)
    until(restored.is_set)
    assert stage.live.inspector.choice == tilt and is_kept(stage.live.workspace.graphs, tilt)
    assert stage.live.workspace.cameras.choice.value == "follow"
    stage.press("Camera", "free")
    until(lambda: stage.live.workspace.cameras.choice.value == "free")
    stage.client.ask("graph/close", number=stage.live.workspace.graphs._kept[tilt][1].number)
    until(lambda: not is_kept(stage.live.workspace.graphs, tilt))


def test_axes_of_joints_are_as_long_as_suits_their_robot(stage: Stage) -> None:
    def length(robot: str, joint: str) -> float:
        stage.select(robot, "Joints", joint)
        until(lambda: stage.live.workspace._highlight._choice == stage.live.inspector.choice)
        until(lambda: len(points(stage, "/chosen/axes")))
        return float(np.linalg.norm(np.diff(points(stage, "/chosen/axes")[0], axis=0)))

    assert length("Segway", "LMotor") > 1.5 * length("Humanoid", "LKneeHinge")


def test_a_graph_is_kept_once_and_not_more_than_there_is_room_for(stage: Stage) -> None:
    graphs, tilt = stage.live.workspace.graphs, Selection("Sensors", "Segway", "Tilt")
    wheels = [Selection("Joints", "Humanoid", name) for name in stage.names("Humanoid", "Joints")]
    for choice in (tilt, tilt, *wheels):
        stage.page.later(lambda choice=choice: graphs.keep(choice))  # type: ignore[misc]
    until(lambda: len(graphs.kept) == MOST)
    stage.page.later(lambda: graphs.keep(wheels[-1]))
    done = threading.Event()
    stage.page.later(done.set)  # after all of them
    assert done.wait(60)
    assert list(graphs.kept) == [tilt, *wheels[: MOST - 1]]
    for choice in graphs.kept:
        stage.client.ask("graph/close", number=graphs._kept[choice][1].number)
    until(lambda: not graphs.kept)


def test_the_graph_of_a_joint_has_a_table(stage: Stage) -> None:
    graphs, joint = stage.live.workspace.graphs, Selection("Joints", "Segway", "LMotor")
    stage.select("Segway", "Joints", "LMotor")
    until(partial(is_current, graphs, joint))

    def table() -> str:
        """Of the graph that is open now: it has another number when what there is has changed."""
        with contextlib.suppress(HTTPError):
            return stage.client.ask("graph/table", number=graphs._current.number)  # type: ignore[union-attr]
        return ""

    until(lambda: table().count("\n") > 3)
    until(lambda: table().startswith('"time [s]"') and "rate" in table().partition("\n")[0])


def test_buttons_aim_from_outside(stage: Stage) -> None:
    (viewer,) = stage.page.get_clients().values()
    stage.select("Segway")
    stage.press("Camera", "onboard Cam")
    until(lambda: viewer.camera.fov == pytest.approx(2 * math.atan(math.tan(math.radians(21)) * 0.75), abs=1e-6))
    stage.press("Look at", "Top")
    until(lambda: viewer.camera.fov == pytest.approx(math.radians(75)))
    assert stage.live.workspace.cameras.choice.value == "free"
    until(lambda: viewer.camera.position[2] - viewer.camera.look_at[2] > 2.0)


def test_choices_that_are_no_object_are_refused(stage: Stage) -> None:
    with pytest.raises(HTTPError, match="400"):
        stage.client.ask("restore", choices="[]")


def test_a_model_that_is_chosen_as_its_robot_is_left_changes_nothing(stage: Stage) -> None:
    """The menu is no more when its turn comes; the page goes on."""
    stage.select("Segway")
    menu = control(stage.page, "Latency")
    before = stage.robot("Segway")["latency_model"]
    stage.select("Car")
    menu._impl.update_cb[0](None)  # as if it had been chosen just before
    stage.select("Segway")
    assert stage.robot("Segway")["latency_model"] == before


def test_an_upper_bound_of_latency_is_not_below_the_lower_one(stage: Stage) -> None:
    stage.select("Car")
    stage.select("Segway")
    stage.press("Latency", "uniform")
    stage.press("Least [ms]", 30.0)
    stage.press("Longest [ms]", 12.0)
    until(lambda: _bounds(stage) == (30.0, 30.0))
    stage.press("Latency", "constant")


def _bounds(stage: Stage) -> tuple[float | None, float | None]:
    model = stage.robot("Segway")["latency_model"]
    return model.get("min"), model.get("max")
