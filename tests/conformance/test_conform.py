"""The conformance kit: our clients pass, and each flaw is found and named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.c_client import build_segway
from tests.helpers.paths import ROOT
from tests.helpers.robots import cart, segway
from ubersim.conformance import conform
from ubersim.conformance.program_run import Misbehaviour
from ubersim.conformance.real_server import same_bits
from ubersim.conformance.trials import (
    Bench,
    Trial,
    fault,
    frames,
    latency,
    pieces,
    sparse_readings,
)

UBERSIM = Path(sys.executable).parent / "ubersim"
BAD = str(Path(__file__).parent / "bad_client.py")
FLAWS: dict[str, tuple[Trial, str]] = {
    "does not come": (frames, "it ended with status 3 before it connected"),
    "brings no robot": (frames, "a server would refuse its robot: "),
    "does not end its document": (frames, "no NUL ended its document within 2 s"),
    "acks nothing": (frames, "frame 0 was not acknowledged within 2 s"),
    "acks what it has not got": (frames, "an Ack of frame 9000, which has not been sent yet"),
    "acks no frame's time": (frames, "an Ack of 0.0004 s, which is the time of no frame"),
    "commands what there is not": (frames, "there is no component 'Mtor'"),
    "commands what cannot be": (frames, "FMax"),
    "goes on when the run ends": (frames, "it went on for more than 2 s after the connection had ended"),
    "fails when the run ends": (frames, "the run ended well, and it ends with status 1"),
    "takes a piece for the whole": (pieces, "was not acknowledged within 2 s"),
    "goes by the clock": (latency, "it commands otherwise when many frames come at once"),
    "wants every sensor in every frame": (sparse_readings, "it closed the connection in mid-run: no tilt"),
    "does not mind an Error": (fault, "it ends with status 0 after an Error"),
    "is silent about an Error": (fault, "it does not say why the server has dropped it"),
}


def bench(tmp_path: Path, flaw: str) -> Bench:
    (tmp_path / "robot.xml").write_text(cart())
    patience = 2.0 if "2 s" in FLAWS.get(flaw, (frames, ""))[1] else 60.0  # only where it has to run out
    return Bench([sys.executable, "-S", BAD, "{host}", "{port}", flaw, str(tmp_path / "robot.xml")], patience)


def faults_of(trial: Trial, bench: Bench) -> list[str]:
    try:
        return list(trial(bench))
    except Misbehaviour as misbehaviour:
        return [str(misbehaviour)]


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_is_found_and_named(flaw: str, tmp_path: Path) -> None:
    trial, reason = FLAWS[flaw]
    under_test = bench(tmp_path, flaw)
    if trial is latency:
        assert faults_of(frames, under_test) == []
    faults = faults_of(trial, under_test)
    assert any(reason in fault for fault in faults), faults


def test_a_client_in_plain_sockets_passes(tmp_path: Path) -> None:
    assert [(name, faults) for name, _, faults in conform(bench(tmp_path, "").command) if faults] == []


def test_who_goes_by_the_clock_makes_another_world(tmp_path: Path) -> None:
    (fault,) = faults_of(same_bits, bench(tmp_path, "goes by the clock"))
    assert fault.startswith("its commands depend on the network: another world from frame")


def test_our_clients_conform(tmp_path: Path) -> None:
    robot = tmp_path / "robot.xml"
    robot.write_text(segway().replace("<CSettings>", "<CSettings><Protocol>2</Protocol>"))
    python = [sys.executable, str(ROOT / "clients" / "segway_pd.py"), "--host", "{host}", "--port", "{port}"]
    for command in (
        [str(build_segway(tmp_path)), "{host}", "{port}", str(robot), "0"],
        [*python, "--robot", str(robot)],
    ):
        done = subprocess.run([str(UBERSIM), "conform", "--", *command], capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.endswith("conforms\n") and "WRONG" not in done.stdout


def test_the_verb_says_what_is_wrong(tmp_path: Path) -> None:
    command = bench(tmp_path, "commands what there is not").command
    done = subprocess.run([str(UBERSIM), "conform", "--", *command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "WRONG frames" in done.stdout and "there is no component 'Mtor'" in done.stdout
    done = subprocess.run([str(UBERSIM), "conform", "--", "true"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and "{port}" in done.stderr
