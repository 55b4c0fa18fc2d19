"""How often a server leaves the native lane for Python with each robot that comes along, what for, and what that costs.

    python -m benchmarks.returns [--frames N] [--teams]

Each robot has a program that commands it in every frame: its drive by a twist, else its servos, else its joints. With
`--teams`, also what a frame of twelve robots on wheels takes of the server's processor, on either lane, without
cameras; their twelve programs are processes of their own.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import threading
from pathlib import Path

import ubersim
from benchmarks.performance.runs import Programs
from ubersim.components.native_forms import NativelyDriven, NativelySampled
from ubersim.description.resources import shipped, shipped_names
from ubersim.protocol.document_settings import with_settings
from ubersim.server import Server
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

LATENCY = 20.0
"""Of all robots [ms]."""
TEAM, TEAMS = 12, ("msl_omni", "ssl", "scout", "car")


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


def returns(name: str, frames: int) -> str:
    """Of one robot: the frames that Python took, why the lane came back, and what it does not know."""
    simulation = Simulation()
    with Server(simulation, port=0, clients=1) as server:
        path = shipped(f"robots/{name}.xml")
        thread = threading.Thread(target=play, args=(path, server.address[1]), daemon=True)
        thread.start()
        server.run(frames)
        unknown = ", ".join(strangers(next(iter(simulation.robots.values())))) or "nothing"
        reasons = ", ".join(f"{reason.name.lower()} {count}" for reason, count in server.lane.returns.items())
        python = frames - server.lane.frames
    thread.join()
    return f"{name}: {python} of {frames} frames by Python; returns: {reasons}; it does not know: {unknown}"


def team(programs: Programs, name: str, frames: int) -> str:
    """Twelve of a kind, on either lane."""
    text = re.sub(r"<CameraSensor\b.*?</CameraSensor>", "", shipped(f"robots/{name}.xml").read_text(), flags=re.DOTALL)
    documents = [with_settings(text, name=f"R{number}", latency=LATENCY) for number in range(TEAM)]
    program = [sys.executable, "-m", "benchmarks.returns", "--play", "{document}", "--port", "{port}"]
    python, native = (
        programs.run(program, documents, frames, lane=lane, plain=False).server for lane in ("python", "native")
    )
    return f"{TEAM} {name}: {python:.0f} us of the server's processor per frame by Python, {native:.0f} by the lane"


def main() -> None:
    """One robot after the other."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--frames", type=int, default=1000)
    parser.add_argument("--teams", action="store_true", help="also twelve of a kind")
    parser.add_argument("--play", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.play:
        play(arguments.play, arguments.port)
        return
    for name in shipped_names("robots"):
        print(returns(name, arguments.frames), flush=True)
    if arguments.teams:
        with tempfile.TemporaryDirectory() as folder:
            programs = Programs(Path(folder))
            for name in TEAMS:
                print(team(programs, name, arguments.frames), flush=True)


if __name__ == "__main__":
    main()
