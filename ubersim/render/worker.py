"""A render worker: a process of its own that draws what its server asks for.

It gets numbers of two inherited descriptors: the pipe for small messages, and the shared memory for poses and pictures.
It ends when the server closes the pipe, or dies.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection

from ubersim.errors import RenderError
from ubersim.render.arena import Arena, Slot, read_job
from ubersim.render.camera import Camera, Output
from ubersim.render.jobs import Job, Picture
from ubersim.render.scene import Scene

Drawing = Callable[[Job, Picture], None]


@dataclass(frozen=True)
class Order:
    """A job as it goes through the pipe; its poses are in the slot already."""

    ticket: int
    """Whose picture."""
    slot: Slot
    """Where the poses are and the picture goes."""
    bodies: int
    """How many poses, without the camera's own."""
    camera: Camera
    """What takes the picture."""
    output: Output
    """What the picture shows."""
    frame: int
    """Number of the picture, for its noise."""


@dataclass(frozen=True)
class Done:
    """The answer to an order, once its picture is in the slot; also the first message of all: ready."""

    ticket: int
    """Whose picture; -1 at the start."""
    error: str = ""
    """What went wrong, if something did."""


def serve(connection: Connection[Done, Scene | Order | None], arena: Arena) -> None:
    """Draws until the server goes away."""
    try:
        from ubersim.render.renderer import Renderer

        renderer = Renderer(Scene())
    except RenderError as error:
        connection.send(Done(-1, str(error)))
        return
    connection.send(Done(-1))
    while True:
        try:
            message = connection.recv()
        except (EOFError, ConnectionResetError):
            break
        if isinstance(message, Scene):
            renderer.set_scene(message)
        elif isinstance(message, Order):
            connection.send(_carry_out(renderer.draw, arena, message))


def _carry_out(draw: Drawing, arena: Arena, order: Order) -> Done:
    job = read_job(arena.poses(order.slot, order.bodies), order.camera, order.output, order.frame)
    try:
        draw(job, arena.picture(order.slot, order.bodies, order.camera, order.output))
    except RenderError as error:
        return Done(order.ticket, str(error))
    return Done(order.ticket)


def main(arguments: list[str]) -> None:
    """Entry point of the process, with the two descriptors."""
    # Ctrl-C in a terminal goes to the whole group; it is the server that decides when to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipe, memory = map(int, arguments)
    serve(Connection(pipe), Arena(memory))
