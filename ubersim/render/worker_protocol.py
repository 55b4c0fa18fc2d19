"""What a server and a render worker say to each other through a pipe: orders one way, what became of them the other.

What is said for every picture is a handful of numbers: scenes, the shapes in them and cameras go when they are news.
"""

from __future__ import annotations

import itertools
import pickle
import struct
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection

from ubersim.render.camera import Camera, Output
from ubersim.render.jobs import TYPES
from ubersim.render.scene import Scene
from ubersim.render.shape_group import PlacedGroup, ShapeGroup
from ubersim.render.shared_memory import Slot

OUTPUTS: tuple[Output, ...] = tuple(TYPES)
MOST_CAMERAS = 64
"""That a worker remembers; with one more, the oldest is forgotten."""
_NUMBERS = struct.Struct("<c8q")
_RESTS = -2
"""In the place of a carrier's row, where poses come without velocities."""
_DONE = struct.Struct("<cq")
_MARK = b"n"
"""How messages of numbers begin; those of objects are pickles, which do not."""


@dataclass(frozen=True)
class RenderOrder:
    """A picture to be made; its poses are in the slot already."""

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
    carrier: int | None = None
    """Row of the body that carries the camera, if the poses come with velocities."""

    @property
    def moving(self) -> bool:
        """Whether they do."""
        return self.carrier is not None


@dataclass(frozen=True)
class RenderDone:
    """The answer to an order, once its picture is in the slot; also the first message of all: ready."""

    ticket: int
    """Whose picture; -1 at the start."""
    error: str = ""
    """What went wrong, if something did."""


@dataclass(frozen=True)
class SceneNews:
    """A new scene, without what the worker knows from the last one."""

    loose: Scene
    """All but the groups."""
    placed: list[tuple[int, int, int]]
    """Of each group: its number, its first body, its first id."""
    groups: dict[int, ShapeGroup]
    """Those that are new, by number."""


class RenderServerEnd:
    """The server's end of the pipe."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._scene: Scene | None = None
        self._groups: dict[ShapeGroup, int] = {}
        self._numbers = itertools.count()
        self._cameras: dict[int, tuple[int, Camera]] = {}  # by id: number, and the camera so that the id stays its own
        self._introduced = 0

    def order(self, order: RenderOrder, scene: Scene) -> None:
        """Has a picture made of a scene."""
        if self._scene is not scene:
            self._pipe.send(self._news(scene))
            self._scene = scene
        known = self._cameras.get(id(order.camera))
        number = self._introduce(order.camera) if known is None else known[0]
        slot, output = order.slot, OUTPUTS.index(order.output)
        carrier = _RESTS if order.carrier is None else order.carrier
        numbers = (order.ticket, slot.offset, slot.size, order.bodies, number, output, order.frame, carrier)
        self._pipe.send_bytes(_NUMBERS.pack(_MARK, *numbers))

    def _news(self, scene: Scene) -> SceneNews:
        known = self._groups
        self._groups = {
            one.group: known[one.group] if one.group in known else next(self._numbers) for one in scene.groups
        }
        placed = [(self._groups[one.group], one.first_body, one.first_id) for one in scene.groups]
        new = {number: group for group, number in self._groups.items() if group not in known}
        return SceneNews(replace(scene, groups=()), placed, new)

    def _introduce(self, camera: Camera) -> int:
        number = self._introduced % MOST_CAMERAS
        self._introduced += 1
        self._pipe.send((number, camera))
        if len(self._cameras) == MOST_CAMERAS:
            del self._cameras[next(iter(self._cameras))]
        self._cameras[id(camera)] = number, camera
        return number

    def answer(self) -> RenderDone:
        """Waits for what became of an order."""
        said = self._pipe.recv_bytes()
        if said.startswith(_MARK):
            return RenderDone(_DONE.unpack(said)[1])
        done: RenderDone = pickle.loads(said)
        return done

    def close(self) -> None:
        """Hangs up: the worker ends."""
        self._pipe.close()


class RenderWorkerEnd:
    """The worker's end of the pipe."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._cameras: dict[int, Camera] = {}
        self._groups: dict[int, ShapeGroup] = {}

    def next(self) -> Scene | RenderOrder:
        """Waits for the next order, or a new scene for those to come."""
        while True:
            said = self._pipe.recv_bytes()
            if said.startswith(_MARK):
                _, ticket, offset, size, bodies, number, output, frame, row = _NUMBERS.unpack(said)
                slot, camera, carrier = Slot(offset, size), self._cameras[number], None if row == _RESTS else row
                return RenderOrder(ticket, slot, bodies, camera, OUTPUTS[output], frame, carrier)
            news = pickle.loads(said)
            if isinstance(news, SceneNews):
                return self._scene(news)
            number, camera = news
            self._cameras[number] = camera

    def _scene(self, news: SceneNews) -> Scene:
        known = self._groups | news.groups
        self._groups = {number: known[number] for number, _, _ in news.placed}
        return replace(news.loose, groups=tuple(PlacedGroup(known[number], *at) for number, *at in news.placed))

    def answer(self, done: RenderDone) -> None:
        """Tells what became of an order."""
        if done.error:
            self._pipe.send(done)
        else:
            self._pipe.send_bytes(_DONE.pack(_MARK, done.ticket))
