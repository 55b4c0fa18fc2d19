"""Robots driven by keys and sticks, as `ubersim drive` does it."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.robot_programs import document
from tests.helpers.serving import Serving
from ubersim.cli.drive import _own_server
from ubersim.client import connect
from ubersim.client.supervisor import supervise
from ubersim.driving.gamepad import Gamepad
from ubersim.driving.keys import keys_in
from ubersim.driving.page_steering import PageSteering
from ubersim.driving.session import pilot_for, steer
from ubersim.errors import UberSimError
from ubersim.server import Server
from ubersim.simulation import Simulation


def scripted(*keys: tuple[int, str]) -> Callable[[], str]:
    """Keys by the number of the look in which they are pressed, each look being 20 ms."""
    waiting, looks = list(keys), [0]

    def pressed() -> str:
        if waiting and waiting[0][0] <= looks[0]:
            return waiting.pop(0)[1]
        looks[0] += 1
        return ""

    return pressed


def driven(text: str, *keys: tuple[int, str], gamepad: Gamepad | None = None) -> tuple[Simulation, list[str]]:
    """The world after a robot was driven there, and what was told meanwhile."""
    simulation, told = Simulation(), list[str]()
    with Server(simulation, port=0, clients=1) as server:
        thread = threading.Thread(target=server.run, args=(20000,), daemon=True)
        thread.start()
        try:
            with connect(text, *server.address) as robot:
                steer(robot, pilot_for(robot.settings), scripted(*keys), gamepad, rate=0.0, told=told.append)
                body = next(iter(simulation.robots.values()))
                told.append(f"{next(iter(body.bodies.values())).position[1]:.3f}")
        finally:
            server.stop()
            thread.join()
    return simulation, told


@pytest.mark.parametrize("name", ["scout", "car", "msl_omni"])
def test_a_drive_goes_forward_by_keys_and_tells_how_fast(name: str) -> None:
    _, told = driven(document(name), (0, "up"), (0, "up"), (0, "w"), (60, "x"))
    assert float(told[-1]) > 0.15
    assert "speed +0.30 m/s, turn +0.00 rad/s" in told[-2] and "; measured +0.3" in told[-2]


def test_blank_stops_and_turns_are_to_the_left() -> None:
    _, told = driven(document("scout"), (0, "left"), (0, "+"), (0, "up"), (30, " "), (60, "x"))
    assert any("speed +0.20 m/s, turn +0.20 rad/s" in line for line in told)
    assert "speed +0.00 m/s, turn +0.00 rad/s" in told[-2]


def test_what_the_odometry_measures_is_told_whatever_its_name() -> None:
    text = document("ssl").replace('"Odometry"', '"Wheels"')
    _, told = driven(text, (0, "e"), (0, "e"), (60, "x"))
    assert "sideways +0.20 m/s; measured +0.00 m/s, +0.00 rad/s, +0.2" in told[-2].replace("-0.00", "+0.00")


def test_the_segway_is_balanced_meanwhile() -> None:
    _, told = driven(document("segway"), (0, "up"), (0, "up"), (0, "up"), (200, "x"))
    assert "speed +0.30 m/s (wheels +0." in told[-2]
    assert float(told[-1]) > 0.3


def test_a_robot_without_a_drive_is_moved_joint_by_joint() -> None:
    _, told = driven(document("aibo"), (0, "right"), *[(0, "up")] * 4, (20, "x"))
    assert "Servo.Target +0.35 (2 of 20)" in told[-2]


def test_nothing_to_drive() -> None:
    with pytest.raises(UberSimError, match="Stone has neither a drive nor joints"):
        pilot_for({"name": "Stone"})


def test_what_a_terminal_sends() -> None:
    assert keys_in(b"w\x1b[A\x1b[Dx ") == ["w", "up", "left", "x", " "]


def test_a_gamepad(tmp_path: Path) -> None:
    device = tmp_path / "js0"
    os.mkfifo(device)
    pad = Gamepad(device)
    with device.open("wb", buffering=0) as sender:
        sender.write(struct.pack("<IhBB", 0, 900, 0x82, 1))  # where a stick was when it was opened
        assert pad.update() == [] and not pad.touched
        sender.write(struct.pack("<IhBB", 5, -32767, 2, 1) + struct.pack("<IhBB", 6, 1, 1, 0))
        _, told = driven(document("ssl"), (20, "x"), gamepad=pad)
    assert pad.touched and pad.axis(1) == -1.0 and pad.axis(0) == 0.0
    assert "speed +1.00 m/s" in told[-2]
    pad.close()
    (tmp_path / "file").write_bytes(bytes(64))
    for name, reason in (("nowhere", "No such file or directory"), ("file", "it is a file"), ("", "it is a folder")):
        with pytest.raises(UberSimError, match=f"no gamepad at .*: {reason}"):
            Gamepad(tmp_path / name)


def at_the_page(name: str, text: str, *told: tuple[int, str, str]) -> list[str]:
    """What was told while a robot was driven from the page, whose keys and gamepad are so from these frames on."""
    serving, statuses = Serving(Simulation(), 1500, clients=1), list[str]()
    with supervise(port=serving.port) as page:
        for frame, parameter, value in told:
            page.set_parameter(name, parameter, value, frame=frame)
        page.truth()  # all of it has come before any frame
        with connect(text, port=serving.port, protocol=2) as robot:
            pilot = pilot_for(robot.settings)
            steer(robot, pilot, str, page=PageSteering(robot), rate=0.0, told=statuses.append)
    serving.result()
    return statuses


def test_keys_that_are_held_at_the_page_count_once_and_then_again_and_again() -> None:
    told = at_the_page("Scout", document("scout"), (100, "Keys", "ArrowUp"), (400, "Keys", ""))
    assert "speed +0.20 m/s, turn +0.00" in told[-1]  # at once, and once more after a quarter of a second
    assert "; measured +0.2" in told[-1]


def test_sticks_of_the_pages_gamepad_drive_too() -> None:
    forward, middle = '{"axes": [0, -0.5, 0, 0], "buttons": [0]}', '{"axes": [0.01, 0, 0, 0], "buttons": [0]}'
    told = at_the_page("Scout", document("scout"), (100, "Gamepad", forward), (1000, "Gamepad", middle))
    assert any("speed +0.50 m/s" in status and "; measured +0.5" in status for status in told)
    assert "speed +0.00 m/s" in told[-1]


def test_keys_have_their_turn_again_once_sticks_are_let_go() -> None:
    forward, middle = '{"axes": [0, -0.5, 0, 0], "buttons": [0]}', '{"axes": [0.01, 0, 0, 0], "buttons": [0]}'
    sticks = ((100, "Gamepad", forward), (400, "Gamepad", middle))
    told = at_the_page("Scout", document("scout"), *sticks, (600, "Keys", "ArrowUp"), (650, "Keys", ""))
    assert any("speed +0.50 m/s" in status for status in told)
    assert "speed +0.10 m/s" in told[-1]


@pytest.mark.parametrize("back", ["reset", "restore"])
def test_time_that_is_put_back_stops_the_robot_which_is_driven_from_there(back: str) -> None:
    serving, statuses = Serving(Simulation(), 3000, clients=1), list[str]()
    with supervise(port=serving.port) as page, supervise(port=serving.port) as hand:
        page.set_parameter("Scout", "Keys", "ArrowUp", frame=100)
        hand.pause()

        def put_back() -> None:
            hand.step(1000)
            hand.snapshot("early")
            hand.step(1000)
            page.set_parameter("Scout", "Keys", "")
            hand.reset() if back == "reset" else hand.restore("early")
            hand.step(500)
            page.set_parameter("Scout", "Keys", "ArrowDown")
            hand.resume()

        other = threading.Thread(target=put_back)
        with connect(document("scout"), port=serving.port, protocol=2) as robot:
            other.start()
            steer(robot, pilot_for(robot.settings), str, page=PageSteering(robot), rate=0.0, told=statuses.append)
            other.join()
    serving.result()
    times = [float(status.split()[0]) for status in statuses]
    begun = next(number for number, (now, then) in enumerate(itertools.pairwise(times), 1) if then < now)
    assert "speed +0.00 m/s" in statuses[begun] and times[begun] <= 1.001
    assert any("speed -0.10 m/s" in status for status in statuses[begun:])
    assert "; measured -" in statuses[-1]


def test_joints_are_moved_from_the_page() -> None:
    told = at_the_page("Aibo", document("aibo"), (100, "Keys", "d"), (150, "Keys", "w"), (200, "Keys", ""))
    assert "(2 of" in told[-1] and "+0.09" in told[-1]


def test_the_verb_in_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "ubersim.cli", "drive", "scout", "--record", str(tmp_path / "run.mcap")]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=subprocess.STDOUT) as program:
        os.close(theirs)
        os.write(ours, b"wwx")
        said = b""
        while True:
            try:
                said += os.read(ours, 4096)
            except OSError:
                break
    os.close(ours)
    assert program.returncode == 0, said.decode()
    assert b"Scout: arrows or wasd" in said and b"x: quit." in said and b"live page" not in said
    assert (tmp_path / "run.mcap").stat().st_size > 0


def test_its_own_server_keeps_the_pace_which_the_page_may_change() -> None:
    with _own_server(None, None, 2.0) as server, supervise(*server.address) as page:
        assert page.scene()["rate"] == 2.0


def test_a_log_that_ends_early_is_an_error_in_the_end() -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "ubersim.cli", "drive", "scout", "--rate", "0", "--record", "/dev/full"]
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None and b"x: quit" in program.stdout.readline()
        os.write(ours, b"x")
        _, complaints = program.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert program.returncode == 1 and b"the log ends in frame 0: cannot write /dev/full" in complaints


def test_the_verb_joins_a_server_and_an_interrupt_is_a_way_to_end_it(tmp_path: Path) -> None:
    """The gamepad drives it meanwhile, and the terminal shows how it goes in one line."""
    serving, device = Serving(Simulation(), None, clients=1), tmp_path / "js0"
    os.mkfifo(device)
    arguments = ["scout", "--port", serving.port, "--name", "Mine", "--gamepad", device, "--rate", 0]
    command = [sys.executable, "-m", "ubersim.cli", "drive", *map(str, arguments)]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=subprocess.STDOUT) as program:
        os.close(theirs)
        with device.open("wb", buffering=0) as sender:
            sender.write(struct.pack("<IhBB", 5, -32767, 2, 1))
            said = b""
            while b"measured +1." not in said:
                said += os.read(ours, 4096)
            assert list(serving.simulation.robots) == ["Mine"]
            program.send_signal(signal.SIGINT)
            while True:
                try:
                    said += os.read(ours, 4096)
                except OSError:
                    break
    os.close(ours)
    serving.server.stop()
    serving.result()
    assert program.returncode == 0 and b"Traceback" not in said, said.decode()
    assert b"\r\x1b[K" in said and b"speed +1.00 m/s" in said and b"from the live page" in said


def test_the_status_keeps_to_one_line_of_a_narrow_terminal() -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    command = [sys.executable, "-m", "ubersim.cli", "drive", "msl_omni", "--rate", "0"]
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}  # the terminal's own size
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=subprocess.STDOUT, env=environment) as program:
        os.close(theirs)
        said = b""
        while said.count(b"\x1b[K") < 3:
            said += os.read(ours, 4096)
        os.write(ours, b"x")
        with contextlib.suppress(OSError):
            while True:
                said += os.read(ours, 4096)
    os.close(ours)
    assert program.returncode == 0, said.decode()
    statuses = said.decode().strip().split("\r\x1b[K")[1:]
    assert statuses and all("speed +0.00 m/s" in status and len(status) < 60 for status in statuses)
