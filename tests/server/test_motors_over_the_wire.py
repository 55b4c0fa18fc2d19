"""Motors over the wire: commands by name and number, the client's latency, the truth behind it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.motor_robots import WHEEL_INERTIA, flywheel
from ubersim.client import connect
from ubersim.errors import RefusedError
from ubersim.simulation import Simulation

MOTOR = """<DCMotor name="M"><Joint>H</Joint><NominalVoltage>24</NominalVoltage><Resistance>1.5</Resistance>
  <TorqueConstant>0.03</TorqueConstant><Gear>10</Gear></DCMotor>"""
Serve = Callable[..., Any]


def test_a_command_arrives_after_the_clients_latency(serve: Serve) -> None:
    rates: dict[int, float] = {}

    def watch(server: Any) -> None:
        rates[server.simulation.frame] = server.simulation.robots["R"].joints["H"].rate()

    serving = serve(200, Simulation(), clients=1, watch=watch)
    with connect(flywheel(MOTOR), port=serving.port, latency=20) as robot:
        about = {"type": "DCMotor", "properties": {"Voltage": 36}, "units": {"Voltage": "V"}}
        assert robot.settings["motors"]["M"] == about
        for frame in robot:
            if frame.time == 0.0:
                robot.set("M", "Voltage", 12.0)
    serving.result()
    final, constant = 12 / (0.03 * 10), WHEEL_INERTIA * 1.5 / (0.03 * 10) ** 2
    assert rates[20] == 0.0  # the command is executed in frame 20: it shows in the next
    for number in (21, 60, 150):
        assert rates[number] == pytest.approx(final * (1 - (1 + 0.001 / constant) ** -(number - 20)), rel=1e-6)


@pytest.mark.parametrize(("property", "value", "reason"), [(36, 1e9, "Voltage of 'M' cannot be 1e"), (32, 1.0, "32")])
def test_what_a_motor_does_not_take_ends_the_session(serve: Serve, property: int, value: float, reason: str) -> None:
    serving = serve(clients=1)
    with connect(flywheel(MOTOR), port=serving.port) as robot, pytest.raises(RefusedError, match=reason):
        for _ in robot:
            robot.set("M", property, value)


def test_a_document_of_several_files_is_sent_as_one(serve: Serve, tmp_path: Path) -> None:
    """The client expands it; the server has no such folder."""
    whole = flywheel(MOTOR)
    start, end = whole.index("<Motors>"), whole.index("</Motors>") + len("</Motors>")
    (tmp_path / "drive.xml").write_text(f"<Part>{whole[start:end].replace('24', '{volts}')}</Part>")
    include = "<Parts><Include><File>drive.xml</File><With>volts=24</With></Include></Parts>"
    (tmp_path / "robot.xml").write_text(whole[:start] + include + whole[end:])
    serving = serve(frames=10, clients=1)
    with connect(tmp_path / "robot.xml", port=serving.port) as robot:
        assert "M" in robot.settings["motors"]
        assert sum(1 for _ in robot) == 10
