"""Drives on the native lane: kinematic ones, twists of wheels, cars and kickers do what Python does, to the bit."""

from __future__ import annotations

import random
import re
import struct
from typing import Any

import pytest

from tests.helpers.documents import vector
from tests.helpers.lane_outcomes import FRAMES, assert_same, played, states_after
from tests.helpers.lane_scripts import STEP, Script, run_all, walker
from tests.helpers.serving import Serving
from ubersim.description import read_robot, shipped
from ubersim.protocol import Ack, Actuation, Command
from ubersim.protocol.document_settings import with_settings
from ubersim.protocol.messages import encode
from ubersim.protocol.properties import MOTOR_PROPERTIES
from ubersim.server.native_lane import Lane
from ubersim.simulation import Simulation

ON_WHEELS = ("car", "msl_omni", "pioneer", "scout", "ssl")
RAMPS = "<Acceleration>40</Acceleration><TurnAcceleration>90</TurnAcceleration>"
SIZES = "<WheelRadius>0.05</WheelRadius><WheelDistance>0.4</WheelDistance>"
TOLD = {
    "differential": f'<DifferentialDrive name="Drive">{SIZES}%s</DifferentialDrive>',
    "holonomic": '<HolonomicDrive name="Drive">%s</HolonomicDrive>',
    "spatial": '<SpatialDrive name="Drive">%s</SpatialDrive>',
}
FASTEST = 3.0
"""Of what is commanded at random, in whatever unit."""


def on_wheels(name: str) -> str:
    """A robot that comes along, without what only Python knows."""
    text = shipped(f"robots/{name}.xml").read_text()
    return re.sub(r"<(CameraSensor|LegendSensor)\b.*?</\1>", "", text, flags=re.DOTALL)


def told(kind: str, parts: str) -> str:
    """Two boxes that move as one piece, as they are told."""
    size = "<XSize>0.2</XSize><YSize>0.2</YSize><ZSize>0.2</ZSize><Material>Metal</Material>"
    way = f'<OdometrySensor name="Way">{vector("Position", 0, 0, 0)}<Velocities>true</Velocities></OdometrySensor>'
    bodies = ""
    for name, y, z, sensors in (("Base", 0.0, 0.0, way), ("Tower", 0.1, 0.25, "")):
        box = f'<Box name="{name}_box"><Mass>5</Mass>{size}{vector("Position", 0, y, z)}</Box>'
        bodies += f'<Body name="{name}">{box}{sensors}</Body>'
    return f"""<Client><CSettings><Name>Cart</Name></CSettings><Entity><RigidBodies>{bodies}</RigidBodies>
      <Motion>{TOLD[kind] % parts}</Motion></Entity></Client>"""


def random_driver(chance: random.Random, document: str, index: int, frames: int, latency: float) -> Script:
    """A client that sets properties of its drive, its kicker and its motors at random."""
    name = f"R{index}"
    settled = with_settings(document, name=name, latency=latency)
    placed = f"<Spawn>{vector('Position', 0.32 * index, 0, 0.1 if 'Cart' in document else 0)}</Spawn>"
    described = read_robot(settled)
    actuators = [*described.motors, *described.entity.motion]
    choices = [(each.name, number, each.limits[number]) for each in actuators for number in each.limits]
    script = Script(name, settled.replace("</CSettings>", f"{placed}</CSettings>"))
    for frame in range(frames):
        commands = b""
        for component, number, (low, high) in chance.choices(choices, k=chance.choice((0, 1, 1, 3))):
            value = chance.choice((0.0, chance.uniform(-FASTEST, FASTEST), 1.0))
            commands += encode(Command(component, number, max(low + 1e-3, min(high, value))))
        script.pieces[frame] = [commands + encode(Ack(frame * STEP))]
    return script


def drivers(seed: int, document: str, frames: int = FRAMES, latency: float = 3.0) -> list[Script]:
    """Two of a kind, so near each other that they meet."""
    chance = random.Random(seed)
    return [random_driver(chance, document, index, frames, latency) for index in range(2)]


@pytest.mark.parametrize("name", ON_WHEELS)
def test_drives_on_wheels_have_the_same_outcome_on_both_lanes(name: str) -> None:
    scripts = drivers(len(name), on_wheels(name))
    assert_same(played(scripts, "python"), played(scripts, "native"))


@pytest.mark.parametrize("parts", ["", RAMPS, "<Latency>2</Latency>"])
@pytest.mark.parametrize("kind", TOLD)
def test_what_moves_as_it_is_told_has_the_same_outcome_on_both_lanes(kind: str, parts: str) -> None:
    for seed in range(3):
        scripts = drivers(seed, told(kind, parts))
        assert_same(played(scripts, "python"), played(scripts, "native"))


def state_after(document: str, lane: Lane, frames: int = 30) -> dict[str, Any]:
    """Everything that a snapshot keeps of robots whose clients are strict, when so many frames are over."""
    return states_after(drivers(7, document, latency=0.0), lane, frames)


@pytest.mark.parametrize(
    "document", [*map(on_wheels, ("car", "ssl")), *(told(kind, RAMPS) for kind in TOLD)], ids=["car", "ssl", *TOLD]
)
def test_a_snapshot_of_a_drive_is_the_same_whoever_took_the_frames_before(document: str) -> None:
    by_kernel, by_python = state_after(document, "native"), state_after(document, "python")
    assert by_kernel == by_python
    assert repr(by_kernel) == repr(by_python)  # a switch stays a switch, a number of frames a whole number


def head_on(kind: str, frames: int) -> list[Script]:
    """Two that go for each other, until they are in each other's way."""
    scripts = [random_driver(random.Random(0), told(kind, ""), index, frames, 0.0) for index in range(2)]
    for script, speed in zip(scripts, (2.0, -2.0), strict=True):
        number = read_robot(script.document).entity.motion[0].properties()["SpeedX"]
        script.pieces = {n: [encode(Command("Drive", number, speed)) + encode(Ack(n * STEP))] for n in range(frames)}
    return scripts


@pytest.mark.parametrize("kind", ["holonomic", "spatial"])
def test_both_lanes_stop_at_what_does_not_give_way(kind: str) -> None:
    by_python, by_kernel = (played(head_on(kind, FRAMES), lane) for lane in ("python", "native"))
    assert_same(by_python, by_kernel)
    ways = [struct.unpack("<6f", found[-24:]) for found in by_kernel.frames[0] if found.startswith(b"Way\0")]
    assert ways[10][3] == pytest.approx(2.0) and ways[-1][3] == pytest.approx(0.0, abs=0.1)


def test_one_that_would_be_too_fast_leaves_in_the_same_frame_for_the_same_reason() -> None:
    scripts = drivers(1, told("holonomic", vector("Center", 90, 0, 0)))
    number = read_robot(scripts[0].document).entity.motion[0].properties()["TurnRate"]
    scripts[0].pieces = {n: [encode(Ack(n * STEP))] for n in range(FRAMES)}
    scripts[0].pieces[9] = [encode(Command("Drive", number, 9e3)) + encode(Ack(9 * STEP))]
    by_python, by_kernel = played(scripts, "python"), played(scripts, "native")
    assert_same(by_python, by_kernel)
    assert any("velocity" in error for error in by_kernel.errors[0])


@pytest.mark.parametrize("document", [*map(on_wheels, ON_WHEELS), *(told(kind, RAMPS) for kind in TOLD)])
def test_drives_are_the_lanes(document: str) -> None:
    serving = Serving(Simulation(), 100, clients=2)
    threads = run_all(drivers(3, document, 100, 20.0), serving.port)
    serving.result()
    for thread in threads:
        thread.join(60)
    assert serving.server.lane.frames > 90


def on_trajectory(latency: str) -> Script:
    """A wheel that keeps its speed, an arm that goes along a trajectory meanwhile, and is told a place after that."""
    speed = '<VelocityMotor name="Speed"><Joint>Drive</Joint><TorqueLimit>5</TorqueLimit></VelocityMotor>'
    place = f"""<PositionServo name="Place"><Joint>Lift</Joint><Kp>40</Kp><Kd>2</Kd><TorqueLimit>20</TorqueLimit>
      {latency}</PositionServo>"""
    script = Script("R", walker("R", "", 0.0, "", speed + place, height=0.1))
    speed_of, place_of = MOTOR_PROPERTIES["Speed"], MOTOR_PROPERTIES["Target"]
    waypoints = struct.pack("<6f", 0.008, 0.2, 0.0, 0.016, 0.3, 0.0)
    events: dict[int, Command | Actuation] = {
        3: Command("Speed", speed_of, 2.0),
        10: Actuation("Place", waypoints),
        32: Command("Place", place_of, 0.1),
    }
    for frame, event in events.items():
        script.pieces[frame] = [encode(event) + encode(Ack(frame * STEP))]
    return script


@pytest.mark.parametrize("latency", ["", "<Latency>2</Latency>"])
def test_python_takes_the_frames_of_a_trajectory_and_gives_the_others_back(latency: str) -> None:
    by_python, by_kernel = (played([on_trajectory(latency)], lane) for lane in ("python", "native"))
    assert_same(by_python, by_kernel)
    serving = Serving(Simulation(), 60, clients=1, lane="native")
    threads = run_all([on_trajectory(latency)], serving.port)
    serving.result()
    for thread in threads:
        thread.join(60)
    assert 25 < serving.server.lane.frames < 45  # 16 or so are those of the trajectory
