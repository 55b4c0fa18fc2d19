"""Files of other formats are robots everywhere: in programs, simulations, clients and on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ubersim
from tests.helpers.serving import Serving
from tests.importers.files import arm_urdf, written
from ubersim.cli import importing  # noqa: F401  # registers the verb
from ubersim.cli.app import app


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    return written(tmp_path, arm_urdf(2))


def test_programs_and_simulations_take_them(arm: Path) -> None:
    assert ubersim.load_robot(arm).name == "arm"
    with ubersim.Simulation() as simulation:
        assert list(simulation.spawn(arm).bodies) == ["link0", "link1"]


def test_clients_connect_with_them(arm: Path, serve: Callable[..., Serving]) -> None:
    with ubersim.connect(arm, port=serve(frames=5).port) as robot:
        assert robot.name == "arm"


def test_own_documents_are_what_they_were() -> None:
    assert ubersim.load_robot(ubersim.shipped("robots/segway.xml")).name == "Segway"


def test_the_command_line_writes_a_document_and_tells_the_losses(arm: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.xml"
    result = CliRunner().invoke(app, ["import", str(arm), "-o", str(out), "--motors", "position"])
    assert result.exit_code == 0, result.output
    assert "taken    joint joint1" in result.output and result.output.rstrip().endswith(str(out))
    assert [motor.name for motor in ubersim.load_robot(out).motors] == ["joint0_motor", "joint1_motor"]
    assert CliRunner().invoke(app, ["check", str(arm)]).exit_code == 0
    assert CliRunner().invoke(app, ["import", str(arm), "-o", str(arm)]).exit_code == 1
