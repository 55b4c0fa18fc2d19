"""What watching costs: 50 robots in lockstep, alone, and with the live page looking at them at 30 Hz; in turns.

    python benchmarks/watching.py [--quick]

The robots and their clients, in C, are those of lockstep.py. The page is the real one, `ubersim serve --view`, with a
browser's connection that takes everything the page sends, but draws nothing: on a machine without a graphics card a
browser takes all the cores that there are.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from lockstep import C_SOURCES, ROBOT  # beside this file
from viser import __version__ as version
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from ubersim.protocol.settings import with_settings

ROBOTS = 50
BAR = 0.9
HERE = Path(__file__).resolve().parent


class Onlooker:
    """A browser as far as the page can tell: it says that it looks, and takes what comes."""

    def __init__(self, page: str) -> None:
        self.messages = 0
        self._wire = connect(
            page.replace("http", "ws"), subprotocols=[f"viser-v{version}"], max_size=None, compression=None
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


def run(folder: Path, client: Path, documents: list[Path], frames: int, watched: bool) -> tuple[float, str, int]:
    """Frames per second, the digest's last line, and the messages that the page sent."""
    digest = folder / "digest"
    program = [sys.executable, "-c", "from ubersim.cli import main; main()", "serve", "--port", "0"]
    program += ["--clients", str(ROBOTS), "--frames", str(frames), "--digest", str(digest)]
    program += ["--view", "--view-port", "0"] if watched else []
    program += ["--materials", str(HERE / "plain.yaml")]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as server:
        port = next(lines_of(server, r"listening on .*:(\d+)"))
        onlooker = Onlooker(next(lines_of(server, r"page at (\S+)"))) if watched else None
        clients = [
            subprocess.Popen([client, "127.0.0.1", port, document, "0"], stdout=subprocess.DEVNULL)
            for document in documents
        ]
        seconds = float(next(lines_of(server, r"simulated in ([\d.]+) s")))
        for robot in clients:
            robot.wait()
    return frames / seconds, digest.read_text(), onlooker.messages if onlooker else 0


def main() -> None:
    """In turns, so that whatever else the machine does is shared fairly."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="fewer frames and rounds")
    quick = parser.parse_args().quick
    rounds, frames = (2, 8_000) if quick else (5, 10_000)
    rates: dict[bool, list[float]] = {False: [], True: []}
    digests = set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        client, documents = folder / "segway_pd", []
        subprocess.run(["cc", "-std=c99", "-O2", "-o", client, *C_SOURCES, "-lm"], check=True)
        for number in range(ROBOTS):
            documents.append(folder / f"{number}.xml")
            documents[-1].write_text(with_settings(ROBOT, name=f"Held{number}", latency=20.0))
        for _ in range(rounds):
            for watched in (False, True):
                rate, digest, messages = run(folder, client, documents, frames, watched)
                rates[watched].append(rate)
                digests.add(digest)
                print(f"{'watched' if watched else 'alone':8} {rate:8.0f} frames/s  {messages} messages", flush=True)
    ratio = statistics.median(a / b for a, b in zip(rates[True], rates[False], strict=True))
    print(f"watched over alone: {ratio:.3f} (bar {BAR}); digests {'equal' if len(digests) == 1 else 'DIFFER'}")
    sys.exit(ratio < BAR or len(digests) != 1)


if __name__ == "__main__":
    main()
