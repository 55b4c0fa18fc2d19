#!/usr/bin/env python3
"""What a camera costs the lockstep loop: drawn inline, and drawn by a worker while the server steps on.

The Segway with its balancing client, one 320x240 camera at 30 Hz with 40 ms latency, in worlds/playground.xml; in
strict lockstep, and with the Segway's own 10 ms of latency, with which the server runs ahead of its client. The cost of
a picture is what the loop needs more than in the same run without the camera, per picture: processor time of the
loop's thread, and wall time; the median of what runs right after each other differ by. The server does not look for
answers without sleeping here, because looking is processor time, too.

The limit: running ahead, this loop wants a picture every millisecond or two, which takes about as long to draw, and the
client wants to live as well. Three processes on two cores get in each other's way; wall time tells how much.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lxml import etree

import ubersim.server.server
from ubersim.description.places import shipped
from ubersim.protocol.settings import with_settings
from ubersim.sensors.camera import CameraDevice
from ubersim.server import Server
from ubersim.simulation import Simulation

FRAMES, WARM, RUNS = 6000, 500, 11
RATE, LATENCY = 30, 40
WORLD = shipped("worlds/playground.xml")


def segway(camera: bool, latency: float) -> str:
    """Its document, with the camera or without, and with the robot's own latency [ms]."""
    root = etree.parse(shipped("robots/segway.xml"), etree.XMLParser(remove_comments=True)).getroot()
    (eye,) = root.iter("CameraSensor")
    eye.find("Frequency").text, eye.find("Latency").text = str(RATE), str(LATENCY)
    if not camera:
        eye.getparent().remove(eye)
    return with_settings(str(etree.tostring(root, encoding="unicode")), latency=latency)


def drawing() -> float:
    """Seconds of the processor that drawing one picture takes, in one thread, at best."""
    with Simulation(WORLD, render_workers=1) as simulation:
        device = simulation.spawn(segway(True, 0)).sensors["Cam"].reader
        assert isinstance(device, CameraDevice)
        (worker,) = simulation.eyes.open().processes  # type: ignore[attr-defined]

        def busy() -> float:
            tasks = Path(f"/proc/{worker}/task").glob("*/schedstat")
            return sum(int(task.read_text().split()[0]) for task in tasks)

        costs = []
        for _ in range(RUNS):
            before = busy()
            for _ in range(100):
                device.sample().collect()
            costs.append((busy() - before) / 100)
    return min(costs) * 1e-9


def run(robot: Path, workers: int) -> tuple[float, float]:
    """Processor time of the loop and wall time of the frames after the first few [s]."""
    with Server(Simulation(WORLD, render_workers=workers), port=0, clients=1) as server:
        port = str(server.address[1])
        program = [sys.executable, str(shipped("clients/segway_pd.py")), "--port", port, "--robot", str(robot)]
        client = subprocess.Popen(program, stdin=subprocess.DEVNULL)
        server.run(WARM)
        started = time.thread_time(), time.perf_counter()
        server.run(FRAMES)
        spent = time.thread_time() - started[0], time.perf_counter() - started[1]
    client.wait()
    return spent


def costs(latency: float) -> dict[str, list[float]]:
    """What a picture costs, processor and wall time [s], by who draws it."""
    with tempfile.TemporaryDirectory() as folder:
        blind, seeing = Path(folder) / "blind.xml", Path(folder) / "seeing.xml"
        blind.write_text(segway(False, latency))
        seeing.write_text(segway(True, latency))
        rounds = [(run(blind, 0), run(seeing, 0), run(seeing, 1)) for _ in range(RUNS)]
    pictures = (FRAMES - WARM) * Simulation().step_size * RATE
    return {
        name: [statistics.median(round[who][kind] - round[0][kind] for round in rounds) / pictures for kind in (0, 1)]
        for who, name in enumerate(("inline", "workers=1"), start=1)
    }


def main() -> None:
    ubersim.server.server.CORES = 1  # nobody looks
    render = drawing()
    print(f"drawing one picture takes {1e6 * render:.0f} us of a core; in the loop it costs")
    print(f"{'':36}{'processor':>14}{'wall':>14}")
    for latency, name in ((0, "strict lockstep"), (10, "10 ms ahead")):
        for who, spent in costs(latency).items():
            told = "".join(f"{1e6 * cost:8.0f} us {100 * cost / render:3.0f} %" for cost in spent)
            print(f"{name:24}{who:12}{told}")


if __name__ == "__main__":
    main()
