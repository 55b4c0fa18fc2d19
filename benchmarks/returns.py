"""How often a server leaves the native lane for Python with each robot that comes along, and what for.

    python -m benchmarks.returns [FRAMES]

Each robot has a program that commands it in every frame: its drive by a twist, else a servo, else a joint.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import ubersim
from ubersim.components.native_forms import NativelyDriven, NativelySampled
from ubersim.description.resources import shipped, shipped_names
from ubersim.server import Server
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

LATENCY = 20.0
"""Of all robots [ms]."""


def commands(robot: ubersim.RemoteRobot) -> list[tuple[str, str]]:
    """What its program sets."""
    motors, joints = robot.settings["motors"], robot.settings["joints"]
    if "Drive" in motors:
        return [("Drive", "Speed"), ("Drive", "Turn")]
    servos = (name for name in motors if "Target" in motors[name]["properties"])
    return [(name, "Target") for name in servos] or [(name, "Vel") for name in joints]


def play(document: Path, port: int) -> None:
    """Answers every frame until the server ends."""
    with ubersim.connect(document, port=port, latency=LATENCY) as robot:
        wanted = commands(robot)
        for number, _ in enumerate(robot):
            for component, name in wanted:
                robot.set(component, name, 1e-3 * (number % 100))


def strangers(robot: Robot) -> list[str]:
    """What of a robot the lane does not know."""
    readers = [(channel.name, channel.reader) for channel in robot.sensors.values()]
    foreign = [name for name, reader in readers if not (isinstance(reader, NativelySampled) and reader.native())]
    drivers = [(motor.name, motor.controller) for motor in robot.motors.values()]
    return foreign + [name for name, each in drivers if not (isinstance(each, NativelyDriven) and each.native())]


def main() -> None:
    """One robot after the other."""
    frames = int(sys.argv[1]) if sys.argv[1:] else 1000
    for name in shipped_names("robots"):
        simulation = Simulation()
        with Server(simulation, port=0, clients=1) as server:
            thread = threading.Thread(target=play, args=(shipped(f"robots/{name}.xml"), server.address[1]), daemon=True)
            thread.start()
            server.run(frames)
            unknown = strangers(next(iter(simulation.robots.values())))
            reasons = ", ".join(f"{reason.name.lower()} {count}" for reason, count in server.lane.returns.items())
            python = frames - server.lane.frames
        thread.join()
        print(f"{name}: {python} of {frames} frames by Python; returns: {reasons}; unknown: {', '.join(unknown)}")


if __name__ == "__main__":
    main()
