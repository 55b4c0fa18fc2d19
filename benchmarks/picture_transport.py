#!/usr/bin/env python3
"""Whether shared memory would pay for pictures of local clients: 640x480 over sockets, copied twice, and drawn.

Processor time of both sides, in the best of some rounds. A picture in shared memory still has to be copied into it, and
out of it before the next one comes; so two copies are the least that it would take.
"""

from __future__ import annotations

import mmap
import os
import socket
import time
from collections.abc import Callable

from ubersim.components.sensors.camera import CameraDevice
from ubersim.description.resources import shipped
from ubersim.simulation import Simulation

WIDTH, HEIGHT = 640, 480
SIZE = 3 * WIDTH * HEIGHT
PICTURES, ROUNDS = 400, 5


def each(work: Callable[[], object], count: int = PICTURES) -> float:
    """Microseconds of the processor for one."""
    start = time.process_time()
    for _ in range(count):
        work()
    return (time.process_time() - start) / count * 1e6


def over(pair: tuple[socket.socket, socket.socket]) -> float:
    """Sent by one process, received by another."""
    near, far = pair
    told, tell = os.pipe()
    if not os.fork():
        near.close()
        room = memoryview(bytearray(SIZE))

        def receive() -> None:
            here = 0
            while here < SIZE:
                here += far.recv_into(room[here:])

        os.write(tell, repr(each(receive)).encode())
        os._exit(0)
    far.close()
    picture = os.urandom(SIZE)
    sent = each(lambda: near.sendall(picture))
    received = float(os.read(told, 100))
    os.wait()
    for end in (told, tell):
        os.close(end)
    near.close()
    return sent + received


def tcp_pair() -> tuple[socket.socket, socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        near = socket.create_connection(listener.getsockname())
        return near, listener.accept()[0]


def copied() -> float:
    """Into shared memory, and out of it."""
    picture, mine = os.urandom(SIZE), bytearray(SIZE)
    with mmap.mmap(-1, SIZE) as shared, memoryview(shared) as view:

        def write() -> None:
            view[:] = picture

        def read() -> None:
            mine[:] = view

        return each(write) + each(read)


def drawn() -> float:
    """What the picture itself takes, in the world of the demonstrations."""
    text = shipped("robots/segway.xml").read_text()
    text = text.replace("<Fov>42.0</Fov>", f"<Fov>42.0</Fov><Width>{WIDTH}</Width><Height>{HEIGHT}</Height>")
    with Simulation(shipped("worlds/playground.xml")) as simulation:
        device = simulation.spawn(text).sensors["Cam"].reader
        assert isinstance(device, CameraDevice)

        def draw() -> None:
            simulation.world.run()
            device.sample()

        draw()
        return each(draw, 30)


def main() -> None:
    """The table."""
    ways: dict[str, Callable[[], float]] = {
        "Unix socket": lambda: over(socket.socketpair()),
        "TCP": lambda: over(tcp_pair()),
    }
    ways |= {"two copies": copied, "drawing it": drawn}
    for name, way in ways.items():
        print(f"{name}: {min(way() for _ in range(ROUNDS)):.0f} us of the processor per picture of {WIDTH}x{HEIGHT}")


if __name__ == "__main__":
    main()
