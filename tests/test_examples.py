"""Every example runs as its text says, and what it claims holds."""

import importlib
import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.helpers.heard import Heard
from tests.helpers.paths import ROOT
from ubersim.control import balancer
from ubersim.control.balancer import BALANCE
from ubersim.description import Materials, RobotDescription, default_materials, load_robot, read_robot, shipped
from ubersim.geometry import Pose
from ubersim.render.projections import project
from ubersim.simulation import Simulation
from ubersim.simulation.local_robot import LocalRobot

EXAMPLES = ROOT / "examples"
SCRIPTS = {
    "balance_in_process",
    "headlight",
    "latency_map",
    "latency_study",
    "learn_motion",
    "learn_segway",
    "localize",
    "quadruped",
    "rolling_shutter",
    "simulation_speed",
    "think_timeline",
    "two_robots",
    "velocity_ramp",
}


def run(name: str, *arguments: str) -> str:
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_none_is_forgotten() -> None:
    # `serving` is imported by the others; what begins with `test_` is run by tests/test_plugin.py.
    others = {"serving", "test_my_robot", "teleoperate", "mark_ball"}
    assert {path.stem for path in EXAMPLES.glob("*.py")} == SCRIPTS | others


def test_balance_in_process() -> None:
    said = run("balance_in_process")
    assert said.endswith("It stood for 20 s.\n")
    story = re.findall(r"from +([+-][\d.]+)° to +([+-][\d.]+)°, +within 0.3° after ([\d.]+) s", said)
    (straight, behind, front) = [tuple(map(float, part)) for part in story]
    assert straight[0] == pytest.approx(-math.degrees(BALANCE), abs=0.07)  # that far from its balance it is let go
    assert behind[0] < -1.0 and behind[1] < 0.3  # a push from behind tips it forward
    assert front[1] > 1.0 and front[0] > -0.3  # and one from the front backwards
    assert max(straight[2], behind[2], front[2]) < 1.5


def test_headlight(tmp_path: Path) -> None:
    """In the middle the lamp shines on the wall; the infrared camera sees a black drum and a bright line."""
    run("headlight", "--out", str(tmp_path))
    visible, infrared = np.split(np.asarray(Image.open(tmp_path / "lamps_and_infrared.png")), 2, axis=1)
    assert visible[90, 240].min() > 2 * visible[90, 20].max()
    assert infrared[150, 380].max() < 20 < infrared[60, 240].min() < infrared[245, 240].min()
    assert (infrared[..., :1] == infrared).all()
    assert load_robot(tmp_path / "headlight_scout.xml").bodies[0].lights[0].name == "Headlight"


def test_rolling_shutter(tmp_path: Path) -> None:
    said = run("rolling_shutter", "--out", str(tmp_path))
    rows = [tuple(map(float, row)) for row in re.findall(r"^ +(-?[\d.]+) +(-?[\d.]+) +(\d+)$", said, re.MULTILINE)]
    assert [round(true, 1) for true, _, _ in rows] == [0.5, -1.0, 2.0, -4.0]
    for true, leaning, count in rows:
        assert leaning == pytest.approx(true, rel=0.1) and count >= 3
    quick, exposed, rolling = np.split(np.asarray(Image.open(tmp_path / "rolling_shutter.png")).astype(int), 3, axis=1)
    wide, blurred, leans = ((one[..., 0] - one[..., 1] > 20).any(axis=0).sum() for one in (quick, exposed, rolling))
    assert blurred > wide + 15 and leans > wide + 15


def test_latency_study(tmp_path: Path) -> None:
    said = run("latency_study", "--out", str(tmp_path))
    (computed,) = map(float, re.findall(r"([\d.]+) ms when sampled", said))
    shrinks, grows = map(float, *re.findall(r"swings shrink with (\d+) ms and grow with (\d+) ms", said))
    assert grows == shrinks + 1
    assert (shrinks + grows) / 2 == pytest.approx(computed, rel=0.1)
    assert "all readings are the same, to the last bit" in said
    studied = re.findall(r"^ +(\d+) .* swings (by|beyond 10° after) ([\d.]+)", said, re.MULTILINE)
    assert {*range(0, 121, 10), int(shrinks), int(grows)} <= {int(latency) for latency, _, _ in studied}
    # The longer the latency, the sooner the swings are too large for the motors, whatever happens then.
    left = [float(seconds) for _, how, seconds in studied if how != "by"]
    assert len(left) >= 6 and left == sorted(left, reverse=True)
    assert (tmp_path / "latency_study.png").read_bytes().startswith(b"\x89PNG")


def test_learn_segway(tmp_path: Path) -> None:
    """A search that is too short to find anything, but goes all the way."""
    said = run("learn_segway", "--generations", "1", "--population", "4", "--episodes", "1", "--out", str(tmp_path))
    assert said.count("trained ") == 2 and len(re.findall(r"^ +0 +\d+ +\d+% ", said, re.MULTILINE)) == 12
    assert (tmp_path / "segway_delay.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "segway_training.png").is_file() and (tmp_path / "segway_policies.json").is_file()


def test_learn_motion(tmp_path: Path) -> None:
    said = run("learn_motion", "--seconds", "30", "--out", str(tmp_path))
    learned, compared = (float(found) for found in re.findall(r"(?:learned|acceleration) +([\d.]+) cm", said))
    assert learned < 0.5 * compared
    apart = [float(found) for found in re.findall(r"s: +([\d.]+) cm", said)]
    assert len(apart) == 10 and apart[0] < 10.0


def test_localize() -> None:
    before, after = run("localize").split("It is carried away.\n")
    errors = [re.findall(r"s +([\d.]+) m and +([\d.]+)° off", part) for part in (before, after)]
    assert all(float(part[-1][0]) < 0.3 and float(part[-1][1]) < 5.0 for part in errors)
    assert float(errors[1][0][0]) > 1.0


def test_think_timeline(tmp_path: Path) -> None:
    said = run("think_timeline", "--out", str(tmp_path))
    rows = [tuple(map(int, row)) for row in re.findall(r"^ +(\d+) +(\d+) +(\d+)$", said, re.MULTILINE)]
    assert rows == [(look, look + 35, look + 45) for look in (0, 40, 80, 120)]
    assert (tmp_path / "think_time.png").read_bytes().startswith(b"\x89PNG")


def test_latency_map(tmp_path: Path) -> None:
    said = run("latency_map", "--coarse", "--on", "local=2", "--out", str(tmp_path))
    assert "In 100.0% of the cells" in said
    assert (tmp_path / "latency_map.png").read_bytes().startswith(b"\x89PNG")


def test_simulation_speed(tmp_path: Path) -> None:
    said = run("simulation_speed", "--rounds", "2", "--frames", "520", "--rate", "0", "--out", str(tmp_path))
    rows = re.findall(r"^ +(?:5|10|20|50|200)((?: +[\d.]+ \( *[\d.]+\)){6})$", said, re.MULTILINE)
    assert len(rows) == 5
    assert (tmp_path / "simulation_speed.png").read_bytes().startswith(b"\x89PNG")


def test_velocity_ramp(tmp_path: Path) -> None:
    said = run("velocity_ramp", "--out", str(tmp_path))
    rows = re.findall(r"I (\d+), D \S+ +([\d.]+) m/s +([\d.]+|inf)", said)
    assert len(rows) == 5
    for integral, lag, theory in ((float(part) for part in row) for row in rows):
        assert lag > 0.3 if not integral else lag == pytest.approx(theory, rel=0.05)
    assert (tmp_path / "velocity_ramp.png").read_bytes().startswith(b"\x89PNG")


def test_mark_ball(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the same process, without a server: the frame that it draws is where the ball is."""
    monkeypatch.syspath_prepend(EXAMPLES)
    example = importlib.import_module("mark_ball")
    with Simulation(shipped("worlds/legged_4x3.xml")) as simulation:
        aibo = simulation.spawn("aibo", position=(0.15, -1.1, 0.0))
        robot, heard = LocalRobot(simulation, aibo), Heard()
        simulation.observers.append(heard)
        while len(heard.entries) < 10:  # it has come to rest by then
            if (frame := robot.next_frame()) is not None:
                example.look(robot, frame)
        camera = next(body for body in aibo.description.bodies if any(one.name == "Camera" for one in body.sensors))
        optics: Any = next(one for one in camera.sensors if one.name == "Camera")
        body = aibo.bodies[camera.name]
        eye = Pose(body.position, body.rotation) @ Pose(
            optics.pose.position - camera.mass_properties().center, optics.pose.rotation
        )
        ball = simulation.objects["Ball"].position
        column, row = project(optics.camera(), [eye.rotation.T @ (ball - eye.position)])[0][:2]
    _, entry = heard.entries[-1]
    (middle,) = entry.value["points"]
    assert entry.space == "Camera" and middle == pytest.approx((column, row), abs=2.0)
    assert example.marks(None) == {} == example.marks(example.ball_in(np.zeros((9, 9, 4), np.uint8)))


def test_two_robots() -> None:
    said = run("two_robots")
    assert said.count(" stands;") == 4
    assert max(map(float, re.findall(r"never more than ([\d.]+)°", said))) < 0.5
    assert "The digests of all 6000 frames are the same" in said


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module("latency_study")


@pytest.fixture
def ideal() -> tuple[RobotDescription, Materials]:
    """The Segway as the linear model sees it: strong motors, a fine sensor, tyres that roll freely and never slip."""
    materials = default_materials()
    pairs = {pair: replace(surface, rolling=0.0, mu=50.0) for pair, surface in materials.pairs.items()}
    text = shipped("robots/segway.xml").read_text(encoding="utf-8")
    for was, becomes in (("<Resolution>0.128", "<Resolution>0"), ("<FMax>50", "<FMax>5000")):
        assert was in text
        text = text.replace(was, becomes)
    return read_robot(text, materials=materials), replace(materials, pairs=pairs)


@pytest.mark.parametrize("latency", [62, 63, 65, 67, 69])
def test_an_ideal_segway_swings_as_the_eigenvalues_say(
    study: Any, ideal: tuple[RobotDescription, Materials], latency: int
) -> None:
    robot, materials = ideal
    growth, _ = study.Model.of(robot).oscillation(latency / 1000)
    assert study.let_go(robot, latency, materials).growth() == pytest.approx(growth, abs=0.05)


def test_what_the_controller_says_of_its_gains(study: Any) -> None:
    model = study.Model.of(load_robot(shipped("robots/segway.xml"), materials=default_materials()))
    said = re.search(r"KP has to be above\s+(\d+) / s\^2", balancer.__doc__ or "")
    assert said is not None and float(said[1]) == round(model.a / model.b)


def test_quadruped() -> None:
    said = run("quadruped")
    (height, tilt) = map(float, re.findall(r"It stood, ([\d.]+) m high, 10 ms late; .* by ([\d.]+)°", said)[0])
    assert height == pytest.approx(0.3, abs=0.03) and tilt < 5
    assert "default: the one beside this program" in " ".join(run("quadruped", "--help").split())
