"""A machine that lacks something, with a good client beside: what it is told stays the same to the bit."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from tests.helpers.documents import vector
from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from tests.robustness.good_client import GoodClient
from tests.robustness.machine import Machine
from tests.robustness.test_faults import undisturbed
from ubersim.protocol import Ack
from ubersim.recording import Log

CAMERA = f"""<CameraSensor name="Eye">{vector("Position", 0, 0, 0.5)}
<Fov>60</Fov><Width>64</Width><Height>48</Height></CameraSensor>"""
HUGE = CAMERA.replace("64", "4096").replace("48", "4096").replace("<Fov>", "<Frequency>10</Frequency><Fov>")


@contextlib.contextmanager
def good_client(machine: Machine) -> Iterator[None]:
    """Works all the time, and is told what it is always told."""
    good = GoodClient(machine.port)
    try:
        yield
    finally:
        code, said = machine.stop()
    assert "Traceback" not in said, said
    count, told = good.result()
    assert code in (0, 1) and (count, told) == undisturbed(count), said


def seeing(name: str, camera: str = CAMERA) -> str:
    return cart(name, x=50.0).replace("</InclinometerSensor>", f"</InclinometerSensor>{camera}")


def frames(client: RawClient, count: int) -> int:
    """How many of them had a reading of the camera."""
    pictures = 0
    for _ in range(count):
        frame = client.frame()
        assert frame is not None
        pictures += any(reading.name == "Eye" for reading in frame[1])
        client.send(Ack(frame[0]))
    return pictures


def test_a_full_disk_ends_the_log_not_the_run(tmp_path: Path) -> None:
    """The last chunk that fits is whole, the run goes on, and the exit code tells."""
    log = tmp_path / "run.mcap"
    machine = Machine("--clients", 1, "--frames", 5000, "--record", log, limits={resource.RLIMIT_FSIZE: 200_000})
    good = GoodClient(machine.port)
    code, said = machine.end()
    assert code == 1 and "5000 frames" in said
    assert re.search(r"the log ends in frame \d+: cannot write .*run.mcap", said)
    assert good.result() == undisturbed(5000)
    with Log(log) as left:
        assert not left.complete and left.last > 100


def test_a_render_worker_that_is_killed(tmp_path: Path) -> None:
    machine = Machine("--clients", 1, "--render", "workers=1")
    with good_client(machine):
        client = RawClient(machine.port, seeing("Seeing"))
        client.welcome()
        assert frames(client, 20) == 20
        children = Path(f"/proc/{machine.process.pid}/task/{machine.process.pid}/children").read_text().split()
        for child in children:
            os.kill(int(child), signal.SIGKILL)
        assert children and frames(client, 20) == 20
        client.close()


def test_without_opengl_cameras_are_refused() -> None:
    machine = Machine("--clients", 1, __EGL_VENDOR_LIBRARY_DIRS="/nowhere")
    with good_client(machine):
        client = RawClient(machine.port, seeing("Seeing"))
        assert "OpenGL" in client.error()


def test_few_file_descriptors() -> None:
    machine = Machine("--clients", 1, limits={resource.RLIMIT_NOFILE: 40})
    with good_client(machine):
        crowd = []
        for _ in range(100):
            with contextlib.suppress(OSError):
                crowd.append(socket.create_connection(("127.0.0.1", machine.port), timeout=1))
        time.sleep(0.5)
        for connection in crowd:
            connection.close()
        client = RawClient(machine.port, cart("Later", x=50.0))
        client.welcome()
        frames(client, 20)
        client.close()


def test_little_memory() -> None:
    """Documents and cameras that need more than there is cost those who sent them."""
    machine = Machine("--clients", 1, limits={resource.RLIMIT_AS: 800 * 2**20})
    with good_client(machine):
        filler = f"<!--{'x' * (3 << 20)}-->"
        for number in range(4):
            client = RawClient(machine.port, seeing(f"Huge{number}", HUGE) + filler)
            with contextlib.suppress(OSError, AssertionError, StopIteration):
                client.welcome()
                frames(client, 150)
            client.close()
        client = RawClient(machine.port, cart("Later", x=50.0))
        client.welcome()
        frames(client, 20)
        client.close()


def test_nothing_reads_what_the_server_says() -> None:
    """As with `ubersim serve --verbose 2>&1 | head -1`."""
    reading_end, writing_end = os.pipe()
    os.close(reading_end)
    machine = Machine("--clients", 1, complaints=writing_end)
    os.close(writing_end)
    with good_client(machine):
        for name in ("Later", "Even-later"):
            with socket.create_connection(("127.0.0.1", machine.port)) as stranger:
                stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
                assert b"HTTP" in stranger.recv(1000)
            client = RawClient(machine.port, cart(name, x=50.0))
            client.welcome()
            frames(client, 20)
            client.close()
