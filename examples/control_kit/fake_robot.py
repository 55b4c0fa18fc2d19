"""A robot that is none of the simulator's: a device with a life of its own, which `PortServer` makes speak our wire.

    python fake_robot.py --port 9041 --record real.mcap
    python goal_finder.py --from 127.0.0.1:9041

In place of motors and a laser it has a Pioneer in a simulation that goes with the clock on the wall, with wheels that
are a little larger than the program believes, and whatever noise this minute brings. A real robot has drivers there.
"""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ubersim.control.port_server import PortServer
from ubersim.simulation import Simulation

HERE = Path(__file__).parent
SLIP = 0.97
"""What is left of a wheel's speed on this floor."""


class FakePioneer:
    """Drivers of a robot that is not there: `RobotPort`."""

    def __init__(self) -> None:
        self._simulation = Simulation(HERE / "yard.xml", step=0.004, seed=time.time_ns() % 2**32)
        self._robot = self._simulation.spawn("pioneer")
        self._start: float | None = None
        self._told = dict.fromkeys(self._robot.sensors, -1)

    def readings(self) -> Iterator[tuple[str, Any]]:
        """What its sensors have measured since the last call."""
        now = time.perf_counter()
        self._start = now if self._start is None else self._start
        frames = int((now - self._start) / self._simulation.step_size) - self._simulation.frame
        if frames > 0:
            self._simulation.step(min(frames, 250))
        for name, sensor in self._robot.sensors.items():
            if sensor.latest_frame > self._told[name]:
                self._told[name] = sensor.latest_frame
                yield name, sensor.value()

    def command(self, component: str, name: str, value: float) -> None:
        """Tells a motor."""
        self._robot.command(component, name, SLIP * value if name == "Speed" else value)

    def stop(self) -> None:
        """Stands still."""
        for motor in ("LMotor", "RMotor"):
            self._robot.command(motor, "Speed", 0.0)


def main() -> None:
    """Serves the robot until it is switched off."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=9041)
    parser.add_argument("--record", type=Path, help="write a log of the run to this file")
    given = parser.parse_args()
    with PortServer(FakePioneer(), "pioneer", port=given.port, record=given.record, note=print) as server:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: server.stop())
        print(f"listening on {server.address}", flush=True)
        server.run()


if __name__ == "__main__":
    main()
