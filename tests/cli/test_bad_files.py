"""Every verb with every kind of file that it cannot use: a line or two that say what is wrong, never a stack."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer.main
from typer import Context
from typer.main import get_group

from ubersim.cli import main
from ubersim.cli.app import app
from ubersim.description import shipped
from ubersim.recording import Recorder
from ubersim.simulation import Simulation

NAMES = [
    "missing", "folder", "/dev/zero", "/dev/null", "pipe", "huge", "huge log", "bytes", "latin", "text", "cut",
    "no\x1b[2Jname\n", "loop", "missing/deeper", "text/deeper", "x" * 300,
]  # fmt: skip
"""Files that no verb can read."""

VERBS: dict[str, list[str]] = {
    "check": ["check {bad}", "check {robot} --materials {bad}"],
    "demo": ["demo {bad}", "demo segway --out {taken}"],
    "diff": ["diff {bad} {log}", "diff {log} {bad}"],
    "evaluate": ["evaluate {bad} --env UberSim/SegwayBalance-v0", "evaluate {bad}.py:f --env UberSim/SegwayBalance-v0"],
    "export": ["export {bad} --csv {folder}", "export {log} --csv {taken}"],
    "identify": ["identify {bad} --command a --response b"],
    "info": ["info {bad}"],
    "learn-motion": ["learn-motion {bad}"],
    "learn-map": ["learn-map {bad} --world room", "learn-map {robot} --world {bad}"],
    "plot": ["plot {bad} /a", "plot {log} /a/b -o {folder}/x.png", "plot {log} /Cube/Cube/pose.z -o {taken}/x.png"],
    "replay": ["replay {bad}", "replay {bad} --serve Cube", "replay {bad} --view", "replay {bad} --html {folder}/x"],
    "schema": ["schema {bad}"],
    "serve": [
        "serve --port 0 --frames 0 --world {bad}", "serve --port 0 --frames 0 --materials {bad}",
        "serve --port 0 --frames 0 --token-file {bad}", "serve --port 0 --frames 0 --digest {taken}/x",
        "serve --port 0 --frames 0 --record {taken}/x", "serve --port 0 --frames 0 --record {folder}",
        "serve --port 0 --frames 0 --host {bad}",
    ],
    "show": ["show {bad}", "show {robot} --materials {bad}", "show {robot} --size 64x48 -o {taken}/x.png"],
    "view": ["view {bad}", "view 127.0.0.1:1 --token-file {bad}"],
}  # fmt: skip
"""What each verb is asked to do with them, and where it may not write; others are given the file alone."""

KINDS = {"robot": "robots/car.xml", "world": "worlds/room.xml", "materials": "materials.yaml"}
WRONG_KINDS = [
    "check {materials}", "check {log}", "show {log}", "info {robot}", "replay {world}", "diff {log} {robot}",
    "serve --port 0 --frames 0 --world {robot}", "serve --port 0 --frames 0 --world {materials}",
    "serve --port 0 --frames 0 --materials {world}", "check {robot} --materials {robot}",
    "serve --port 0 --frames 0 --token-file {log}", "check {robot} --materials {without_ground}",
    "show {robot} --materials {without_ground}", "serve --port 0 --frames 0 --materials {without_ground}",
]  # fmt: skip
"""Sound files of another kind."""

CASES = [
    (words, bad)
    for name in get_group(app).list_commands(Context(get_group(app)))
    for words in VERBS.get(name, [f"{name} {{bad}}"])
    for bad in (NAMES if "{bad}" in words else [""])
    if (words, bad) != ("schema {bad}", "")
]


@pytest.fixture(scope="module", autouse=True)
def built_once() -> Iterator[None]:
    """Typer makes commands of all verbs at every call, which takes ten times as long as what they say here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", cache(typer.main.get_command))
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all of them."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "bytes").write_bytes(bytes(range(256)) * 10)
    (folder / "latin").write_bytes("<Client>Größe</Client>".encode("latin-1"))
    (folder / "text").write_text("anything\n" * 100)
    (folder / "cut").write_text(shipped("robots/car.xml").read_text()[:900])
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "without_ground").write_text("materials:\n  Rubber:\n")
    for name, start in (("huge", b"<Client>"), ("huge log", b"\x89MCAP0\r\n")):
        (folder / name).write_bytes(start)
        os.truncate(folder / name, 10 * 2**30)  # without a block on the disk
    simulation = Simulation()
    with Recorder(simulation, folder / "run.mcap"):
        simulation.step(10)
    return folder


def complaints(files: Path, words: str, bad: str, capfd: pytest.CaptureFixture[str]) -> str:
    """Of `ubersim` with these arguments, which has to fail."""
    places = {kind: str(shipped(file)) for kind, file in KINDS.items()}
    places |= {"log": str(files / "run.mcap"), "folder": str(files / "folder"), "taken": str(files / "text")}
    places |= {"without_ground": str(files / "without_ground"), "bad": str(files / bad)}
    arguments = [word.format(**places) for word in words.split()]
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as end:
        patch.setattr(sys, "argv", ["ubersim", *arguments])
        patch.chdir(files)
        main()
    assert end.value.code in (1, 2)
    return capfd.readouterr().err


@pytest.mark.parametrize(("words", "bad"), CASES)
def test_bad_files_are_named_and_no_more(files: Path, words: str, bad: str, capfd: pytest.CaptureFixture[str]) -> None:
    said = complaints(files, words, bad, capfd)
    assert said.strip() and "Traceback" not in said and "None" not in said
    assert "\x1b[2J" not in said
    assert len(said) < 3000


@pytest.mark.parametrize(
    "words",
    ["check {bad}", "serve --port 0 --frames 0 --world {bad}", "info {bad}", "sweep {bad}", "view --token-file {bad}"],
)
def test_files_without_permission_are_one_line_like_all_others(files: Path, words: str) -> None:
    (files / "locked").touch(0o000)
    command = [sys.executable, "-m", "ubersim.cli", *words.format(bad=files / "locked").split()]
    if os.geteuid() == 0:  # who may read whatever there is
        rights = "-dac_override,-dac_read_search"
        command = ["setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}", *command]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert ended.returncode == 1 and len(ended.stderr.splitlines()) == 1
    assert "locked" in ended.stderr and "Permission denied" in ended.stderr


@pytest.mark.parametrize("words", WRONG_KINDS)
def test_files_of_another_kind(files: Path, words: str, capfd: pytest.CaptureFixture[str]) -> None:
    said = complaints(files, words, "", capfd)
    assert said.strip() and "Traceback" not in said and len(said) < 3000
