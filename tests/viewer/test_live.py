"""What the live page shows and does: a real server, a real page, and a client that presses its buttons."""

from __future__ import annotations

import math
import re
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.helpers.live_stage import ROBOTS, Stage, is_followed, is_kept, points
from tests.helpers.page_client import PageClient, control
from tests.helpers.robot_programs import document
from tests.helpers.robots import cart
from tests.helpers.waiting import until
from ubersim.client import connect
from ubersim.timing.uniform import Uniform
from ubersim.viewer.selection import Kind, Selection

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
        stage.press("Speed [rad/s]", speed)
        until(lambda speed=speed: re.search(rf"rate -?{speed:.1f}", stage.text))  # type: ignore[misc]


def test_a_robot_is_driven_both_ways(stage: Stage) -> None:
    stage.select("Pioneer", "Motors", "Drive")
    for label, speed in (("Turn [rad/s]", -1.0), ("Speed [m/s]", -0.2), ("Turn [rad/s]", 0.0), ("Speed [m/s]", 0.0)):
        slider = control(stage.page, label)
        assert slider.min == -slider.max
        stage.press(label, speed)
        name = label.partition(" ")[0]
        until(lambda name=name, speed=speed: stage.robot("Pioneer")["motors"]["Drive"]["values"][name] == speed)  # type: ignore[misc]


def test_the_strength_of_a_joint(stage: Stage) -> None:
    stage.select("Segway", "Joints", "LMotor")
    stage.press("FMax [N m]", 20.0)
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


def test_a_latency_that_drifts_goes_on_doing_so(stage: Stage) -> None:
    """What the page has no control for stays as it is."""
    stage.world.set_latency("Car", Uniform(10, 30, order="drift", seed=7))
    stage.select("Segway")
    stage.select("Car")
    assert stage.robot("Car")["latency_words"] == "uniform, 10 to 30 ms, drifts"
    stage.press("Longest [ms]", 50.0)
    until(lambda: stage.robot("Car")["latency_model"].get("max") == 50.0)
    told = stage.robot("Car")["latency_model"]
    assert (told["order"], told["seed"]) == ("drift", 7)
    stage.world.set_latency("Car", 0.0)


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
    until(lambda: np.allclose(stage.world.truth()["Ball"].position, (1.5, 0.5, 0.8), atol=0.05))
    since = stage.world.truth().time  # nobody moves the mouse any more: it is held where the handles are
    until(lambda: stage.world.truth().time > since + 1.0)
    until(lambda: stage.world.truth()["Ball"].position[2] > 0.75)
    stage.client.release(picking._handles)
    until(lambda: not picking._held and stage.world.truth()["Ball"].position[2] < 0.3)
    with PageClient(stage.page.address) as other:  # a second tab, that is closed while it drags
        other.grab(picking._handles)
        until(lambda: picking._held)
    until(lambda: not picking._held)
    stage.press("Drag it", False)
    until(lambda: not picking._handles.visible)


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
    until(lambda: is_followed(stage, "Segway"))
    stage.press("Camera", "onboard Cam")
    until(lambda: viewer.camera.fov == pytest.approx(2 * math.atan(math.tan(math.radians(21)) * 0.75), abs=1e-6))
    stage.press("Camera", "free")
    until(lambda: viewer.camera.fov == pytest.approx(math.radians(75)))
    assert stage.page.scene.get_handle_by_name("/followed") is None


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


def test_pushes_are_drawn_with_their_size_and_nothing_stays(stage: Stage) -> None:
    stage.world.spawn(cart("Brief"), position=(2.0, 2.0, 0.3))
    stage.select("Brief", "Bodies", "Wheel")
    stage.press("Contacts, forces", True)
    stage.world.push("Brief", (0.0, 0.0, 12.0), 2.0)
    until(lambda: len(points(stage, "/pushes/arrows")) == 1)
    assert stage.page.scene.get_handle_by_name("/pushes/sizes/0").text == "12 N"  # type: ignore[union-attr]
    tail, tip = points(stage, "/pushes/arrows")[0]
    assert tip[2] - tail[2] == pytest.approx(0.5), "it sticks out of the body, however weak the push is"
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
