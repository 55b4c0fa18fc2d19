"""The same program with robots from everywhere: in process, over TCP, from a log, and behind a port of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.control import goal_modules as m
from tests.helpers.device import Device
from tests.helpers.robots import cart
from tests.helpers.waiting import until
from ubersim.client import connect
from ubersim.client.supervisor import supervise
from ubersim.control import ControlRun, Layout, Module, Solutions, Tick, open_robot, run
from ubersim.control.log_robot import LogRobot
from ubersim.control.port_server import PortServer
from ubersim.errors import LocalProtocolError, RefusedError, UberSimError
from ubersim.recording import Log, Recorder
from ubersim.recording.program_entries import ProgramEntries
from ubersim.recording.replay import replay
from ubersim.simulation import Simulation
from ubersim.simulation.local_robot import LocalRobot
from ubersim.supervision import Interventions

DOCUMENT = cart(latency="4", sensor="<Frequency>200</Frequency>")
LAYOUT = Layout(m.see, m.decide, m.move)


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A run of the layout, and its log."""
    path = tmp_path / "run.mcap"
    with Simulation() as simulation, Recorder(simulation, path):
        robot = LocalRobot(simulation, simulation.spawn(DOCUMENT))
        run(LAYOUT, robot, seconds=0.2)
    return path


def test_from_a_log_modules_command_as_then(recorded: Path) -> None:
    with LogRobot(recorded) as robot:
        assert run(LAYOUT, robot) >= 200
        assert robot.difference == "" and len(robot.commands) > 150
    with LogRobot(recorded, "Cart") as robot:
        run(Layout(m.see, m.decide, Solutions("move", m.Jump)), robot)
        assert robot.difference.startswith("frame 4: then ")


def test_a_program_that_logs_runs_from_a_log_and_is_told_that_it_ends(recorded: Path) -> None:
    with LogRobot(recorded) as robot:
        for frame in robot:
            robot.log("time", frame.time)
            robot.draw("here", text="here")
            assert robot.end is None
        assert robot.end is not None and (robot.end.reason, robot.end.text) == ("finished", "the log has no more")


class Talkative(Module):
    """Says something with a level, and draws in the robot's own space."""

    def update(self, tick: Tick) -> None:
        self.log("state", "this will not end well", level="warning")
        self.log("plan", {"points": [(0, 1, 0)]}, space="Base")


def test_modules_log_with_level_and_space(tmp_path: Path) -> None:
    with Simulation() as simulation, Recorder(simulation, tmp_path / "a.mcap"):
        run(Layout(Solutions("talk", Talkative)), LocalRobot(simulation, simulation.spawn(DOCUMENT)), seconds=0.01)
    with Log(tmp_path / "a.mcap") as log:
        said = {found.entry.name: found.entry for found in ProgramEntries(log).between(log.first, log.last)}
    assert said["state"].level == "warning" and said["plan"].space == "Base"


class Mistaken(Module):
    """Logs what cannot be logged."""

    def update(self, tick: Tick) -> None:
        self.log("what", object())


def test_what_cannot_be_logged_is_an_error_and_not_silence(serve: Callable[..., Any]) -> None:
    serving = serve(50, clients=1)
    with (
        connect(DOCUMENT, port=serving.port, protocol=2) as robot,
        pytest.raises(LocalProtocolError, match="what cannot be logged: object is no number"),
    ):
        run(Layout(Solutions("talk", Mistaken)), robot)


def test_a_robot_that_the_log_does_not_know(recorded: Path) -> None:
    with pytest.raises(UberSimError, match=r"there is no robot 'Horse' in .*; there are Cart"):
        LogRobot(recorded, "Horse")


def test_words_stand_for_robots(serve: Callable[..., Any], recorded: Path) -> None:
    serving = serve(50, clients=1)
    for source in ("simulation", f"127.0.0.1:{serving.port}", str(recorded)):
        robot = open_robot(source, None if source.endswith(".mcap") else DOCUMENT)
        assert run(LAYOUT, robot, seconds=0.02) == 21
        assert robot.frame is not None and robot.read("Tilt") is not None
        robot.close()
    with pytest.raises(UberSimError, match="simulation needs a robot"):
        open_robot("simulation")


def test_supervisors_switch_solutions_at_exact_frames_and_a_log_does_so_again(
    serve: Callable[..., Any], tmp_path: Path
) -> None:
    path, simulation = tmp_path / "switched.mcap", Simulation()
    with Recorder(simulation, path):
        serving = serve(80, simulation, clients=1)
        with supervise(port=serving.port) as world:
            world.set_parameter("Cart", "move", "Jump", frame=30)
            world.set_parameter("Cart", "gain", 20.0, frame=50)
            world.truth()  # the server knows of both now
            run(LAYOUT, f"127.0.0.1:{serving.port}", DOCUMENT)
        serving.result()
    with LogRobot(path) as robot, ControlRun(LAYOUT, robot) as control:
        switched = {frame.time: control.parameters["move"] for frame in iter(control.step, None) if frame is not None}
        assert next(time for time, choice in switched.items() if choice == "Jump") == pytest.approx(0.031)
        assert control.parameters["gain"] == 20.0
        assert robot.difference == ""


@pytest.fixture
def device() -> Device:
    return Device()


@pytest.fixture
def port(device: Device, tmp_path: Path) -> Iterator[PortServer]:
    with PortServer(device, DOCUMENT, port=0, step=0.002, record=tmp_path / "real.mcap") as server:
        thread = threading.Thread(target=server.run)
        thread.start()
        yield server
        server.stop()
        thread.join()


def test_a_device_speaks_our_wire(port: PortServer, device: Device, tmp_path: Path) -> None:
    with connect(DOCUMENT, port=port.address.port) as robot:
        assert robot.step == 0.002 and robot.settings["sensors"]["Tilt"]["type"] == "InclinometerSensor"
        while len(device.told) <= 5:  # a busy machine leaves frames out
            run(LAYOUT, robot, seconds=0.02)
        with pytest.raises(RefusedError, match="has a program already"):
            connect(DOCUMENT, port=port.address.port)
        robot.next_frame()
    until(lambda: device.stopped)
    assert {told[:2] for told in device.told} == {("Motor", "Vel")}
    port.stop()


def test_a_real_run_is_recorded(device: Device, tmp_path: Path) -> None:
    path = tmp_path / "real.mcap"
    with PortServer(device, DOCUMENT, port=0, step=0.001, record=path) as server:
        thread = threading.Thread(target=server.run)
        thread.start()
        with connect(DOCUMENT, port=server.address.port) as robot:
            while server.frame < 50 or len(device.told) < 25:  # a busy machine leaves frames out
                run(LAYOUT, robot, seconds=0.05)
        server.stop()
        thread.join()
    with Log(path) as log:
        assert log.facts["real"] == "yes" and log.last >= 50
        with pytest.raises(UberSimError, match="a real robot's run"):
            replay(log)
    with LogRobot(path) as again:
        tilts = [frame["Tilt"] for frame in again if "Tilt" in frame]
    assert len(tilts) > 20 and np.all(np.diff(np.array(tilts)) >= 0.0) and tilts[-1] > 0.0


def test_a_port_refuses_what_is_wrong(port: PortServer, device: Device) -> None:
    with connect(DOCUMENT, port=port.address.port) as robot:
        robot.next_frame()
        robot.set("Motor", "FMax", -1.0)
        with pytest.raises(UberSimError, match="FMax of 'Motor' cannot be -1"):
            for _ in range(500):
                robot.next_frame()
    with connect(DOCUMENT, port=port.address.port) as robot:  # and goes on
        assert robot.next_frame() is not None


class Misspelt(Device):
    def readings(self) -> Iterator[tuple[str, Any]]:
        yield "Tlit", 0.0


class Misshapen(Device):
    def readings(self) -> Iterator[tuple[str, Any]]:
        yield "Tilt", [1.0, 2.0]


@pytest.mark.parametrize(
    ("device", "words"), [(Misspelt(), "has no sensor 'Tlit'"), (Misshapen(), r"has the shape \(\), not \(2,\)")]
)
def test_readings_have_the_form_that_the_document_says(device: Device, words: str) -> None:
    with PortServer(device, DOCUMENT, port=0) as server, pytest.raises(UberSimError, match=words):
        server.run(frames=2)


def test_a_log_robot_refuses_unknown_properties_and_finds_sensors(recorded: Path) -> None:
    with LogRobot(recorded) as robot:
        robot.set("Motor", "Vel", 1.0)  # no frame has come that it could be an answer to
        assert robot.commands == []
        robot.next_frame()
        with pytest.raises(UberSimError, match="Motor has no property 'Vle'; did you mean Vel"):
            robot.set("Motor", "Vle", 1.0)
        assert robot.find(type="InclinometerSensor") == ["Tilt"]


def test_a_log_has_jumps_changed_latencies_and_an_end(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with Simulation() as simulation, Recorder(simulation, path):
        robot = LocalRobot(simulation, simulation.spawn(DOCUMENT))
        start = simulation.snapshot()
        with ControlRun(LAYOUT, robot) as control:
            for frame in range(60):
                if frame == 20:
                    Interventions(simulation).execute("Latency", {"robot": "Cart", "milliseconds": 7.0})
                if frame == 40:
                    simulation.restore(start)
                control.step()
        simulation.remove("Cart")
        simulation.step(5)
    with LogRobot(path) as again:
        times = [round(1000 * frame.time) for frame in again]
        back = times.index(0, 1)
        assert times == [*range(back), *range(len(times) - back)] and 30 < back < 45
        assert again.end is not None and again.end.text != "the log has no more"
