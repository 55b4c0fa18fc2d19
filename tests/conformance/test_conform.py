"""The conformance kit: our clients pass, and each flaw is found and named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.c_client import build_segway
from tests.helpers.documents import AT_ORIGIN
from tests.helpers.paths import ROOT
from tests.helpers.robots import cart, segway
from ubersim.conformance import conform
from ubersim.conformance.answers import Answers
from ubersim.conformance.program_run import Misbehaviour, ProgramRun
from ubersim.conformance.real_server import same_bits
from ubersim.conformance.script import Script
from ubersim.conformance.trials import (
    Bench,
    Trial,
    fault,
    frames,
    frames_left_out,
    latency,
    pieces,
    refusal,
    slow_network,
    sparse_readings,
)
from ubersim.errors import UberSimError
from ubersim.protocol import ClientConnection, Reading
from ubersim.protocol.cancel import encode_cancel
from ubersim.protocol.events import Ack, Actuation, Timestamp
from ubersim.protocol.log_entries import log_entry, log_payloads
from ubersim.protocol.messages import encode
from ubersim.protocol.parameters import declaration, encode_declaration

UBERSIM = Path(sys.executable).parent / "ubersim"
BAD = str(Path(__file__).parent / "bad_client.py")
FLAWS: dict[str, tuple[Trial, str]] = {
    "does not come": (frames, "it ended with status 3 before it connected"),
    "brings no robot": (frames, "a server would refuse its robot: "),
    "does not end its document": (frames, "no NUL ended its document within 2 s"),
    "leaves before its document is complete": (frames, "it closed the connection before its document was complete"),
    "speaks before it is welcome": (frames, "it sends something before the Welcome has come"),
    "leaves in the midst of a message": (frames, "it leaves in the midst of a message"),
    "dies when the run ends": (frames, "it was ended by signal 9"),
    "acks nothing": (frames, "frame 0 was not acknowledged within 2 s"),
    "acks what it has not got": (frames, "an Ack of frame 9000, which has not been sent yet"),
    "acks no frame's time": (frames, "an Ack of 0.0004 s, which is the time of no frame"),
    "commands what there is not": (frames, "there is no component 'Mtor'"),
    "commands what cannot be": (frames, "FMax"),
    "takes back what there is not": (frames, "there is no component 'Mtor' whose commands could be cancelled"),
    "commands what there is not, but late": (
        same_bits,
        "a real server drops it in frame 49: there is no component 'Mtor'",
    ),
    "goes on when the run ends": (frames, "it went on for more than 2 s after the connection had ended"),
    "fails when the run ends": (frames, "the run ended well, and it ends with status 1"),
    "takes a piece for the whole": (pieces, "was not acknowledged within 2 s"),
    "goes by the clock": (latency, "it commands otherwise when many frames come at once"),
    "wants every sensor in every frame": (sparse_readings, "it closed the connection in mid-run: no tilt"),
    "does not mind an Error": (fault, "it ends with status 0 after an Error"),
    "is silent about an Error": (fault, "it does not say why the server has dropped it"),
}


def bench(tmp_path: Path, flaw: str) -> Bench:
    robot = cart().replace("<CSettings>", "<CSettings><Protocol>2</Protocol>") if "takes back" in flaw else cart()
    (tmp_path / "robot.xml").write_text(robot)
    patience = 2.0 if "2 s" in FLAWS.get(flaw, (frames, ""))[1] else 60.0  # only where it has to run out
    return Bench([sys.executable, "-S", BAD, "{host}", "{port}", flaw, str(tmp_path / "robot.xml")], patience)


def faults_of(trial: Trial, bench: Bench) -> list[str]:
    try:
        return list(trial(bench))
    except Misbehaviour as misbehaviour:
        return [str(misbehaviour)]


MORE: list[tuple[str, Trial, str]] = [
    ("fails when the run ends", sparse_readings, "it ends with status 1"),
    ("fails when the run ends", frames_left_out, "it ends with status 1"),
    ("does not mind an Error", refusal, "it ends with status 0 although its robot was refused"),
    ("is silent about an Error", refusal, "it does not say why its robot was refused"),
    ("counts the pieces", pieces, "it commands otherwise when frames come in pieces"),
    ("counts the pieces", slow_network, "it commands otherwise when the network is slow: "),
    ("goes on when the run ends", same_bits, "it went on for more than 2 s after the server had ended"),
    ("leaves earlier in its second run", same_bits, "it stayed for 200 frames, and for "),
    ("does not come", same_bits, "it did not take part in a run on a real server"),
]


@pytest.mark.parametrize(("flaw", "trial", "reason"), MORE)
def test_other_trials_find_it_too(flaw: str, trial: Trial, reason: str, tmp_path: Path) -> None:
    under_test = bench(tmp_path, flaw)
    if trial is frames_left_out:
        rare = cart().replace("</CSettings>", "<Protocol>2</Protocol><Timestamps>readings</Timestamps></CSettings>")
        (tmp_path / "robot.xml").write_text(rare)
    if trial in (pieces, slow_network):
        assert faults_of(frames, under_test) == []
    faults = faults_of(trial, under_test)
    assert any(reason in fault for fault in faults), faults


def program(text: str) -> list[str]:
    connected = "import socket, sys, time; s = socket.create_connection((sys.argv[1], int(sys.argv[2])))"
    return [sys.executable, "-S", "-c", f"{connected}\n{text}", "{host}", "{port}"]


def test_a_program_that_is_none() -> None:
    with pytest.raises(UberSimError, match="no-such-program: No such file"):
        ProgramRun(["no-such-program"], 2.0)


def test_a_program_that_never_connects() -> None:
    with pytest.raises(Misbehaviour, match=r"it did not connect within 0\.1 s"):
        ProgramRun([sys.executable, "-S", "-c", "import time; time.sleep(60)"], 0.1)


@pytest.mark.parametrize(
    ("text", "patience", "reason"),
    [
        ("time.sleep(60)", 0.2, r"it read nothing for 0\.2 s"),
        ("s.close()", 60.0, "it closed the connection in mid-run"),
    ],
)
def test_a_program_that_does_not_read(text: str, patience: float, reason: str) -> None:
    with ProgramRun(program(text), 60.0) as run, pytest.raises(Misbehaviour, match=reason):
        run._patience = patience  # from now on: it may have taken long to start
        run._socket.settimeout(patience)
        while True:
            run.send(bytes(1 << 20))


RESET = "import struct; s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0)); s.close()"


def test_a_program_that_resets_its_connection() -> None:
    with ProgramRun(program(f"{RESET}; time.sleep(0.1); sys.exit(4)"), 60.0) as run:
        assert run.status() == 4
    answers, reset = Answers(Script.of(cart(), 10)), program(f"{RESET}; time.sleep(60)")
    with ProgramRun(reset, 60.0) as run, pytest.raises(Misbehaviour, match="it closed the connection in mid-run"):
        run.await_ack(answers, 0)


def test_a_camera_that_is_switched_shows_pictures_first() -> None:
    size = "<Fov>60</Fov><Width>4</Width><Height>3</Height><Switchable>true</Switchable>"
    camera = f'<CameraSensor name="Eye">{AT_ORIGIN}{size}</CameraSensor>'
    script = Script.of(cart().replace("<InclinometerSensor", camera + "<InclinometerSensor"), 10)
    wire = ClientConnection()
    wire.receive_data(encode(script.welcome) + script.frame(1))
    (picture,) = [event for event in wire.events() if isinstance(event, Reading) and event.name == "Eye"]
    assert picture.payload == bytes(4) + bytes(4 * 3 * 4)


def test_what_answers_may_say() -> None:
    newer = cart().replace("</CSettings>", "<Protocol>2</Protocol></CSettings>")
    answers = Answers(Script.of(newer, 10))
    answers.sent(5)
    for time in (0.003, 0.002):
        answers.take(encode(Ack(time)))
    answers.take(encode(Timestamp(0.001)))
    whole = [
        encode_cancel("Motor", 0.0),
        encode_declaration(declaration("gain", 1.0)),
        *log_payloads(log_entry("a", 1.0)),
    ]
    for name, payload in zip(("Cancel", "Declare", "Log"), whole, strict=True):
        answers.take(encode(Actuation(name, payload)))
    answers.take(encode(Actuation("Declare", b"{}")))
    assert answers.faults == [
        "an Ack of frame 2 after that of frame 3",
        "a Timestamp of 0.001 s, which was acknowledged before",
        "Declare lacks name, kind, value",
    ]


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
