"""The programs that README and docs/ show run, and do what is said of them."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ubersim
from tests.helpers.paths import ROOT
from tests.helpers.serving import Serving
from tests.helpers.shown_programs import blocks, run_program, served
from ubersim.simulation import Simulation


def test_the_readme(tmp_path: Path) -> None:
    (document,), (program,) = blocks("README.md", "xml"), blocks("README.md", "python")
    (tmp_path / "sled.xml").write_text(document)
    with served("--clients", "1") as port:
        said = run_program(program, folder=tmp_path, port=port)
    assert said.startswith("tilt ") and abs(float(said.split()[1])) < 0.3


def test_the_tutorial(tmp_path: Path) -> None:
    document, _ = blocks("docs/tutorial.md", "xml")
    in_process, over_tcp = blocks("docs/tutorial.md", "python")
    (tmp_path / "duo.xml").write_text(document)

    said = run_program(in_process, folder=tmp_path)
    largest, last, way = map(float, *re.findall(r"at most ([\d.]+) rad, in the end (\S+); (\S+) m forward", said))
    assert 0.02 < largest < 0.3 and abs(last) < 0.005 and way > 0.0

    with served("--clients", "1", "--frames", "1000") as port:
        said = run_program(over_tcp, folder=tmp_path, port=port)
    assert re.fullmatch(r"after 0.999 s: tilt [+-]0.000 rad\n", said)


@pytest.mark.parametrize("page", ["docs/robots.md", "docs/api/client.md", "docs/inside-programs.md"])
def test_a_client(page: str) -> None:
    for program in blocks(page, "python"):
        with served("--clients", "1", "--frames", "300") as port:
            run_program(program, port=port)


def test_think_time() -> None:
    over_tcp, in_process, chunks = blocks("docs/think-time.md", "python")
    for program in (over_tcp, chunks):
        with served("--clients", "1", "--frames", "300") as port:
            run_program(program, port=port)
    run_program(in_process)


def test_the_control_kit() -> None:
    assert run_program(blocks("docs/control.md", "python")[0]) == "1001 frames\n"


def test_learning() -> None:
    for program in blocks("docs/learning.md", "python"):
        run_program(program)


def test_a_supervisor() -> None:
    (program,) = blocks("docs/api/supervisor.md", "python")
    wait = "with ubersim.supervise() as world:\n  while 'Segway' not in world.truth().legend['robots']: pass\n"
    with served("--clients", "1", "--rate", "1") as port:
        client = [sys.executable, str(ROOT / "clients" / "segway_pd.py"), "--port", str(port)]
        with subprocess.Popen(client) as segway:
            said = run_program(program, port=port, first=wait)
            segway.terminate()
    x, y, z = map(float, said.strip("[]\n").split())
    assert abs(x) < 0.1 and y == pytest.approx(2.0, abs=0.1) and 0.3 < z < 0.8


@pytest.mark.parametrize(
    ("page", "prints"),
    [("docs/api/simulation.md", r"0\.1 \S+ \["), ("docs/api/description.md", r"(?s)Segway: 3 bodies.*'LMotor'")],
)
def test_in_process(page: str, prints: str) -> None:
    (program,) = blocks(page, "python")
    assert re.match(prints, run_program(program))


def test_logs(tmp_path: Path) -> None:
    program, seeking = blocks("docs/logs.md", "python")
    assert "world.seek" in seeking  # tests/server/test_replay_server.py does that
    spawn = f"simulation.spawn({str(ROOT / 'robots' / 'segway.xml')!r}, position=(0.0, 0.0, 0.24))"
    first = f"simulation = ubersim.Simulation()\n{spawn}.command('Cam', 'Frequency', 0.001)\n"
    said = run_program(program, folder=tmp_path, first=first)
    assert said.startswith("10.0 ") and said.count("'MainBody'") == 1


def test_a_client_in_twenty_lines() -> None:
    """It joins a world that has begun, in a frame without a reading, and stays to the end."""
    program = blocks("docs/protocol.md", "python")[-1]
    serving = Serving(Simulation(), 200)
    with ubersim.supervise(port=serving.port) as world, ThreadPoolExecutor() as executor:
        world.step(5)
        client = executor.submit(run_program, program.replace("9040", str(serving.port)), folder=ROOT)
        while "Segway" not in world.truth().legend["robots"]:
            time.sleep(0.01)
        world.resume()
        client.result()
        assert serving.result().robots["Segway"].commands.acked > 150
