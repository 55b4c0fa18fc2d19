"""Pictures that verbs of the command line make: of logs, and of a robot with its marks."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import ubersim
from ubersim.control.balancer import Balancer
from ubersim.timing.normal import Normal
from ubersim.timing.uniform import Uniform


def marks(file: Path) -> None:
    """A Pioneer, with what has a name."""
    _ubersim("show", "pioneer", "--marks", "-o", file)


def plot(file: Path) -> None:
    """A car on two runs, of which one is faster."""
    with tempfile.TemporaryDirectory() as scratch:
        slow, fast = Path(scratch) / "slow.mcap", Path(scratch) / "fast.mcap"
        for log, speed in ((slow, 0.7), (fast, 1.2)):
            _drive(log, speed)
        topics = ("/Car/Imu.force", "/Car/RearWheel.rate", "/Car/Drive/Speed", "/Car/Lidar")
        _ubersim("plot", slow, *topics, "--with", fast, "--from", 0.2, "-o", file)


def latency(file: Path) -> None:
    """A Segway whose latency is changed by its program, and by a supervisor."""
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "run.mcap"
        _change_latencies(log)
        _ubersim("plot", log, "--latency", "Segway", "-o", file)


def _drive(log: Path, speed: float) -> None:
    with ubersim.Simulation("office") as simulation, ubersim.Recorder(simulation, log):
        robot = simulation.spawn("car", latency=10)
        robot.command("Drive", "Speed", speed)
        for frame in range(2000):
            if frame % 50 == 0:
                robot.command("Drive", "Turn", 0.4 * (-1) ** (frame // 1000))
            simulation.step()


def _change_latencies(log: Path) -> None:
    words = ["serve", "--port", 0, "--world", "playground", "--clients", 1, "--frames", 6000, "--record", log]
    command = [sys.executable, "-m", "ubersim.cli", *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline().rpartition(":")[2])
        with (
            ubersim.supervise(port=port) as world,
            ubersim.connect("segway", port=port, latency=Normal(20, 4, 5)) as robot,
        ):
            world.set_latency("Segway", Uniform(10, 30), frame=4000)
            world.set_latency("Segway", Uniform(3, 9), sensor="Tilt", frame=4500)
            balancer = Balancer()
            for frame in robot:
                if round(frame.time / 0.001) == 2000:
                    robot.set_latency(10)
                if "Tilt" in frame:
                    speed = balancer.update(float(frame["Tilt"]))
                    robot.set("LMotor", "Vel", speed)
                    robot.set("RMotor", "Vel", speed)


def _ubersim(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "ubersim.cli", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


PLOTS = {"show_marks": marks, "plot": plot, "latency": latency}
