"""The command line, as others script against it."""

from __future__ import annotations

import re
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer import Context
from typer.main import get_group

from tests.helpers.command_line import ubersim
from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from ubersim import cli
from ubersim.cli.app import app
from ubersim.description import shipped
from ubersim.protocol import Ack

UBERSIM = Path(sys.executable).parent / "ubersim"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    """As a program: servers, and what is said of them."""
    command = [str(UBERSIM), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240)


def start(*arguments: object) -> tuple[subprocess.Popen[str], int]:
    command = [str(UBERSIM), "serve", "--port", "0", *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    match = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+)\n", line)
    assert match is not None, line
    return process, int(match.group(1))


def test_serve_at_a_path(tmp_path: Path) -> None:
    command = [str(UBERSIM), "serve", "--host", f"unix:{tmp_path}/sim", "--clients", "0", "--frames", "5"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"listening on unix:{tmp_path}/sim\n5 frames")
    assert not (tmp_path / "sim").exists()


def test_who_waits_for_no_client_is_told_what_that_costs() -> None:
    result = run("serve", "--port", 0, "--clients", 0, "--frames", 3, "--loose")
    assert result.returncode == 0 and "this run is not reproducible; its log is" in result.stderr


def test_check_summarises_a_sound_robot() -> None:
    result = ubersim("check", shipped("robots/segway.xml"))
    assert result.returncode == 0
    for word in ("64 kg", "MainBody", "LMotor", "Tilt", "centre of mass", "inertia"):
        assert word in result.stdout


def test_check_summarises_a_sound_world() -> None:
    result = ubersim("check", shipped("worlds/room.xml"))
    assert result.returncode == 0
    for word in ("room: ground", "Body Ball: 0.43 kg", "centre of mass", "spawn points: "):
        assert word in result.stdout


def test_check_lists_all_errors_with_their_lines(tmp_path: Path) -> None:
    document = tmp_path / "bad.xml"
    document.write_text(cart().replace("<Mass>2<", "<Mass>two<").replace("<Body2>Wheel", "<Body2>Wheal"))
    result = ubersim("check", document)
    assert result.returncode == 1 and not result.stdout
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 2
    assert re.match(rf"{re.escape(str(document))}:6: .*Mass.*'two'", lines[0])
    assert re.match(rf"{re.escape(str(document))}:\d+: .*Body2.*'Wheal'.*Wheel", lines[1])


@pytest.mark.parametrize("missing", ["check", "serve --world"])
def test_a_missing_file_is_one_line_not_a_stack(missing: str) -> None:
    result = run(*missing.split(), "no/such/file.xml")
    assert result.returncode == 1
    assert "no/such/file.xml" in result.stderr and "Traceback" not in result.stderr


def test_schema_is_printed() -> None:
    assert "xs:schema" in ubersim("schema").stdout and "xs:schema" in ubersim("schema", "world").stdout


def test_serve_ends_after_its_frames_with_a_digest_line_each(tmp_path: Path) -> None:
    digest = tmp_path / "digest"
    process, port = start("--clients", 1, "--frames", 50, "--step", 0.002, "--digest", digest, "--seed", 3)
    client = RawClient(port, cart())
    assert client.welcome().step == 0.002
    assert client.serve_to_the_end() == 50
    assert process.wait(60) == 0
    lines = digest.read_text().splitlines()
    assert len(lines) == 50 and all(re.fullmatch(rf"{k} [0-9a-f]+", line) for k, line in enumerate(lines))


def test_serve_without_clients_runs_if_it_is_told_that_it_needs_none() -> None:
    process, _ = start("--clients", 0, "--frames", 20)
    assert process.wait(60) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_server_cleanly(number: signal.Signals) -> None:
    process, port = start()
    client = RawClient(port, cart())
    client.welcome()
    process.send_signal(number)
    assert process.wait(60) == 0
    assert process.stderr is not None and process.stderr.read() == ""


def test_other_machines_need_a_token() -> None:
    result = run("serve", "--host", "0.0.0.0", "--port", 0)
    assert result.returncode == 1 and "--token-file" in result.stderr


def test_a_port_in_use_is_said_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = run("serve", "--port", taken.getsockname()[1])
    assert result.returncode == 1 and "in use" in result.stderr


def test_every_module_is_a_verb_of_its_name() -> None:
    modules = {file.stem for file in Path(cli.__file__).parent.glob("*.py")}
    program = {"__init__", "__main__", "app", "main", "verbs"}
    parts = {"beside_server", "option_groups", "run_progress", "serve_options", "server_status", "web_files"}
    group = get_group(app)
    verbs = group.list_commands(Context(group))
    own_words = {"import": "importing"}  # a word of Python's own names no module
    assert modules - program - parts == {own_words.get(verb, verb.replace("-", "_")) for verb in verbs}
    listed = run("--help").stdout
    assert all(re.search(rf"^\W*{verb} ", listed, re.MULTILINE) for verb in verbs)


def test_output_that_is_not_read_to_its_end_is_no_error() -> None:
    """As with `ubersim schema | head -1`."""
    with subprocess.Popen([UBERSIM, "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


LOADING = """
import sys

class Interrupted:
    def find_spec(self, name, *_):
        if name == "typer":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
from ubersim.cli import main
main()
"""


def test_an_interrupt_while_it_is_loaded_leaves_no_stack() -> None:
    result = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


def test_version_is_that_of_the_package() -> None:
    import tomllib

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert run("--version").stdout == f"ubersim {project['version']}\n"


@pytest.mark.parametrize("wait", [0.05, 0.12, 0.2, 0.31, 0.43])
def test_interrupts_at_any_moment_leave_a_log_that_replays(tmp_path: Path, wait: float) -> None:
    """The second one comes while everything is being closed."""
    log = tmp_path / "run.mcap"
    process, _ = start("--clients", 0, "--world", shipped("worlds/playground.xml"), "--record", log)
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    said, complaints = process.communicate(timeout=60)
    assert process.returncode == 0 and "simulated" in said and not complaints
    assert "same to the bit" in ubersim("replay", log).stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["serve", "--port", "0", "--digest", "/nowhere/x", "--clients", "0", "--frames", "2"],
            "/nowhere/x: No such file",
        ),
        (
            ["serve", "--port", "0", "--record", "/dev/full", "--clients", "0", "--frames", "2"],
            "cannot write /dev/full",
        ),
        (["serve", "--record-images", "5"], "needs --record"),
        (["view", "127.0.0.1:1"], "there is no server at 127.0.0.1:1; `ubersim serve` starts one"),
        (["view", "127.0.0.1:1", "--token-file", "/dev/null"], "cannot read the token from /dev/null"),
        (["show", shipped("robots/segway.xml"), "--azimuth", "nan"], "--azimuth"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line_or_two(arguments: list[object], complaint: str) -> None:
    result = run(*arguments) if arguments[0] == "serve" else ubersim(*arguments)
    assert result.returncode != 0
    assert complaint in result.stderr and "Traceback" not in result.stderr


def test_a_token_file_holds_a_token(tmp_path: Path) -> None:
    file = tmp_path / "token"
    for content in (b"", b"\xff\xfe", b"x" * 257):
        file.write_bytes(content)
        result = run("serve", "--token-file", file)
        assert result.returncode == 1 and "holds no token" in result.stderr


def test_verbose_says_who_comes_who_goes_and_why() -> None:
    process, port = start("--verbose")
    assert process.stderr is not None
    guest = RawClient(port, cart("Guest"))
    guest.welcome()
    assert process.stderr.readline() == "Guest joined in frame 0\n"
    twin = RawClient(port, cart("Guest"))
    count = 0
    while not select.select([twin.socket], [], [], 0)[0]:  # who waits is looked at between frames
        frame = guest.frame()
        assert frame is not None
        guest.send(Ack(frame[0]))
        count += 1
    assert "already" in twin.error()
    assert process.stderr.readline() == "refused: a robot named 'Guest' is in the world already\n"
    guest.close()
    left = re.fullmatch(
        r"Guest left in frame (\d+): (it closed the connection|connection lost: .*)\n", process.stderr.readline()
    )
    assert left is not None and int(left[1]) in (count, count + 1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert said == ""
