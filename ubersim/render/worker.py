"""A render worker: a process of its own that draws what its server asks for.

It gets numbers of two inherited descriptors: the pipe for small messages, and the shared memory for poses and pictures.
It ends when the server closes the pipe, or dies.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection

from ubersim.errors import RenderError
from ubersim.render.jobs import Job, Picture
from ubersim.render.scene import Scene
from ubersim.render.shared_memory import Arena, read_job
from ubersim.render.worker_protocol import RenderDone, RenderOrder, RenderWorkerEnd

Drawing = Callable[[Job, Picture], None]


def serve(server: RenderWorkerEnd, arena: Arena) -> None:
    """Draws until the server goes away."""
    try:
        from ubersim.render.renderer import Renderer

        renderer = Renderer(Scene())
    except RenderError as error:
        server.answer(RenderDone(-1, str(error)))
        return
    server.answer(RenderDone(-1))
    while True:
        try:
            message = server.next()
        except (EOFError, ConnectionResetError):
            break
        if isinstance(message, Scene):
            renderer.set_scene(message)
        else:
            server.answer(_carry_out(renderer.draw, arena, message))


def _carry_out(draw: Drawing, arena: Arena, order: RenderOrder) -> RenderDone:
    poses = arena.poses(order.slot, order.bodies, order.moving)
    job = read_job(poses, order.camera, order.output, order.frame, order.carrier)
    try:
        draw(job, arena.picture(order.slot, order.bodies, order.camera, order.output, order.moving))
    except RenderError as error:
        return RenderDone(order.ticket, str(error))
    return RenderDone(order.ticket)


def main(arguments: list[str]) -> None:
    """Entry point of the process, with the two descriptors."""
    # Ctrl-C in a terminal goes to the whole group; it is the server that decides when to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # It works whenever there is time, and does not interrupt the simulation when an order comes.
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    pipe, memory = map(int, arguments)
    serve(RenderWorkerEnd(Connection(pipe)), Arena(memory))
