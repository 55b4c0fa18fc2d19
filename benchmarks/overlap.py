#!/usr/bin/env python3
"""What a camera costs the lockstep loop: drawn inline, and drawn by a worker while the server steps on.

The Segway with its balancing client, one 320x240 camera at 30 Hz with 40 ms latency. The cost of a picture is the wall
time of the run minus that of the same run without the camera, per picture; the best of several runs.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lxml import etree

from ubersim.description.places import shipped
from ubersim.server import Server
from ubersim.simulation import Simulation

FRAMES, WARM, RUNS = 6000, 500, 5
RATE, LATENCY = 30, 40


def segway(camera: bool) -> str:
    """Its document, with the camera or without."""
    root = etree.parse(shipped("robots/segway.xml"), etree.XMLParser(remove_comments=True)).getroot()
    (eye,) = root.iter("CameraSensor")
    eye.find("Frequency").text, eye.find("Latency").text = str(RATE), str(LATENCY)
    if not camera:
        eye.getparent().remove(eye)
    return str(etree.tostring(root, encoding="unicode"))


def run(robot: Path, workers: int) -> float:
    """Wall time of the frames after the first few [s]."""
    simulation = Simulation(shipped("worlds/playground.xml"), render_workers=workers)
    with Server(simulation, port=0, clients=1) as server:
        port = str(server.address[1])
        program = [sys.executable, str(shipped("clients/segway_pd.py")), "--port", port, "--robot", str(robot)]
        client = subprocess.Popen(program, stdin=subprocess.DEVNULL)
        server.run(WARM)
        started = time.perf_counter()
        server.run(FRAMES)
        wall = time.perf_counter() - started
    client.wait()
    return wall


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        blind, seeing = Path(folder) / "blind.xml", Path(folder) / "seeing.xml"
        blind.write_text(segway(False))
        seeing.write_text(segway(True))
        # In turn, so that a change of the machine's mood concerns all alike.
        rounds = [(run(blind, 0), run(seeing, 0), run(seeing, 1)) for _ in range(RUNS)]
    without, inline, worker = (min(times) for times in zip(*rounds, strict=True))
    pictures = (FRAMES - WARM) * Simulation().step_size * RATE
    for name, wall in (("without camera", without), ("inline", inline), ("workers=1", worker)):
        cost = (wall - without) / pictures
        print(f"{name:16}{wall:7.3f} s{1e6 * cost:8.0f} us per picture")
    print(f"a worker leaves {100 * (worker - without) / (inline - without):.0f} % of the cost")


if __name__ == "__main__":
    main()
