"""What a frame over TCP costs, against bare ODE in C and a bare ping-pong in Python; all in one run, in turns.

    python -m benchmarks.lockstep [--quick]

The robot is that of benchmarks/scenes/crowds.py, held upright so that every step costs the same. Each client balances
it nevertheless: it reads the tilt at 100 Hz, answers with two commands, and acknowledges every frame.
"""

from __future__ import annotations

import argparse
import math
import re
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.scenes.contestants import Bare
from benchmarks.scenes.crowds import segways
from ubersim.protocol.document_settings import with_settings

HERE = Path(__file__).resolve().parent
ROBOT = (HERE / "held_segway.xml").read_text()
C_SOURCES = [HERE.parent / "clients" / "c" / name for name in ("segway_pd.c", "ubersim.c")]
UBERSIM = Path(sys.executable).parent / "ubersim"
ECHO = """
import socket, sys
from benchmarks.lockstep import polling_recv
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
receive = polling_recv(connection) if sys.argv[2] == "looking" else connection.recv
while data := receive(64):
    connection.send(data)
"""
PYTHON_CLIENT = """
import sys
from ubersim.control.balancer import Balancer
from ubersim.client import connect
with connect(sys.argv[2], port=int(sys.argv[1])) as robot:
    balancer = Balancer()
    for frame in robot:
        if "Tilt" in frame:
            speed = balancer.update(frame["Tilt"])
            robot.set("LMotor", "Vel", speed)
            robot.set("RMotor", "Vel", speed)
"""


def polling_recv(connection: socket.socket) -> Callable[[int], bytes]:
    """The connection's `recv`, which never sleeps."""
    incoming = select.poll()
    incoming.register(connection, select.POLLIN)
    look, receive = incoming.poll, connection.recv

    def poll(size: int) -> bytes:
        while not look(0):
            pass
        return receive(size)

    return poll


def bare_ode(program: Path, steps: int) -> float:
    """Microseconds per step of one robot in C."""
    with Bare(program, segways(1), "exact", steps, math.inf) as bare:
        return bare.both_times()[1] * 1e6


def ping_pong(rounds: int, how: str, block: int | None = None) -> float:
    """Microseconds per round trip of 40 bytes between two Python processes that wait "asleep" or "looking".

    With a `block`, the mean of the best stretch of so many round trips.
    """
    length, best = block or rounds, float("inf")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with subprocess.Popen([sys.executable, "-c", ECHO, str(port), how], cwd=HERE.parent):
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            receive = polling_recv(connection) if how == "looking" else connection.recv
            message = bytes(40)
            for _ in range(rounds // length):
                start = time.perf_counter()
                for _ in range(length):
                    connection.send(message)
                    receive(64)
                best = min(best, time.perf_counter() - start)
            connection.close()
    return best / length * 1e6


@contextmanager
def server(clients: int, frames: int) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """A server on a free port."""
    command = [str(UBERSIM), "serve", "--port", "0", "--clients", str(clients), "--frames", str(frames)]
    command += ["--materials", str(HERE / "plain.yaml")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline().rsplit(":", 1)[1]), process


def lockstep(folder: Path, client: list[str], *, latency: float, clients: int, frames: int) -> float:
    """Microseconds per frame with so many clients; `client` is a command, to which port and document are added."""
    with server(clients, frames) as (port, process):
        programs = []
        for index in range(clients):
            document = folder / f"Held{index}.xml"
            document.write_text(with_settings(ROBOT, name=f"Held{index}", latency=latency))
            command = [part.format(port=port, document=document) for part in client]
            programs.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
        assert process.stdout is not None
        match = re.search(r"in ([\d.]+) s", process.stdout.readline())
        assert match is not None
        for program in programs:
            program.wait()
    return float(match.group(1)) / frames * 1e6


def main() -> None:
    """Builds the C programs, and prints the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="fewer frames and rounds")
    quick = parser.parse_args().quick
    rounds, frames = (2, 5_000) if quick else (5, 30_000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yardstick, c_program = Bare.compiled(folder), folder / "segway_pd"
        subprocess.run(["cc", "-std=c99", "-O2", "-o", c_program, *C_SOURCES, "-lm"], check=True)
        python = [sys.executable, "-c", PYTHON_CLIENT, "{port}", "{document}"]
        c = [str(c_program), "127.0.0.1", "{port}", "{document}", "0"]

        columns: dict[str, list[float]] = {}
        for _ in range(rounds):
            for label, value in (
                ("bare C ODE, one step", bare_ode(yardstick, frames)),
                ("bare Python ping-pong", ping_pong(frames, "asleep")),
                ("the same, looking for answers", ping_pong(frames, "looking")),
                ("strict, Python client", lockstep(folder, python, latency=0, clients=1, frames=frames)),
                ("strict, C client", lockstep(folder, c, latency=0, clients=1, frames=frames)),
                ("20 ms latency, Python client", lockstep(folder, python, latency=20, clients=1, frames=frames)),
                ("20 ms latency, C client", lockstep(folder, c, latency=20, clients=1, frames=frames)),
            ):
                columns.setdefault(label, []).append(value)
        figures = {label: statistics.median(values) for label, values in columns.items()}
        ode, ping = figures["bare C ODE, one step"], figures["bare Python ping-pong"]
        looking = figures["the same, looking for answers"]
        print(f"{'':32}{'us/frame':>10}  ratio")
        for label, value in figures.items():
            print(f"{label:32}{value:10.1f}{_verdict(label, value, ode, ping)}")
        left = figures["strict, Python client"] / (ode + looking)
        print(f"What is left: strict is {left:.2f} x bare C ODE and a ping-pong that does not sleep either.")
        print("\nC clients with 20 ms latency     us/frame  us/robot-frame")
        for clients in (1, 8, 32, 100):
            value = lockstep(folder, c, latency=20, clients=clients, frames=max(500, frames // clients // 2))
            print(f"{clients:32}{value:10.1f}{value / clients:12.1f}")


def _verdict(label: str, value: float, ode: float, ping: float) -> str:
    if label == "strict, Python client":
        return f"  {value / (ode + ping):.2f} x (bare C ODE + ping-pong); bar 1.5"
    if label == "20 ms latency, C client":
        return f"  {value / ode:.2f} x bare C ODE; bar 4"
    return ""


if __name__ == "__main__":
    main()
