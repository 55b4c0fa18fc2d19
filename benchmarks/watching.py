"""What watching costs: 50 robots in lockstep, with the live page looking at them at 30 Hz, and alone.

    python -m benchmarks.watching [--quick]

The robots and their clients, in C, are those of lockstep.py. The page is the real one, `ubersim serve --view`, with a
browser's connection that takes everything the page sends, but draws nothing: on a machine without a graphics card a
browser takes all the cores that there are. Runs differ from each other by more than watching costs; so it is measured
within one run, in which the page is stopped every other second, as a process that does nothing and takes nothing. That
the digest is that of a run without a page is found out by such a run.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from viser import __version__ as version
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from benchmarks.lockstep import C_SOURCES, ROBOT
from ubersim.client.supervisor import supervise
from ubersim.errors import RefusedError
from ubersim.protocol.document_settings import with_settings

ROBOTS = 50
BAR = 0.9
SETTLING, STRETCH = 0.2, 0.8
"""How long after a change nothing is measured, and for how long it is then [s]."""
HERE = Path(__file__).resolve().parent


class Onlooker:
    """A browser as far as the page can tell: it says that it looks, and takes what comes."""

    def __init__(self, page: str) -> None:
        self.messages = 0
        self._wire = connect(
            page.replace("http", "ws"), subprotocols=[Subprotocol(f"viser-v{version}")], max_size=None, compression=None
        )
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        import msgspec

        camera = {
            "type": "ViewerCameraMessage", "wxyz": [1, 0, 0, 0], "position": [3, 3, 3], "fov": 1.0, "near": 0.1,
            "far": 100.0, "image_height": 800, "image_width": 1200, "look_at": [0, 0, 0], "up_direction": [0, 0, 1],
        }  # fmt: skip
        with contextlib.suppress(ConnectionClosed):
            self._wire.send(msgspec.msgpack.encode(camera))
            while True:
                self._wire.recv()
                self.messages += 1


def lines_of(process: subprocess.Popen[str], pattern: str) -> Iterator[str]:
    """What the server says that fits."""
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(pattern, line):
            yield found[1]


class Rates:
    """Frames per second, in stretches with the page and without it, one after the other."""

    def __init__(self, port: int, page: int) -> None:
        self.watched: list[float] = []
        self.alone: list[float] = []
        self._page = page
        self._world = supervise(port=port, name="stopwatch")

    def measure(self) -> None:
        """Until the server ends."""
        with contextlib.suppress(RefusedError, ConnectionError, ProcessLookupError):
            while True:
                for signal_number, rates in ((signal.SIGCONT, self.watched), (signal.SIGSTOP, self.alone)):
                    os.kill(self._page, signal_number)
                    time.sleep(SETTLING)
                    rates.append(self._rate())

    def _rate(self) -> float:
        first, start = self._world.truth().frame, time.perf_counter()
        time.sleep(STRETCH)
        return (self._world.truth().frame - first) / (time.perf_counter() - start)


def run(folder: Path, client: Path, documents: list[Path], frames: int, watched: bool) -> tuple[Rates | None, str, int]:
    """What was measured, the digest, and the messages that the page sent."""
    digest = folder / "digest"
    program = [sys.executable, "-m", "ubersim.cli", "serve", "--port", "0"]
    program += ["--clients", str(ROBOTS), "--frames", str(frames), "--digest", str(digest)]
    program += ["--view", "--view-port", "0"] if watched else []
    program += ["--materials", str(HERE / "plain.yaml")]
    rates = onlooker = None
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as server:
        port = next(lines_of(server, r"listening on .*:(\d+)"))
        if watched:
            onlooker = Onlooker(next(lines_of(server, r"page at (\S+)")))
            page = subprocess.run(["pgrep", "-P", str(server.pid)], capture_output=True, text=True, check=True)
            rates = Rates(int(port), int(page.stdout.split()[0]))
        clients = [
            subprocess.Popen([client, "127.0.0.1", port, document, "0"], stdout=subprocess.DEVNULL)
            for document in documents
        ]
        if rates is not None:
            rates.measure()
        print("simulated in", next(lines_of(server, r"simulated in ([\d.]+) s")), "s", flush=True)
        for robot in clients:
            robot.wait()
    return rates, digest.read_text(), onlooker.messages if onlooker else 0


def main() -> None:
    """One run that is watched now and then, one that is not, and what they have in common."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="fewer frames")
    frames = 15_000 if parser.parse_args().quick else 60_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        client, documents = folder / "segway_pd", []
        subprocess.run(["cc", "-std=c99", "-O2", "-o", client, *C_SOURCES, "-lm"], check=True)
        for number in range(ROBOTS):
            documents.append(folder / f"{number}.xml")
            documents[-1].write_text(with_settings(ROBOT, name=f"Held{number}", latency=20.0))
        rates, digest, messages = run(folder, client, documents, frames, watched=True)
        _, undisturbed, _ = run(folder, client, documents, frames, watched=False)
    assert rates is not None
    pairs = list(zip(rates.watched, rates.alone, strict=False))[1:]  # the first stretch sees robots come
    print(f"alone {statistics.median(b for _, b in pairs):.0f} frames/s, {len(pairs)} stretches; {messages} messages")
    ratio = statistics.median(watched / alone for watched, alone in pairs)
    print(f"watched over alone: {ratio:.3f} (bar {BAR}); digests {'equal' if digest == undisturbed else 'DIFFER'}")
    sys.exit(ratio < BAR or digest != undisturbed)


if __name__ == "__main__":
    main()
