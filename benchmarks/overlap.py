#!/usr/bin/env python3
"""What a camera costs the lockstep loop: drawn inline, and drawn by a worker while the server steps on.

The Segway with its balancing client, one 320x240 camera at 30 Hz with 40 ms latency, in worlds/playground.xml; in
strict lockstep, and with the Segway's own 10 ms of latency, with which the server runs ahead of its client. The
loop's own time is processor time of its thread from the order to the picture's last byte in the socket: what it
samples, collects, copies and sends. Wall time is what the run takes longer than the same run without the camera, per
picture; the median of what runs right after each other differ by, and still a noisy one. The server does not look for
answers without sleeping here: it would look less with a worker than without.

The limit: running ahead, this loop wants a picture every millisecond or two, which takes about as long to draw, and the
client wants to live as well. Three processes on two cores get in each other's way; wall time tells how much.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lxml import etree

import ubersim.server.server
from ubersim.components.sensors.camera import CameraDevice
from ubersim.description.resources import shipped
from ubersim.protocol.document_settings import with_settings
from ubersim.protocol.server_lane import FrameWriter
from ubersim.render import WorkerRenderer
from ubersim.server import Server
from ubersim.server.session import Session
from ubersim.simulation import Simulation
from ubersim.simulation.cameras import PendingPicture

FRAMES, WARM, RUNS = 6000, 500, 11
RATE, LATENCY = 30, 40
WORLD = shipped("worlds/playground.xml")


def segway(camera: bool, latency: float) -> str:
    """Its document, with the camera or without, and with the robot's own latency [ms]."""
    root = etree.parse(shipped("robots/segway.xml"), etree.XMLParser(remove_comments=True)).getroot()
    (eye,) = root.iter("CameraSensor")
    for tag, value in (("Frequency", RATE), ("Latency", LATENCY)):
        next(eye.iterchildren(tag)).text = str(value)
    if not camera:
        next(eye.iterancestors()).remove(eye)
    return with_settings(str(etree.tostring(root, encoding="unicode")), latency=latency)


def drawing() -> float:
    """Seconds of the processor that drawing one picture takes, in one thread, at best."""
    with Simulation(WORLD, render_workers=1) as simulation:
        device = simulation.spawn(segway(True, 0)).sensors["Cam"].reader
        assert isinstance(device, CameraDevice)
        maker = simulation.cameras.open()
        assert isinstance(maker, WorkerRenderer)
        (worker,) = maker.processes

        def busy() -> float:
            tasks = Path(f"/proc/{worker}/task").glob("*/schedstat")
            return sum(int(task.read_text().split()[0]) for task in tasks)

        costs = []
        for _ in range(RUNS):
            before = busy()
            for _ in range(100):
                picture = device.sample()
                assert isinstance(picture, PendingPicture)
                picture.collect()
            costs.append((busy() - before) / 100)
    return min(costs) * 1e-9


def run(robot: Path, workers: int) -> tuple[float, float]:
    """Processor time of the loop for the camera, and wall time of everything, of the frames after the first few [s]."""
    with Server(Simulation(WORLD, render_workers=workers), port=0, clients=1) as server:
        port = str(server.address[1])
        program = [sys.executable, str(shipped("clients/segway_pd.py")), "--port", port, "--robot", str(robot)]
        client = subprocess.Popen(program, stdin=subprocess.DEVNULL)
        server.run(WARM)
        camera.spent, started = 0.0, time.perf_counter()
        server.run(FRAMES)
        wall = time.perf_counter() - started
    client.wait()
    return camera.spent, wall


class Stopwatch:
    """Adds up the processor time of this thread in certain functions."""

    spent = 0.0

    def watch(self, owner: type, name: str, which: Callable[..., bool] = lambda *_: True) -> None:
        """Counts the calls with such arguments."""
        function = getattr(owner, name)

        def watched(*arguments: object) -> object:
            if not which(*arguments):
                return function(*arguments)
            started = time.thread_time()
            try:
                return function(*arguments)
            finally:
                self.spent += time.thread_time() - started

        setattr(owner, name, watched)


def costs(latency: float) -> dict[str, list[float]]:
    """What a picture costs, the loop's own and wall time [s], by who draws it."""
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


camera = Stopwatch()


def main() -> None:
    vars(ubersim.server.server)["CORES"] = 1  # the loop sleeps at once instead of looking for answers
    render = drawing()
    camera.watch(CameraDevice, "sample")
    camera.watch(PendingPicture, "collect")
    camera.watch(FrameWriter, "frame", lambda _writer, _time, readings=(): any(len(data) > 1e5 for _, data in readings))
    camera.watch(Session, "queue", lambda _session, _frame, data, _answer: len(data) > 1e5)
    print(f"drawing one picture takes {1e6 * render:.0f} us of a core; in the loop it costs")
    print(f"{'':36}{'own time':>14}{'wall':>14}")
    for latency, name in ((0, "strict lockstep"), (10, "10 ms ahead")):
        for who, spent in costs(latency).items():
            told = "".join(f"{1e6 * cost:8.0f} us {100 * cost / render:3.0f} %" for cost in spent)
            print(f"{name:24}{who:12}{told}")


if __name__ == "__main__":
    main()
