"""Solves that fail are told: to who holds the world, to supervisors, in logs, and on the terminal."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.helpers.documents import vector
from ubersim.cli.app import app
from ubersim.client.supervisor import supervise
from ubersim.recording import Log, Recorder, replay
from ubersim.recording.event import RecordedEvent
from ubersim.simulation import Simulation


def box(number: int) -> str:
    place = vector("Position", 0.05 * math.cos(2.4 * number), 0.05 * math.sin(2.4 * number), 0.12 + 0.02 * number)
    size = "<XSize>0.3</XSize><YSize>0.25</YSize><ZSize>0.2</ZSize>"
    solid = f'<Box name="Solid{number}"><Mass>1</Mass>{size}{place}<Material>Rubber</Material></Box>'
    return f'<Body name="Box{number}">{solid}</Body>'


@pytest.fixture
def heap(tmp_path: Path) -> Path:
    """Thirty rubber boxes in one place: no solver could do justice to all of their contacts."""
    path = tmp_path / "heap.xml"
    path.write_text(f"<World><Ground/><Objects>{''.join(map(box, range(30)))}</Objects></World>")
    return path


def test_a_log_tells_them_and_is_replayed(heap: Path, tmp_path: Path) -> None:
    simulation = Simulation(heap)
    with Recorder(simulation, tmp_path / "heap.mcap"):
        simulation.step(100)
        simulation.mark("halfway")
        simulation.step(100)
    count = simulation.world.failed_solves
    assert count > 0
    with Log(tmp_path / "heap.mcap") as log:
        events = [item for item in log.items() if isinstance(item, RecordedEvent) and item.kind == "unsolved"]
        assert sum(int(event.label.split()[0]) for event in events) == count
        assert replay(log) is None
    assert "failed solves" in CliRunner().invoke(app, ["info", str(tmp_path / "heap.mcap")]).output


def test_supervisors_and_the_terminal_are_told(heap: Path, serve: Any) -> None:
    with supervise(port=serve(simulation=Simulation(heap)).port) as supervisor:
        supervisor.pause()
        supervisor.step(100)
        assert supervisor.scene()["failed_solves"] > 0
    options = ["--port", "0", "--world", str(heap), "--clients", "0", "--frames", "100"]
    told = subprocess.run([sys.executable, "-m", "ubersim.cli", "serve", *options], capture_output=True, text=True)
    assert " failed solves" in told.stdout
