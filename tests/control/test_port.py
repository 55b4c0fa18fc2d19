"""A real robot speaks version 2 of the wire."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.helpers.device import Device
from tests.helpers.robots import cart
from tests.helpers.waiting import until
from ubersim.client import connect
from ubersim.client.robot import RemoteRobot
from ubersim.control import port_server
from ubersim.control.port_server import PortServer
from ubersim.errors import RefusedError
from ubersim.recording import Log
from ubersim.recording.parameter_history import ParameterHistory
from ubersim.recording.program_entries import ProgramEntries

_TILT = "</InclinometerSensor>"
_MORE = '<InclinometerSensor name="Spare"><Position><x>0</x><y>0</y><z>0</z></Position>' + _TILT
DOCUMENT = cart(latency="4").replace(_TILT, _TILT + _MORE)


class Seldom(Device):
    """Measures every fifth time that it is asked."""

    asked = 0

    def readings(self) -> Iterator[tuple[str, Any]]:
        self.asked += 1
        if self.asked % 5 == 0:
            yield "Tilt", float(self.asked)


@contextmanager
def running(device: Device, frames: int | None = None, **options: Any) -> Iterator[PortServer]:
    with PortServer(device, DOCUMENT, port=0, step=0.002, **options) as server:
        thread = threading.Thread(target=server.run, args=(frames,))
        thread.start()
        try:
            yield server
        finally:
            server.stop()
            thread.join(60)


def joined(server: PortServer, **options: Any) -> RemoteRobot:
    return connect(DOCUMENT, port=server.address.port, protocol=2, **options)


def test_the_welcome_says_what_it_is() -> None:
    with running(Device()) as server, joined(server) as robot:
        said = robot.settings
        assert (said["protocol"], said["world"], said["loose"]) == (2, "real", True)
        assert said["server"].startswith("ubersim ") and {"end", "log", "timestamps"} <= {*said["capabilities"]}


def test_only_frames_with_readings() -> None:
    with running(Seldom()) as server, joined(server, timestamps="readings") as robot:
        robot.next_frame()  # the first comes in any case
        frames = [robot.next_frame() for _ in range(5)]
        assert all(frame is not None and "Tilt" in frame for frame in frames)


def test_only_sensors_that_are_wanted() -> None:
    with running(Device()) as server:
        with joined(server, sensors=["Spare"]) as robot:
            assert [*robot.settings["sensors"]] == ["Spare"]
            frame = robot.next_frame()
            assert frame is not None and "Tilt" not in frame
        with pytest.raises(RefusedError, match="there is no sensor 'Tlit'"):
            joined(server, sensors=["Tlit"])


class Counting(Device):
    """Measures how often it was asked."""

    asked = 0

    def readings(self) -> Iterator[tuple[str, Any]]:
        self.asked += 1
        yield "Tilt", float(self.asked)

    def let_pass(self, count: int) -> None:
        """Waits until it was asked that often."""
        until(lambda: self.asked >= count)


@pytest.mark.parametrize("timestamps", ["all", "readings"])
def test_a_slow_program_sees_what_is_new(timestamps: Any) -> None:
    """However many frames pass until it asks for one: it gets the newest that there was then, or a newer one."""
    device = Counting()
    with running(device) as server, joined(server, timestamps=timestamps) as robot:
        robot.next_frame()  # it may have come before it was asked for
        for _ in range(10):
            asked = device.asked
            frame = robot.next_frame()
            assert frame is not None and frame["Tilt"] >= asked
            device.let_pass(asked + 5)


def test_parameters_and_what_the_program_logs_are_in_the_log(tmp_path: Path) -> None:
    with running(Device(), record=tmp_path / "real.mcap") as server, joined(server) as robot:
        gain = robot.parameter("gain", 12.0, low=0, high=50)
        for _ in range(5):
            robot.next_frame()
            robot.log("gain", gain.value)
        assert robot.next_frame() is not None
        sent = server.frame
        until(lambda: server.frame > sent + 5)  # in which it has read all of it
    with Log(tmp_path / "real.mcap") as log:
        assert ParameterHistory(log).at(log.last)["Cart"].values == {"gain": 12.0}
        said = ProgramEntries(log).between(log.first, log.last)
    assert {(found.robot, found.entry.name, found.entry.value) for found in said} == {("Cart", "gain", 12.0)}
    assert len(said) >= 4


def test_without_a_log_nothing_listens() -> None:
    with running(Device()) as server, joined(server) as robot:
        robot.log("gain", 1.0)
        until(lambda: robot.next_frame() is not None and not robot._parameters.by_name["Log"].value)


def test_it_has_the_latency_that_it_has() -> None:
    device = Device()
    with running(device) as server, joined(server) as robot:
        robot.next_frame()
        robot.set_latency(30_000.0)
        robot.set("Motor", "Vel", 3.0)
        until(lambda: robot.next_frame() is not None and bool(device.told))
    assert device.told == [("Motor", "Vel", 3.0)]


def test_commands_are_taken_back() -> None:
    device = Device()
    with running(device) as server, joined(server) as robot:
        frame = robot.next_frame()
        assert frame is not None
        robot.stamp(frame.time + 3600.0)
        robot.set("Motor", "Vel", 1.0)
        robot.cancel("Motor", frame.time + 3000.0)
        robot.stamp(frame.time)
        robot.set("Motor", "Vel", 2.0)
        until(lambda: robot.next_frame() is not None and bool(device.told))
        assert server._session is not None and server._session.due(10**9) == []
    assert device.told == [("Motor", "Vel", 2.0)]


@pytest.mark.parametrize(("frames", "reason"), [(100, "finished"), (None, "stopped")])
def test_a_program_is_told_why_it_ends(frames: int | None, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the program takes to come: until it is there, the clock stands still."""
    device, now = Device(), 0.0

    def clock() -> float:
        nonlocal now
        now += 0.0 if server._session is None else 0.0005
        return now

    with PortServer(device, DOCUMENT, port=0, step=0.002) as server:
        monkeypatch.setattr(port_server, "time", SimpleNamespace(perf_counter=clock))
        thread = threading.Thread(target=server.run, args=(frames,))
        thread.start()
        robot = joined(server)
        assert robot.settings.get("end_frame") == frames
        robot.next_frame()
        if frames is None:
            server.stop()
        thread.join(60)
    while robot.next_frame() is not None:
        pass
    assert robot.end is not None and (robot.end.reason, robot.end.frame) == (reason, server.frame)
    robot.close()


class Stuck(Device):
    """Has a driver that fails when it should stop."""

    def stop(self) -> None:
        super().stop()
        raise OSError("the emergency stop is not wired")


def test_a_driver_that_cannot_stop_is_noted_and_the_program_is_told_that_it_is_over() -> None:
    notes = list[str]()
    with running(Stuck(), note=notes.append) as server:
        robot = joined(server)
        assert robot.next_frame() is not None
    with robot:
        while robot.next_frame() is not None:
            pass
        assert robot.end is not None and robot.end.reason == "stopped"
    assert "the robot could not be stopped: the emergency stop is not wired" in notes


def test_what_a_program_wants_is_checked_against_the_robot() -> None:
    wanted = DOCUMENT.replace("</CSettings>", "<Sensors>Tilt Nose</Sensors></CSettings>")
    with running(Device()) as server, pytest.raises(RefusedError, match="Nose"):
        connect(wanted, port=server.address.port, protocol=2)
    own = DOCUMENT.replace('name="Spare"', 'name="Nose"').replace("</CSettings>", "<Sensors>Nose</Sensors></CSettings>")
    with running(Device()) as server, pytest.raises(RefusedError, match="Nose"):
        connect(own, port=server.address.port, protocol=2)
