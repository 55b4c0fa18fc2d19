"""What sensors cost: laser scanners against bare ODE in C, and a robot full of sensors. Prints, asserts nothing."""

from __future__ import annotations

import math
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from ubersim.description import read_world
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

ROUNDS = 15
SCANNERS = ((180, 180), (360, 360), (1080, 270))
"""Beams and field of view [degrees]."""
BAR = 1.2
SENSORS = (1, 6, 11, 21)
"""How many of them a robot has: an IMU, and joint sensors."""


def vector(tag: str, x: float, y: float, z: float) -> str:
    return f"<{tag}><x>{x}</x><y>{y}</y><z>{z}</z></{tag}>"


def box(name: str, at: tuple[float, float, float], size: tuple[float, float, float], more: str = "") -> str:
    edges = "".join(f"<{axis}Size>{length}</{axis}Size>" for axis, length in zip("XYZ", size, strict=True))
    return f'<Box name="{name}">{vector("Position", *at)}{more}{edges}<Material>Wood</Material></Box>'


def room() -> str:
    """Four walls and twenty boxes on the ground; the C program has the same."""
    walls = [
        box("East", (5.5, 0, 0.5), (1, 10, 1)),
        box("West", (-5.5, 0, 0.5), (1, 10, 1)),
        box("North", (0, 5.5, 0.5), (12, 1, 1)),
        box("South", (0, -5.5, 0.5), (12, 1, 1)),
    ]
    for place in range(20):
        angle, distance = 0.3 + place * 0.31, 2 + 0.12 * place
        walls.append(box(f"B{place}", (distance * math.cos(angle), distance * math.sin(angle), 0.25), (0.3, 0.3, 0.5)))
    return f"<World><Ground/><Static>{''.join(walls)}</Static></World>"


def robot(bodies: str, joints: str = "") -> str:
    entity = f"<RigidBodies>{bodies}</RigidBodies><Joints>{joints}</Joints>"
    return f"<Client><CSettings><Name>R</Name></CSettings><Entity>{entity}</Entity></Client>"


def scanner(beams: int, fov: float) -> Robot:
    """A robot with one laser scanner in the middle of the room."""
    settings = f"<Range>30</Range><Beams>{beams}</Beams><Fov>{fov}</Fov>"
    lidar = f'<LidarSensor name="L">{vector("Position", 0, 0, 0)}{settings}</LidarSensor>'
    base = box("Base", (0, 0, 0), (0.3, 0.3, 0.1), "<Mass>1</Mass>")
    simulation = Simulation(read_world(room()))
    return simulation.spawn(robot(f'<Body name="B">{base}{lidar}</Body>'), position=(0, 0, 0.3))


def compare(program: Path, beams: int, fov: float) -> tuple[float, float]:
    """Median microseconds per scan: bare C, and our device from the world to the bytes; both measure the same."""
    device = scanner(beams, fov).sensors["L"].reader
    scans = max(5, 20_000 // beams)
    rounds = []
    with subprocess.Popen(
        [str(program), str(beams), str(fov), str(scans)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as bare:
        assert bare.stdin and bare.stdout
        for _ in range(ROUNDS):
            bare.stdin.write("go\n")
            bare.stdin.flush()
            seconds, total = map(float, bare.stdout.readline().split())
            start = time.perf_counter()
            for _ in range(scans):
                reading = device.sample()
            rounds.append((seconds, time.perf_counter() - start))
        bare.stdin.close()
    assert isinstance(reading, bytes)
    assert abs(float(np.frombuffer(reading, "<f4").astype(float).sum()) - total) < 1e-3 * beams, "another scene"
    theirs, ours = (statistics.median(column) * 1e6 / scans for column in zip(*rounds, strict=True))
    return theirs, ours


def limbs(sensors: int, count: int = 20) -> str:
    """A body with an IMU, then `count` driven limbs with a joint sensor each, up to so many sensors in all."""
    parts = box("Base", (0, 0, 0), (0.5, 0.5, 0.2), "<Mass>5</Mass>")
    if sensors:
        parts += f'<ImuSensor name="Imu">{vector("Position", 0, 0, 0)}</ImuSensor>'
    bodies, joints = "", ""
    for place in range(count):
        angle = 2 * math.pi * place / count
        x, y = 0.5 * math.cos(angle), 0.5 * math.sin(angle)
        bodies += f'<Body name="L{place}">{box(f"S{place}", (x, y, 0), (0.05, 0.05, 0.3), "<Mass>0.2</Mass>")}</Body>'
        place_of = vector("Axis", 0, 0, 1) + vector("AnchorPos", x, y, 0)
        ends = f"<Body1>L{place}</Body1><Body2>Base_</Body2>"
        joints += f'<JointHinge name="J{place}">{ends}{place_of}<Vel>1</Vel><FMax>1</FMax></JointHinge>'
        if place < sensors - 1:
            inside = f"{vector('Position', 0, 0, 0)}<Joint>J{place}</Joint>"
            parts += f'<JointSensor name="M{place}">{inside}</JointSensor>'
    return robot(f'<Body name="Base_">{parts}</Body>{bodies}', joints)


def per_frame(counts: tuple[int, ...], frames: int = 50) -> list[float]:
    """Median microseconds per frame of 1 ms with so many sensors, which all read in every frame; measured in turns."""
    weightless = f"<World><Settings>{vector('Gravity', 0, 0, 0)}</Settings></World>"
    simulations = [Simulation(read_world(weightless), step=0.001) for _ in counts]
    for simulation, count in zip(simulations, counts, strict=True):
        simulation.spawn(limbs(count), position=(0, 0, 1))
    rounds: list[list[float]] = []
    for _ in range(4 * ROUNDS):
        times = []
        for simulation in simulations:
            start = time.perf_counter()
            for _ in range(frames):
                simulation.step()
            times.append((time.perf_counter() - start) * 1e6 / frames)
        rounds.append(times)
    return [statistics.median(column) for column in zip(*rounds, strict=True)]


def main() -> None:
    """Builds the C program, and prints both tables."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "bare_rays"
        source = Path(__file__).with_name("bare_rays.c")
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-o", program, source, "-lode", "-lm"], check=True)
        print("us/scan".rjust(16), "   bare C    ours  ratio  bar")
        for beams, fov in SCANNERS:
            bare, ours = compare(program, beams, fov)
            print(f"{beams:>5} over {fov:>3} deg {bare:9.1f} {ours:7.1f} {ours / bare:6.2f}  <= {BAR}", flush=True)
    alone, *full = per_frame((0, *SENSORS))
    print(f"\n20 joints at 1 kHz: {alone:.1f} us/frame without a sensor")
    for count, microseconds in zip(SENSORS, full, strict=True):
        each = (microseconds - alone) / count
        print(f"an IMU and {count - 1:>2} joint sensors: {microseconds:6.1f} us/frame, {each:.2f} per sensor")


if __name__ == "__main__":
    main()
