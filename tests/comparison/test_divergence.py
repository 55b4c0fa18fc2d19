"""Two runs that differ by one known fault: the comparison names the cause, where it is, and when it was."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.command_line import ubersim
from tests.helpers.documents import vector
from tests.helpers.recording_robots import WORLD
from tests.helpers.seeded_faults import (
    CONSTANT,
    FAULT,
    LOSSY,
    UNIFORM,
    Scenario,
    go_back,
    intervene,
    nudge,
    pull,
    quiet,
)
from ubersim.comparison import Divergence, compare, growth
from ubersim.comparison.diagnosis import Diagnosis
from ubersim.comparison.frames import frames_of
from ubersim.comparison.premises import Premises
from ubersim.description import default_materials
from ubersim.protocol.properties import SENSOR_PROPERTIES
from ubersim.recording import Log, Recorder
from ubersim.recording.event import RecordedEvent
from ubersim.simulation import Simulation

NOISY = quiet().replace("<Frequency>200", "<Noise>0.5</Noise><Frequency>200")
LATE_SENSOR = quiet().replace("<Latency>3</Latency>", UNIFORM)
FRICTION = default_materials().source_text.replace("Rubber + Ground: {mu: 0.9", "Rubber + Ground: {mu: 0.8")
PLAIN = Scenario(document=quiet())
EAR = f'<SonarSensor name="Ear">{vector("Position", 0, 0.3, 0.4)}<Range>9</Range></SonarSensor>'
HEARING = quiet().replace("</InclinometerSensor>", "</InclinometerSensor>" + EAR)
GAINS = "<Kp>5</Kp><TorqueLimit>2</TorqueLimit>"
SERVO = f'<Motors><PositionServo name="Servo"><Joint>RMotor</Joint>{GAINS}</PositionServo></Motors></Entity>'
EXECUTED = FAULT + 5
"""When a command of that frame is executed."""


def room(y: float) -> str:
    """The world with a wall so far away."""
    size = "<XSize>4</XSize><YSize>0.1</YSize><ZSize>4</ZSize><Material>Wood</Material>"
    return WORLD.replace(
        "<Objects>", f'<Static><Box name="Wall">{size}{vector("Position", 0, y, 2)}</Box></Static><Objects>'
    )


def shake(simulation: Simulation) -> None:
    """A sensor gets noisy behind everything's back."""
    simulation.robots["Car"].components["Tilt"].set(SENSOR_PROPERTIES["Noise"], 0.5, simulation.frame)


def swing(angle: float) -> Callable[[Simulation], object]:
    """A trajectory to there."""
    return lambda simulation: simulation.robots["Car"].send("Servo", struct.pack("<3f", 0.5, angle, 0.0))


FAULTS = {
    "another value": (
        PLAIN,
        {"command": lambda frame, speed: speed + (frame == FAULT)},
        ("command", EXECUTED, "Car", "LMotor"),
    ),
    "a value that differs by a bit": (
        PLAIN,
        {"command": lambda frame, speed: float(np.nextafter(speed, 9)) if frame == FAULT else speed},
        ("command", EXECUTED, "Car", "LMotor"),
    ),
    "a command that was not sent": (
        PLAIN,
        {"command": lambda frame, speed: None if frame == FAULT else speed},
        ("command", EXECUTED, "Car", "LMotor"),
    ),
    "a program that thinks longer once": (PLAIN, {"late": FAULT}, ("command", EXECUTED, "Car", "LMotor")),
    "another law from then on": (
        PLAIN,
        {"command": lambda frame, speed: speed * (1.01 if frame >= FAULT else 1)},
        ("command", EXECUTED, "Car", "LMotor"),
    ),
    "noise by another seed": (replace(PLAIN, document=NOISY), {"seed": 4}, ("random draw", 3, "Car", "Tilt")),
    "the latency of commands by another seed": (
        replace(PLAIN, document=quiet(UNIFORM), closed=False),
        {"seed": 4},
        ("random draw", None, "Car", "LMotor"),
    ),
    "loss by another seed": (
        replace(PLAIN, document=quiet(LOSSY)),
        {"seed": 4},
        ("random draw", None, "Car", None),
    ),
    "the latency of a sensor by another seed": (
        replace(PLAIN, document=LATE_SENSOR),
        {"seed": 4},
        ("random draw", None, "Car", "Tilt"),
    ),
    "a push": (
        PLAIN,
        {"at_fault": lambda simulation: simulation.push("Car/Chassis", (0.0, 0.0, 1e-6), 0.1)},
        ("intervention", FAULT, "Car", "Chassis"),
    ),
    "a stronger push": (
        replace(PLAIN, at_fault=lambda simulation: simulation.push("Car/Chassis", (0.0, 1.0, 0.0), 0.1)),
        {"at_fault": lambda simulation: simulation.push("Car/Chassis", (0.0, 1.1, 0.0), 0.1)},
        ("intervention", FAULT, "Car", "Chassis"),
    ),
    "a teleport": (
        PLAIN,
        {"at_fault": intervene("Teleport", thing="Ball", position=[0.0, 1.0, 0.3])},
        ("intervention", FAULT, "Ball", ""),
    ),
    "a property that a supervisor set": (
        PLAIN,
        {"at_fault": intervene("Set", robot="Car", component="LMotor", property="FMax", value=1.0)},
        ("intervention", FAULT, "Car", None),
    ),
    "a latency that a supervisor changed": (
        PLAIN,
        {"at_fault": intervene("Latency", robot="Car", milliseconds=6.0)},
        ("intervention", FAULT, "Car", ""),
    ),
    "a restore": (PLAIN, {"at_fault": go_back}, ("intervention", FAULT, "", "")),
    "objects put back": (
        PLAIN,
        {"at_fault": lambda simulation: simulation.reset_objects()},
        ("intervention", FAULT, "", ""),
    ),
    "a robot that joins": (
        PLAIN,
        {"at_fault": lambda simulation: simulation.spawn(quiet(), name="Two", position=(5.0, 0.0, 0.01))},
        ("robots", FAULT, "Two", ""),
    ),
    "a robot that leaves": (
        PLAIN,
        {"at_fault": lambda simulation: simulation.remove("Car")},
        ("robots", FAULT, "Car", ""),
    ),
    "a robot that begins elsewhere": (PLAIN, {"position": (0.0, 1e-6, 0.01)}, ("robots", 0, "Car", "")),
    "a mass": (
        PLAIN,
        {"document": quiet().replace("<Mass>1</Mass>", "<Mass>1.001</Mass>", 1)},
        ("document", None, "Car", "Chassis"),
    ),
    "the noise in a document": (PLAIN, {"document": NOISY}, ("document", 3, "Car", "Tilt")),
    "a wall that is only heard": (
        Scenario(document=HEARING, world=room(2.0)),
        {"world": room(2.1)},
        ("world", None, "Car", "Ear"),
    ),
    "noise that nobody asked for": (PLAIN, {"at_fault": shake}, ("reading", None, "Car", "Tilt")),
    "another trajectory": (
        Scenario(document=quiet().replace("</Entity>", SERVO), at_fault=swing(1.0)),
        {"at_fault": swing(1.1)},
        ("command", EXECUTED, "Car", "Servo"),
    ),
    "the latency in a document": (
        PLAIN,
        {"document": quiet(CONSTANT.replace("5", "6"))},
        ("document", 5, "Car", "LMotor"),
    ),
    "the world": (PLAIN, {"world": WORLD.replace("<Mass>0.4", "<Mass>0.5")}, ("world", None, "", "Ball")),
    "the materials": (PLAIN, {"materials": FRICTION}, ("world", None, None, None)),
    "a body moved behind everything's back": (PLAIN, {"at_fault": nudge}, ("physics", FAULT + 1, "Car", None)),
    "a force that no log knows of": (PLAIN, {"at_fault": pull}, ("physics", FAULT + 1, "", "Ball")),
    "the step": (PLAIN, {"step": 0.002}, ("step", 0, "", "")),
    "the end": (PLAIN, {"frames": 700}, ("length", 700, "", "")),
}  # fmt: skip


def compared(tmp_path: Path, one: Scenario, other: Scenario) -> Divergence | None:
    one.record(tmp_path / "a.mcap")
    other.record(tmp_path / "b.mcap")
    with Log(tmp_path / "a.mcap") as a, Log(tmp_path / "b.mcap") as b:
        return compare(a, b)


@pytest.mark.parametrize("fault", FAULTS)
def test_the_cause_is_named(fault: str, tmp_path: Path) -> None:
    scenario, change, (cause, frame, robot, part) = FAULTS[fault]
    found = compared(tmp_path, scenario, replace(scenario, **change))  # type: ignore[arg-type]
    assert found is not None
    expected = [cause, *(value for value in (frame, robot, part) if value is not None)]
    told = [found.cause] + [
        seen
        for seen, value in zip((found.frame, found.robot, found.part), (frame, robot, part), strict=True)
        if value is not None
    ]
    assert told == expected, str(found)


def test_the_same_run_twice(tmp_path: Path) -> None:
    assert compared(tmp_path, PLAIN, PLAIN) is None


def test_a_comment_in_a_document_is_no_difference(tmp_path: Path) -> None:
    other = replace(PLAIN, document=PLAIN.document.replace("<Entity>", "<Entity><!-- heavy -->"))
    assert compared(tmp_path, PLAIN, other) is None


def test_another_seed_without_chance_is_no_difference(tmp_path: Path) -> None:
    assert compared(tmp_path, PLAIN, replace(PLAIN, seed=9)) is None


def test_two_interventions_in_the_same_place(tmp_path: Path) -> None:
    push = replace(PLAIN, at_fault=lambda simulation: simulation.push("Car/Chassis", (0.0, 0.0, 1e-6), 0.1))
    move = replace(PLAIN, at_fault=intervene("Teleport", thing="Ball", position=[0.0, 1.0, 0.3]))
    found = compared(tmp_path, push, move)
    assert found is not None and (found.cause, found.frame) == ("intervention", FAULT)
    assert "in the first run, " in found.text and found.text.endswith("Teleport in the second")


def test_a_trajectory_is_called_by_its_component(tmp_path: Path) -> None:
    scenario, change, _ = FAULTS["another trajectory"]
    found = compared(tmp_path, scenario, replace(scenario, **change))  # type: ignore[arg-type]
    assert found is not None and found.text.startswith("Servo.payload = ")


def test_runs_that_begin_in_other_frames(tmp_path: Path) -> None:
    for name, before in (("a", 0), ("b", 7)):
        with Simulation() as simulation:
            simulation.step(before)
            with Recorder(simulation, tmp_path / f"{name}.mcap"):
                simulation.step(5)
    with Log(tmp_path / "a.mcap") as a, Log(tmp_path / "b.mcap") as b:
        found = compare(a, b)
    assert found is not None and (found.cause, found.text) == ("length", "they begin in frames 0 and 7")


def test_a_robot_whose_components_nobody_knows_here_is_judged_by_the_rest(tmp_path: Path) -> None:
    for name, seed in (("a", 3), ("b", 4)):
        replace(PLAIN, document=NOISY, seed=seed, frames=20).record(tmp_path / f"{name}.mcap")
    with Log(tmp_path / "a.mcap") as a, Log(tmp_path / "b.mcap") as b:
        (joined,) = [item for item in a.items() if isinstance(item, RecordedEvent) and item.kind == "joined"]
        strange = replace(joined, document=joined.document.replace("InclinometerSensor", "OtherPackagesSensor"))
        diagnosis = Diagnosis(Premises(a, b), {"Car": strange}, iter(()), iter(()))
        found = diagnosis.finding(*(list(islice(frames_of(log), 4))[3] for log in (a, b)))
    assert found is not None and (found.cause, found.part) == ("random draw", "Tilt")
    assert "noise" in found.text and "the seeds are 3 and 4" in found.text


def gone(path: Path, silent: int, *, speaks: int = -1, leaves: int = 40) -> Log:
    """A run whose program has gone, which the server notices in this frame, and a robot that leaves as its acks say."""
    with Simulation() as simulation, Recorder(simulation, path):
        robot = simulation.spawn(quiet())
        for frame in range(60):
            if frame == silent:
                robot.ignore_sensors()
            if frame == speaks:
                robot.heed_sensors(frame)
            if frame == leaves:
                simulation.remove("Car")
            simulation.step()
    return Log(path)


def test_when_a_server_notices_that_a_program_has_gone_is_no_difference(tmp_path: Path) -> None:
    with gone(tmp_path / "a.mcap", 11) as early, gone(tmp_path / "b.mcap", 31) as late:
        assert compare(early, late) is None
        assert compare(late, early) is None
    with gone(tmp_path / "c.mcap", 11) as early, gone(tmp_path / "d.mcap", 31, leaves=41) as longer:
        found = compare(early, longer)
    assert found is not None and (found.frame, found.text) == (40, "Car left in the first run only")


def test_a_robot_that_speaks_again_was_not_gone(tmp_path: Path) -> None:
    with gone(tmp_path / "a.mcap", -1) as always, gone(tmp_path / "b.mcap", 11, speaks=31) as again:
        found = compare(always, again)
    assert found is not None and (found.cause, found.part) == ("reading", "Tilt") and 11 <= found.frame < 31


def test_a_robot_that_came_or_left_in_one_run_only_comes_before_its_readings(tmp_path: Path) -> None:
    for name, robots in (("a", ["Car", "Two"]), ("b", ["Car"])):
        with Simulation() as simulation, Recorder(simulation, tmp_path / f"{name}.mcap"):
            for place, robot in enumerate(robots):
                simulation.spawn(quiet(), name=robot, position=(5.0 * place, 0.0, 0.01))
            simulation.step(5)
    with Log(tmp_path / "a.mcap") as a, Log(tmp_path / "b.mcap") as b:
        found, turned = compare(a, b), compare(b, a)
    assert found is not None and (found.cause, found.text) == ("robots", "Two joined in the first run only")
    assert turned is not None and (turned.cause, turned.text) == ("robots", "Two joined in the second run only")


def test_growth(tmp_path: Path) -> None:
    Scenario(document=quiet()).record(tmp_path / "a.mcap")
    Scenario(document=quiet(), at_fault=nudge).record(tmp_path / "b.mcap")
    with Log(tmp_path / "a.mcap") as a, Log(tmp_path / "b.mcap") as b:
        apart = growth(a, b)
    wheel = apart.distances["Car", "LWheel"]
    assert (wheel[apart.times <= 0.4] == 0).all()
    assert wheel[np.searchsorted(apart.times, 0.41)] == pytest.approx(1e-9, rel=1.0)
    assert apart.reached()[0][1] == pytest.approx(0.41)


def test_the_command_line(tmp_path: Path) -> None:
    PLAIN.record(tmp_path / "a.mcap")
    replace(PLAIN, at_fault=nudge).record(tmp_path / "b.mcap")
    same = ubersim("diff", tmp_path / "a.mcap", tmp_path / "a.mcap")
    assert (same.returncode, same.stdout) == (0, "frames 0 to 1000: the same to the bit\n")
    picture = tmp_path / "apart.png"
    other = ubersim("diff", tmp_path / "a.mcap", tmp_path / "b.mcap", "--plot", picture)
    assert other.returncode == 1 and other.stderr == ""
    assert other.stdout.startswith("first difference in frame 401 (0.401 s): physics (Car/")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_runs_without_a_body_in_common_are_plotted_without_a_legend(tmp_path: Path) -> None:
    PLAIN.record(tmp_path / "a.mcap")
    with Simulation() as simulation, Recorder(simulation, tmp_path / "b.mcap"):
        simulation.step()
    found = ubersim("diff", tmp_path / "a.mcap", tmp_path / "b.mcap", "--plot", tmp_path / "apart.png")
    assert (found.returncode, found.stderr) == (1, "")
