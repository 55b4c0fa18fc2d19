"""`ubersim info` says what supervisors did, and what programs declared and logged."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from tests.helpers.robots import cart
from ubersim.cli.app import app
from ubersim.recording import Recorder
from ubersim.recording.event import RecordedEvent
from ubersim.simulation import Simulation
from ubersim.simulation.local_robot import LocalRobot
from ubersim.supervision.commands.set_parameter import SetParameter
from ubersim.supervision.context import CommandContext
from ubersim.supervision.interventions import execute


def test_what_programs_declared_and_logged(tmp_path: Path) -> None:
    simulation = Simulation()
    with Recorder(simulation, tmp_path / "a.mcap"):
        robot = LocalRobot(simulation, simulation.spawn(cart()))
        robot.parameter("gain", 3.0, low=0)
        robot.parameter("mode", "a", choices=("a", "b"))
        robot.parameter("debug", False)
        for _ in range(3):
            robot.next_frame()
            robot.log("state", "well")
            robot.log("tilt", 0.5)
        execute(SetParameter(robot="Cart", name="gain", value=5.5), CommandContext(simulation, {}))
        simulation.step(10)
    text = CliRunner().invoke(app, ["info", str(tmp_path / "a.mcap")]).output
    for part in (
        "intervened SetParameter: robot Cart, name gain, value 5.5\n",
        "  Cart gain: 3.0, a number from 0 to inf\n",
        "  Cart mode: a, a choice of a, b\n",
        "  Cart debug: False, a bool\n",
        "  /Cart/log/state (3, text)\n",
        "  /Cart/log/tilt (3, number)\n",
    ):
        assert part in text


def test_long_arguments_are_cut_and_obey_nothing() -> None:
    event = RecordedEvent(
        3,
        "intervened",
        arguments={"xml": "\x1b" + 199 * "x", "at": [1.0, 2.0], "name": None, "text": ""},
        label="Spawn",
    )
    assert event.described == rf'intervened Spawn: xml \x1b{99 * "x"}..., at [1.0, 2.0], text ""'
    assert RecordedEvent(3, "reset").described == "reset"
