"""What logs have for viewers to draw: meshes, what programs draw into space and into pictures, scans as plots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from foxglove import messages as draw
from mcap.reader import make_reader

from tests.helpers.sensor_stage import box, sensor
from ubersim.description import read_robot
from ubersim.protocol.log_entries import DRAWING, LogEntry, log_entry
from ubersim.recording import Log, Recorder
from ubersim.recording.drawn_entries import DrawnEntries
from ubersim.recording.plot import plot
from ubersim.recording.program_entries import ProgramEntries
from ubersim.simulation import Simulation

CORNERS, SIDES = "0 0 0 1 0 0 0 1 0 0 0 1", "0 2 1 0 1 3 0 3 2 1 2 3"
CAMERA = "<Width>8</Width><Height>6</Height><Fov>60</Fov><Frequency>1</Frequency>"


def mesh(name: str, more: str = "") -> str:
    return (
        f'<Mesh name="{name}"><Position><x>0</x><y>0</y><z>1</z></Position><Material>Metal</Material><Mass>1</Mass>'
        f"<Vertices>{CORNERS}</Vertices><Triangles>{SIDES}</Triangles>{more}</Mesh>"
    )


def robot() -> str:
    painted = mesh("painted", "<FaceColors>255 0 0 0 255 0 0 0 255 9 9 9</FaceColors>")
    sensors = sensor("CameraSensor", "Cam", CAMERA) + sensor(
        "LidarSensor", "Laser", "<Range>5</Range><Fov>180</Fov><Beams>5</Beams><Frequency>100</Frequency>"
    )
    body = f'<Body name="B">{box("hull", (1, 1, 1), (0, 0, 3))}{mesh("plain")}{painted}{sensors}</Body>'
    return f"<Client><CSettings><Name>R</Name></CSettings><Entity><RigidBodies>{body}</RigidBodies></Entity></Client>"


def messages(path: Path, topic: str) -> list[tuple[str, bytes]]:
    """Names of schemas, and messages of a topic."""
    with path.open("rb") as file:
        found = make_reader(file).iter_messages(topics=[topic])
        return [(schema.name if schema is not None else "", message.data) for schema, _, message in found]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a robot whose program draws."""
    path = tmp_path_factory.mktemp("log") / "run.mcap"
    everything: dict[str, Any] = {"lines": [[(0, 0), (1, 1)]], "points": [(2, 2)], "text": "ball", "at": (3, 3)}
    with Simulation() as simulation, Recorder(simulation, path) as recorder:
        found = simulation.spawn(read_robot(robot()))
        simulation.step(20)
        recorder.logged(found, simulation.frame, log_entry("seen", everything, space="Cam"))
        recorder.logged(found, simulation.frame, log_entry("seen", 3.0))
        recorder.logged(found, simulation.frame, LogEntry("odd", DRAWING, b'{"lines": [[1]], "space": "Cam"}'))
        recorder.logged(found, simulation.frame, log_entry("far", float("inf")))
        simulation.step(5)
    return path


def test_drawings_in_the_space_of_a_camera_are_annotations(path: Path) -> None:
    (name, data), *_ = messages(path, "/R/log/seen")
    assert name == "foxglove.ImageAnnotations" and b"ball" in data
    for x, y in [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]:  # an end of the line, the point, where the text is
        assert draw.Point2(x=x, y=y).encode() in data


def test_a_name_of_another_kind_has_a_topic_of_its_own(path: Path) -> None:
    assert len(messages(path, "/R/log/seen")) == 1
    ((_, data),) = messages(path, "/R/log/seen/number")
    assert b"3.0" in data


def test_what_cannot_be_drawn_is_left_out_and_json_knows_no_infinity(path: Path) -> None:
    assert messages(path, "/R/log/odd") == []
    assert b"null" in messages(path, "/R/log/far")[0][1]


def test_meshes_are_triangles_or_models_with_their_colours(path: Path) -> None:
    with path.open("rb") as file:
        scenes = [m.data for s, _, m in make_reader(file).iter_messages() if s and s.name == "foxglove.SceneUpdate"]
    whole = b"".join(scenes)
    assert b"model/gltf-binary" in whole and b"glTF" in whole
    corner = np.array([1.0, 0.0, 0.0]).tobytes()[:8]
    assert corner in whole, "corners are numbers of the message"


def test_a_scan_is_plotted_from_above(path: Path, tmp_path: Path) -> None:
    with Log(path) as one, Log(path) as other:
        plot([one], ["/R/Laser"], tmp_path / "one.svg")
        plot([one, other], ["/R/Laser", "/R/B/pose"], tmp_path / "both.svg")
    assert (tmp_path / "both.svg").stat().st_size > (tmp_path / "one.svg").stat().st_size > 1000
    assert "<!-- /R/Laser [m] at 0.020 s, nothing in range -->" in (tmp_path / "one.svg").read_text()


def test_what_was_drawn_by_any_frame(tmp_path: Path) -> None:
    """The newest of each name, however long ago; what was not drawn yet, or was taken away, is empty."""
    path = tmp_path / "run.mcap"
    with Simulation() as simulation, Recorder(simulation, path) as recorder:
        found = simulation.spawn(read_robot(robot()))
        said: dict[int, list[tuple[str, Any]]] = {
            2: [("once", {"text": "horizon"}), ("ball", 3.0)],
            50: [("ball", {"points": [(1, 1)]}), ("speed", 1.0)],
            2500: [("ball", {"points": [(2, 2)]}), ("speed", 1.0)],
            2600: [("ball", {}), ("speed", 2.0)],
        }
        for frame, entries in said.items():
            simulation.step(frame - simulation.frame)
            for name, value in entries:
                recorder.logged(found, frame, log_entry(name, value, space="Cam"))
        simulation.step(100)
    with Log(path) as log:
        drawn = DrawnEntries(log, ProgramEntries(log))
        then = {frame: {one.entry.name: one.entry.value for one in drawn.at(frame)} for frame in (1, 49, 2499, 2700)}
        assert all(one.robot == "R" for one in drawn.at(2700))
    horizon, nothing = {"text": "horizon", "space": "Cam"}, {"space": "Cam"}
    assert then == {
        1: {"once": {}, "ball": {}},
        49: {"once": horizon, "ball": {}},
        2499: {"once": horizon, "ball": {"points": [[1, 1]], "space": "Cam"}},
        2700: {"once": horizon, "ball": nothing},
    }
