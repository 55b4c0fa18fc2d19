"""The native lane does what the Python one does: same bytes, same digests, same errors, same frames of leaving."""

from __future__ import annotations

import random
import re
import struct
from typing import Any

import pytest

from tests.helpers.documents import vector
from tests.helpers.lane_outcomes import FRAMES, Outcome, assert_same, played, states_after
from tests.helpers.lane_scripts import APART, STEP, Script, random_script, run_all, walker
from tests.helpers.serving import Serving
from ubersim.description import shipped
from ubersim.errors import UberSimError
from ubersim.physics.frame_lane import LaneReason
from ubersim.protocol import Ack, Command
from ubersim.protocol.document_settings import with_settings
from ubersim.protocol.messages import encode
from ubersim.protocol.properties import MOTOR_PROPERTIES
from ubersim.server.lane_client import LaneClient
from ubersim.server.native_lane import Lane
from ubersim.simulation import Simulation


def outcome(seed: int, lane: Lane, *, sparse: bool = False) -> Outcome:
    chance = random.Random(seed)
    lookahead = chance.random() < 0.8
    count = chance.choice((1, 1, 2, 3))
    strict, apart = not lookahead, chance.choice(APART)
    scripts = [random_script(chance, n, FRAMES, strict=strict, sparse=sparse, apart=apart) for n in range(count)]
    return played(scripts, lane, lookahead=lookahead)


@pytest.mark.parametrize("block", range(8))
def test_random_scripts_have_the_same_outcome_on_both_lanes(block: int) -> None:
    for seed in range(5 * block, 5 * block + 5):
        assert_same(outcome(seed, "python"), outcome(seed, "native"))


@pytest.mark.parametrize("block", range(4))
def test_clients_that_are_not_sent_every_frame_have_the_same_outcome_on_both_lanes(block: int) -> None:
    for seed in range(200 + 5 * block, 205 + 5 * block):
        assert_same(outcome(seed, "python", sparse=True), outcome(seed, "native", sparse=True))


def test_a_lane_has_one_of_three_names() -> None:
    with pytest.raises(UberSimError, match="python, native or auto"):
        Serving(Simulation(), 1, lane="quick")


PLAIN = """<InclinometerSensor name="Tilt"><Position><x>0</x><y>0</y><z>0</z></Position></InclinometerSensor>"""


def balanced(latency: float, frames: int) -> Script:
    """A plain client: a command and an ack per frame."""
    script = Script("Plain", walker("Plain", f"<Latency>{latency}</Latency>", 0.0, PLAIN))
    for frame in range(frames):
        script.pieces[frame] = [encode(Command("Drive", 2, 0.01 * frame)) + encode(Ack(frame * STEP))]
    return script


@pytest.mark.parametrize("latency", [0, 20])
def test_plain_frames_are_the_lanes(latency: float) -> None:
    serving = Serving(Simulation(), 200, clients=1)
    (thread,) = run_all([balanced(latency, 200)], serving.port)
    serving.result()
    thread.join(60)
    assert serving.server.lane.frames > 190


def test_python_takes_frames_that_something_watches() -> None:
    seen: list[int] = []
    serving = Serving(Simulation(), 20, clients=1, watch=lambda server: seen.append(server.simulation.frame))
    (thread,) = run_all([balanced(0, 20)], serving.port)
    serving.result()
    thread.join(60)
    assert seen == list(range(20)) and serving.server.lane.frames == 0


def state_after(seed: int, lane: Lane, frames: int = 20) -> dict[str, Any]:
    """Everything that a snapshot keeps of robots whose clients are strict, when so many frames are over."""
    chance = random.Random(seed)
    apart = chance.choice(APART)
    scripts = [random_script(chance, index, FRAMES, strict=True, apart=apart) for index in range(2)]
    for script in scripts:
        script.document = re.sub(r"(</Spawn>)<Latency.*?</Latency>(</CSettings>)", r"\1\2", script.document)
        script.closes_after = None
        for frame, pieces in script.pieces.items():
            if b"Client\0" in b"".join(pieces):  # with a latency, the server may have read more or less
                script.pieces[frame] = [encode(Ack(frame * STEP))]
    return states_after(scripts, lane, frames)


@pytest.mark.parametrize("seed", range(6))
def test_a_snapshot_is_the_same_whoever_took_the_frames_before(seed: int) -> None:
    assert state_after(seed, "native") == state_after(seed, "python")


@pytest.mark.parametrize("seed", range(100, 104))
def test_resting_and_trying_again_changes_nothing(seed: int) -> None:
    assert_same(outcome(seed, "python"), outcome(seed, "auto"))


def on_omni_wheels(frames: int) -> Script:
    """The Middle-size robot without motors, camera and oracle: its wheels are commanded, and what they did is told."""
    text = shipped("robots/msl_omni.xml").read_text()
    text = re.sub(r"<(Motors|\w*CameraSensor|OracleSensor)\b.*?</\1>", "", text, flags=re.DOTALL)
    text = text.replace("<Frequency>50</Frequency>", "<Noise>0.001</Noise>")
    script = Script("Robot", with_settings(text, name="Robot", latency=5.0))
    for frame in range(frames):
        turns = ((wheel, 10.0 + 0.1 * frame * place) for place, wheel in enumerate(("Right", "Left", "Rear")))
        commands = b"".join(encode(Command(wheel, 2, rate)) for wheel, rate in turns)
        script.pieces[frame] = [commands + encode(Ack(frame * STEP))]
    return script


def test_omni_wheels_are_counted_alike_on_both_lanes() -> None:
    by_python, by_kernel = (played([on_omni_wheels(60)], lane, frames=60) for lane in ("python", "native"))
    told = [found for found in by_kernel.frames[0] if found.startswith(b"Odometry\0")]
    assert len(told) == 60 and len(set(told)) == 60
    assert_same(by_python, by_kernel)


PUSHED = f"""<BumperSensor name="Bumper">{vector("Position", 0, 0, 0.05)}</BumperSensor>
  <ContactSensor name="Skin">{vector("Position", 0, 0, 0)}<Noise>0.1</Noise></ContactSensor>
  <OdometrySensor name="Way">{vector("Position", 0, 0, 0)}<Velocities>true</Velocities></OdometrySensor>
  <WhiskerSensor name="Whisker">{vector("Position", 0, 0, 0)}<Range>2</Range></WhiskerSensor>"""


def pushed(frames: int, sensors: str) -> list[Script]:
    """Two robots that stand on the ground and push each other aside, with what feels that."""
    scripts = [Script(f"R{n}", walker(f"R{n}", "", 0.295 * n, sensors, height=0.1)) for n in range(2)]
    for script in scripts:
        script.pieces = {n: [encode(Command("Drive", 2, 3.0)) + encode(Ack(n * STEP))] for n in range(frames)}
    return scripts


def test_touch_is_felt_alike_on_both_lanes() -> None:
    by_python, by_kernel = (played(pushed(60, PUSHED), lane, frames=60) for lane in ("python", "native"))
    assert_same(by_python, by_kernel)
    told = by_kernel.frames[0]
    assert {found[-1] for found in told if found.startswith(b"Bumper\0")} == {0, 1}
    felt = [struct.unpack("<5f", found[-20:]) for found in told if found.startswith(b"Skin\0")]
    assert {partner for *_, partner in felt} > {0.0, 1.0}  # the ground, and the other one
    way = [struct.unpack("<6f", found[-24:]) for found in told if found.startswith(b"Way\0")]
    assert way[-1][0] < -0.001 and len(set(way)) > 50


def test_touch_is_the_lanes() -> None:
    serving = Serving(Simulation(), 200, clients=2, lane="native")
    threads = run_all(pushed(200, PUSHED), serving.port)
    serving.result()
    for thread in threads:
        thread.join(60)
    lane = serving.server.lane
    assert lane.frames > 190
    assert lane.returns[LaneReason.SENSING] <= 4  # whoever is new to a skin, it asks for once
    assert lane.returns.total() < 10


DRIVEN = '<DCMotor name="Servo"><Joint>Lift</Joint><NominalVoltage>12</NominalVoltage>'
DRIVEN += "<Resistance>1</Resistance><TorqueConstant>0.1</TorqueConstant></DCMotor>"
COUNTING = f"""<OdometrySensor name="Way">{vector("Position", 0, 0, 0)}<LeftWheel>Drive</LeftWheel>
  <RightWheel>Lift</RightWheel><WheelRadius>0.1</WheelRadius><Track>0.3</Track></OdometrySensor>"""


def test_odometry_and_motors_for_direct_current_are_the_lanes() -> None:
    script = Script("Plain", walker("Plain", "", 0.0, COUNTING, DRIVEN))
    for frame in range(200):
        voltage = Command("Servo", MOTOR_PROPERTIES["Voltage"], 0.1 * frame)
        script.pieces[frame] = [encode(voltage) + encode(Ack(frame * STEP))]
    serving = Serving(Simulation(), 200, clients=1)
    (thread,) = run_all([script], serving.port)
    serving.result()
    thread.join(60)
    assert serving.server.lane.frames > 190


EYE = f"""<CameraSensor name="Eye">{vector("Position", 0, 0, 0.1)}<Fov>60</Fov><Width>16</Width><Height>12</Height>
  <Frequency>50</Frequency><Latency>7</Latency></CameraSensor>"""


def test_nothing_is_lent_for_a_frame_in_which_a_camera_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """To hand everything over and back takes as long as many frames."""
    lent: list[int] = []
    lend = LaneClient.lend

    def counted(client: LaneClient, frame: int) -> int | None:
        lent.append(frame)
        return lend(client, frame)

    monkeypatch.setattr(LaneClient, "lend", counted)
    script = Script("Plain", walker("Plain", "", 0.0, PLAIN + EYE))
    for frame in range(200):
        script.pieces[frame] = [encode(Ack(frame * STEP))]
    serving = Serving(Simulation(render_workers=1), 200, clients=1, lane="native")
    (thread,) = run_all([script], serving.port)
    serving.result()
    thread.join(60)
    lane = serving.server.lane
    assert 170 < lane.frames < 190  # all but ten that take a picture, and ten that send one
    assert len(lent) == lane.returns.total() and not any(frame % 20 == 0 for frame in lent[1:])
