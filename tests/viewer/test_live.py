"""What the live page shows and does: a real server, a real page, and a client that presses its buttons."""

from __future__ import annotations

import contextlib
import math
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.error import HTTPError

import numpy as np
import pytest

from tests.helpers.page_client import PageClient, control
from tests.helpers.robot_programs import document
from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from tests.helpers.waiting import until
from tests.league.localization.stage import robot as seeker
from ubersim.client import connect
from ubersim.client.supervisor import Supervisor, supervise
from ubersim.description import shipped
from ubersim.errors import RefusedError
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.simulation import Simulation
from ubersim.viewer.cameras import CHOSEN
from ubersim.viewer.graphs import Graphs
from ubersim.viewer.live import Live
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page
from ubersim.viewer.selection import Kind, Selection
from ubersim.viewer.views import TraceView

ROBOTS = {"Pioneer": "pioneer", "Car": "car", "Humanoid": "humanoid", "Segway": "segway"}
"""A scanner, drives with several joints, joints with two axes, a camera."""


@dataclass
class Stage:
    """Everything that a test here needs."""

    world: Supervisor
    page: Page
    live: Live
    client: PageClient
    port: int

    def press(self, label: str, value: object) -> None:
        """Sets a control, as in a browser."""
        self.client.set(control(self.page, label), value)

    def select(self, robot: str, kind: Kind = "Robot", part: str = "") -> None:
        """Picks a robot, one of its parts, or an object in the tree."""
        choice = Selection(kind, robot, part)
        until(lambda: self.live.inspector._model is not None and self.live.inspector._model.has(choice))
        self.client.ask("pick", key=choice.key)
        until(lambda: self.live.inspector.choice == choice)

    def names(self, robot: str, kind: Kind) -> list[str]:
        """Of a robot's parts, as the tree has them."""
        model = self.live.inspector._model
        return [] if model is None or robot not in model.robots else model.names(robot, kind)

    @property
    def tree(self) -> str:
        """As HTML."""
        return str(self.live.inspector._tree.content)

    @property
    def text(self) -> str:
        """Of the detail."""
        shown = self.live.inspector.text
        return "" if shown is None else str(shown.content)

    def says(self, words: str) -> bool:
        """Whether the panel has these words."""
        return words in self.text

    def robot(self, name: str) -> dict[str, Any]:
        """As the server describes it."""
        about: dict[str, Any] = self.world.scene()["robots"][name]
        return about


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    serving = Serving(Simulation(shipped("worlds/room.xml"), render_workers=1), None, clients=0, rate=1.0)
    port = serving.port
    with supervise(port=port) as world, supervise(port=port) as watcher, supervise(port=port) as commander:
        for number, (name, file) in enumerate(ROBOTS.items()):
            world.spawn(document(file, cameras=True), name=name, position=(1.2 * number - 2.0, -1.0, 0.3))
        page = Page()
        live = Live(page, watcher, commander)
        thread = threading.Thread(target=_run, args=(live,))
        thread.start()
        with PageClient(page.address) as client:
            until(lambda: live.inspector.entity in ROBOTS and page.get_clients())
            yield Stage(world, page, live, client, port)
        serving.server.stop()
        serving.result()
        thread.join(60)
        page.stop()


def _run(live: Live) -> None:
    with contextlib.suppress(RefusedError, ConnectionError):
        live.run()


PARTS: dict[Kind, str] = {"Bodies": "position", "Joints": "rate", "Motors": "", "Sensors": "captured at"}
"""What the panel of a part says."""


@pytest.mark.parametrize("robot", ROBOTS)
def test_parts_have_panels(stage: Stage, robot: str) -> None:
    stage.select(robot)
    for kind, words in PARTS.items():
        for part in stage.names(robot, kind)[:4]:
            stage.select(robot, kind, part)
            until(partial(stage.says, words))


def test_the_speed_of_a_motor(stage: Stage) -> None:
    stage.select("Pioneer", "Motors", "LMotor")
    for speed in (3.0, 0.0):
        stage.press("Speed", speed)
        until(lambda speed=speed: re.search(rf"rate -?{speed:.1f}", stage.text))  # type: ignore[misc]


def test_the_strength_of_a_joint(stage: Stage) -> None:
    stage.select("Segway", "Joints", "LMotor")
    stage.press("FMax", 20.0)
    until(lambda: stage.robot("Segway")["joints"]["LMotor"]["FMax"] == 20.0)


def test_the_noise_of_a_sensor(stage: Stage) -> None:
    stage.select("Segway", "Sensors", "Tilt")
    stage.press("Noise", 0.05)
    until(lambda: stage.robot("Segway")["sensors"]["Tilt"]["noise"] == pytest.approx(0.05))


def test_a_latency_gets_the_model_that_is_chosen(stage: Stage) -> None:
    """At once, with numbers near those of the model before; and back again."""

    def told() -> Any:
        return stage.world.scene()["robots"]["Segway"]["latency_model"]

    stage.select("Segway")
    before = told()
    stage.press("Latency", "normal")
    until(lambda: told()["kind"] == "normal" and told()["mean"] == before["value"])
    stage.press("Spread [ms]", 7.0)
    until(lambda: told()["sigma"] == 7.0)
    stage.press("Latency", "constant")
    until(lambda: told() == before)


def test_what_cannot_be_set_is_said_in_the_browser(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The robot of a slider has left in the meantime."""
    said: list[str] = []
    for client in stage.page.get_clients().values():
        monkeypatch.setattr(client, "add_notification", lambda title, body, **_: said.append(body))
    stage.world.spawn(cart("Guest"), position=(2.0, 2.0, 0.3))
    stage.select("Guest", "Sensors", "Tilt")
    noise = control(stage.page, "Noise")
    with monkeypatch.context() as unnoticed:  # or the slider may be gone before it is moved
        unnoticed.setattr(stage.live, "_rebuild", lambda truth: None)
        stage.world.remove("Guest")
        stage.client.set(noise, 0.1)
        until(lambda: said)
    until(lambda: stage.live.inspector.entity != "Guest")
    assert "Guest" in said[0]


def test_another_robot_of_the_same_name(stage: Stage) -> None:
    stage.world.spawn(cart("Double"), position=(2.0, 2.0, 0.3))
    stage.select("Double", "Sensors", "Tilt")
    stage.world.pause()
    stage.world.remove("Double")
    stage.world.spawn(document("car"), name="Double", position=(2.0, 2.0, 0.3))
    stage.world.resume()
    until(lambda: "Imu" in stage.names("Double", "Sensors"))
    until(lambda: "Double|Imu" in stage.tree and "Double|Tilt" not in stage.tree)
    stage.world.remove("Double")
    until(lambda: stage.live.inspector.entity != "Double")


def test_a_robot_that_comes_back_is_chosen_and_drawn_as_before(stage: Stage) -> None:
    """Its program was started again: what was chosen of it is chosen again, and its graph was not closed."""
    graphs, tilt = stage.live.workspace.graphs, Selection("Sensors", "Again", "Tilt")

    def restart(robot: str) -> None:
        stage.world.remove("Again")
        until(lambda: stage.live.inspector.entity != "Again")
        assert stage.live.inspector.wanted == tilt and is_kept(graphs, tilt)
        assert graphs._kept[tilt][0].label == "Again / Tilt · has left"
        stage.world.spawn(robot, name="Again", position=(2.0, 2.0, 0.6))
        until(lambda: stage.live.inspector.choice == tilt and graphs._kept[tilt][0].label == "Again / Tilt")

    stage.page.later(lambda: graphs.keep(tilt))  # a browser wants it before the robot is there
    until(lambda: is_kept(graphs, tilt))
    stage.world.spawn(cart("Again"), position=(2.0, 2.0, 0.3))
    stage.select("Again", "Sensors", "Tilt")
    until(lambda: tilt in graphs._kept)
    number = graphs._kept[tilt][1].number
    until(lambda: stage.client.ask("graph/table", number=number).count("\n") > 3)
    restart(cart("Again"))
    assert graphs._kept[tilt][1].number == number, "it goes on"
    restart(document("segway"))
    assert graphs._kept[tilt][1].number != number, "that robot has other parts"
    stage.client.ask("graph/close", number=graphs._kept[tilt][1].number)
    until(lambda: not graphs.kept)
    stage.world.remove("Again")
    until(lambda: stage.live.inspector.entity != "Again")
    stage.select("Pioneer")


def test_a_body_is_selected_by_a_click(stage: Stage) -> None:
    stage.select("Pioneer")
    for batch in stage.live.workspace.meshes._batches:
        if batch.moves:
            stage.client.click(batch.node, 0)
            body = stage.world.truth().legend["bodies"][int(batch._bodies[0])]
            until(lambda body=body: stage.live.inspector.body == body)  # type: ignore[misc]


def test_bodies_are_hidden_and_shown(stage: Stage) -> None:
    meshes = stage.live.workspace.meshes
    stage.select("Car", "Bodies", "Car")
    body = stage.world.truth().legend["bodies"].index("Car/Car")
    stage.press("Chosen", "Hide body")
    until(lambda: meshes._hidden == {body})
    stage.press("Chosen", "Hide all of it")
    until(lambda: len(meshes._hidden) == 5)
    stage.press("Chosen", "Show everything")
    until(lambda: not meshes._hidden)
    for wireframe in (True, False):
        stage.press("Wireframe", wireframe)
        until(lambda wireframe=wireframe: all(batch.node.wireframe == wireframe for batch in meshes._batches))  # type: ignore[misc]


def test_a_push(stage: Stage) -> None:
    stage.select("Ball", "Object")
    stage.press("Force [N]", 20.0)
    stage.press("For [s]", 0.1)
    stage.press("Push it", "↓ −y")
    until(lambda: abs(stage.world.truth()["Ball"].position[1] - 1.5) > 0.2)


def test_a_drag(stage: Stage) -> None:
    stage.select("Ball", "Object")
    stage.press("Drag it", True)
    picking = stage.live._picking
    until(lambda: picking._handles.visible)
    stage.client.grab(picking._handles)
    until(lambda: picking._held)
    stage.client.drag(picking._handles, (1.5, 0.5, 0.8))
    until(lambda: np.allclose(stage.world.truth()["Ball"].position[:2], (1.5, 0.5), atol=0.05))
    stage.client.release(picking._handles)
    until(lambda: not picking._held)
    with PageClient(stage.page.address) as other:  # a second tab, that is closed while it drags
        other.grab(picking._handles)
        until(lambda: picking._held)
    until(lambda: not picking._held)
    stage.press("Drag it", False)
    until(lambda: not picking._handles.visible)


def points(stage: Stage, name: str) -> Any:
    """Of a node of the scene."""
    node: Any = stage.page.scene.get_handle_by_name(name)
    return np.empty((0, 3)) if node is None or not node.visible else np.asarray(node.points)


def test_a_sonar_is_a_curve_and_a_laser_a_scan(stage: Stage) -> None:
    """One distance has a history; many are a picture from above."""
    stage.select("Pioneer", "Sensors", "Sonar0")
    until(lambda: "distance" in stage.text and "of them hits" not in stage.text)
    stage.select("Pioneer", "Sensors", "Laser")
    until(lambda: "of them hits" in stage.text)


def test_rays_end_where_the_scanner_says(stage: Stage) -> None:
    """All of them have a point at their end, and some a line."""
    stage.select("Pioneer", "Sensors", "Laser")
    until(lambda: len(points(stage, "/overlays/hits")) > 100)
    stage.world.pause()
    distances = np.asarray(stage.world.truth(sensors=["Pioneer/Laser"]).readings["Pioneer/Laser"])
    wanted = distances[np.isfinite(distances)]

    def shown() -> bool:
        """Those of the scanner come first, then those of the sonars."""
        start = points(stage, "/overlays/rays")[0, 0]
        lengths = np.linalg.norm(points(stage, "/overlays/hits")[: len(wanted)] - start, axis=1)
        return len(lengths) == len(wanted) and np.allclose(lengths, wanted, atol=1e-3)

    until(shown)
    assert len(points(stage, "/overlays/rays")) < 100
    stage.world.resume()
    stage.press("Rays", False)
    until(lambda: not len(points(stage, "/overlays/rays")))
    stage.press("Rays", True)


def test_a_picture_while_time_stands_still(stage: Stage) -> None:
    """Picked while nothing moves, a sensor's newest reading is shown all the same."""
    stage.select("Segway", "Bodies", "MainBody")
    stage.world.pause()
    stage.select("Segway", "Sensors", "Cam")
    until(partial(stage.says, "captured at"))
    stage.world.resume()


def test_the_menu_shows_the_rate_of_the_server(stage: Stage) -> None:
    menu = control(stage.page, "Real time")
    assert menu.value == "1 ×"
    stage.press("Real time", "2 ×")
    until(lambda: stage.world.scene()["rate"] == 2.0)
    stage.world.rate(3.0)
    stage.world.spawn(cart("Passer"), position=(2.0, 2.0, 0.3))
    until(lambda: menu.value == "3 ×")
    stage.world.remove("Passer")
    stage.press("Real time", "1 ×")
    until(lambda: stage.world.scene()["rate"] == 1.0)


def test_contacts_and_forces(stage: Stage) -> None:
    stage.select("Humanoid")
    stage.press("Contacts, forces", True)
    until(lambda: len(points(stage, "/overlays/contacts")) > 8 and len(points(stage, "/overlays/forces")) > 3)
    feet, tips = np.moveaxis(points(stage, "/overlays/forces"), 1, 0)
    assert (np.abs(feet[:, 2]) < 0.01).all() and (tips[:, 2] >= feet[:, 2]).all()  # the ground bears it
    stage.press("Contacts, forces", False)
    until(lambda: not len(points(stage, "/overlays/contacts")))


def test_the_camera_follows_or_rides(stage: Stage) -> None:
    (viewer,) = stage.page.get_clients().values()
    stage.select("Segway")
    stage.press("Camera", "follow")
    until(lambda: np.linalg.norm(viewer.camera.look_at - stage.world.truth()["Segway"].position) < 0.1)
    stage.press("Camera", "onboard Cam")
    until(lambda: viewer.camera.fov == pytest.approx(2 * math.atan(math.tan(math.radians(21)) * 0.75), abs=1e-6))
    stage.press("Camera", "free")
    until(lambda: viewer.camera.fov == pytest.approx(math.radians(75)))


def test_drawings_stay_with_their_bodies(stage: Stage) -> None:
    with connect(cart("Artist"), port=stage.port, position=(2.0, 2.0, 0.3)) as robot:
        for count, frame in enumerate(robot):
            if count == 0:
                robot.draw("plan", points=[(0.0, 0.0, 0.5)], body="Base")
            node: Any = stage.page.scene.get_handle_by_name("/drawings/Artist/plan")
            if node is not None and abs(node.position[0] - 2.0) < 0.01:
                break
            assert frame.time < 1e6
    until(lambda: stage.page.scene.get_handle_by_name("/drawings/Artist/plan") is None)


def is_current(graphs: Graphs, choice: Selection) -> bool:
    """Whether the graph of what is chosen is this one."""
    return graphs._current is not None and graphs._current.choice == choice


def is_kept(graphs: Graphs, choice: Selection) -> bool:
    """Whether it is among those that stay."""
    return choice in graphs.kept


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


def test_pushes_are_drawn_with_their_size_and_nothing_stays(stage: Stage) -> None:
    stage.world.spawn(cart("Brief"), position=(2.0, 2.0, 0.3))
    stage.select("Brief", "Bodies", "Wheel")
    stage.press("Contacts, forces", True)
    stage.world.push("Brief", (0.0, 0.0, 12.0), 2.0)
    until(lambda: len(points(stage, "/pushes/arrows")) == 1)
    assert stage.page.scene.get_handle_by_name("/pushes/sizes/0").text == "12 N"  # type: ignore[union-attr]
    until(lambda: any(shell.node.name.startswith("/chosen") for shell in stage.live.workspace._highlight._shells))
    nodes = stage.page.scene._handle_from_node_name
    until(lambda: "Brief" in {getattr(node, "text", "") for node in list(nodes.values())})
    stage.world.remove("Brief")
    until(lambda: "Brief" not in stage.tree)
    until(lambda: "Brief" not in {getattr(node, "text", "") for node in list(nodes.values())})
    until(lambda: not len(points(stage, "/pushes/arrows")))
    assert not any(name.startswith("/pushes/sizes/") for name in nodes)
    stage.press("Contacts, forces", False)
    until(lambda: not len(points(stage, "/overlays/forces")))


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
    until(lambda: np.linalg.norm(viewer.camera.look_at - stage.world.truth()["Car"].position) < 0.1)
    stage.select("Segway")
    until(lambda: np.linalg.norm(viewer.camera.look_at - stage.world.truth()["Segway"].position) < 0.1)
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
    until(lambda: stage.live.inspector.choice == tilt and is_kept(stage.live.workspace.graphs, tilt))
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
