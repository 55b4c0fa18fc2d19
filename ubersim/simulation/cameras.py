"""Everything that looks at the world: its scene for the renderer, and who makes the pictures."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ubersim.description import BodyDescription, WorldDescription
from ubersim.description.base import Solid
from ubersim.errors import RenderError, UberSimError
from ubersim.geometry import Array, Pose, rotation_about
from ubersim.render import Camera, InlineRenderer, Job, Output, Picture, PictureMaker, Scene, Shape, WorkerRenderer
from ubersim.render import scene as look
from ubersim.simulation.object_ids import GROUND
from ubersim.simulation.visible_objects import VisibleObjects

if TYPE_CHECKING:
    from ubersim.simulation.simulation import Simulation


class PendingPicture:
    """A picture that is being taken."""

    def __init__(self, maker: PictureMaker, job: Job, header: bytes = b"") -> None:
        self._maker = maker
        self._camera, self._output, self._frame = job.camera, job.output, job.frame
        self._header = header
        self._ticket = maker.submit(job)
        self._bytes: bytes | None = None

    def collect(self) -> bytes:
        """Waits for its bytes; they stay for whoever asks again."""
        if self._bytes is None:
            self._bytes = self._maker.fetch(self._ticket, self._packed)
        return self._bytes

    def _packed(self, picture: Picture) -> bytes:
        if self._output == "depth" and self._camera.noise:
            picture = self._noisy(picture)
        return b"".join([self._header, np.ascontiguousarray(picture).data])

    def _noisy(self, picture: Picture) -> Picture:
        """Distances with errors, which depend on the camera and the instant alone; none becomes negative."""
        rng = np.random.Generator(np.random.PCG64((self._camera.seed, self._frame)))
        errors = np.float32(self._camera.noise) * rng.standard_normal(picture.shape, dtype=np.float32)
        return np.maximum(picture.astype(np.float32, copy=False) + errors, np.float32(0.0))

    def discard(self) -> None:
        """Nobody wants it any more."""
        if self._bytes is None:
            self._maker.discard(self._ticket)


class CameraService:
    """Makes pictures of a simulation: in this process, or in `workers` others while the simulation goes on.

    A simulation that lives in another thread than the main one has at least one worker.
    """

    def __init__(self, simulation: Simulation, workers: int = 0) -> None:
        self._simulation = simulation
        self._workers = workers
        self.helpers = 0
        """How many other processes draw."""
        self._maker: PictureMaker | None = None
        self.painted = 0
        """How often something has got another colour."""
        self._things: VisibleObjects | None = None
        self._scene = Scene()
        self._stale = self._faded = True

    def open(self) -> PictureMaker:
        """Gets ready; where pictures cannot be made, this says why."""
        if self._maker is None:
            with _drawing("OpenGL cannot be used here"):
                self._maker = self._made()
        return self._maker

    def _made(self) -> PictureMaker:
        # OpenGL belongs to the thread that uses it first. That is to be the main one; from others, a process draws.
        main = threading.current_thread() is threading.main_thread()
        if main and not self._workers:
            return InlineRenderer()
        # Where a CPU draws, more than one thread per worker would take the cores that the simulation needs.
        self.helpers = max(1, self._workers)
        return WorkerRenderer(self.helpers, threads=1)

    def repaint(self) -> None:
        """Something has another colour: the scene is as it was but for that."""
        self._faded = True
        self.painted += 1

    def blink(self) -> None:
        """Bodies have come or gone: the scene has to be looked at anew."""
        self._stale = True
        self._things = None

    @property
    def things(self) -> VisibleObjects:
        """All that has a name, for cameras that do not draw."""
        if self._things is None:
            self._things = VisibleObjects(self._simulation)
        return self._things

    def look(self, camera: Camera, pose: Pose, output: Output, frame: int, header: bytes = b"") -> PendingPicture:
        """Begins a picture of this instant; `header` goes before its bytes."""
        maker = self.open()
        world = self._simulation.world
        job = Job(camera, pose.position, pose.rotation, world.positions, world.rotations, output, frame)
        with _drawing("this picture could not be drawn"):
            if self._stale or self._faded:
                self._scene = scene_of(self._simulation) if self._stale else repainted(self._scene, self._simulation)
                maker.set_scene(self._scene)
                self._stale = self._faded = False
            return PendingPicture(maker, job, header)

    def close(self) -> None:
        """Frees everything."""
        if self._maker is not None:
            self._maker.close()
            self._maker = None


@contextmanager
def _drawing(trouble: str) -> Iterator[None]:
    """Whatever a driver does, it must not end the simulation: all that goes wrong is a RenderError."""
    try:
        yield
    except UberSimError:
        raise
    except Exception as error:
        raise RenderError(f"{trouble}: {error!r}") from error


def scene_of(simulation: Simulation) -> Scene:
    """What there is to see, as the renderer wants it; object ids are the legend's."""
    world, legend = simulation.description, simulation.legend
    shapes: list[Shape] = []
    for number, solid in enumerate(world.static, legend.first_static):
        shapes.append(_shape(solid, number, -1, np.zeros(3)))
    for number, body in enumerate(world.objects, legend.first_object):
        shapes += _shapes_of_body(body, number, simulation.objects[body.name].row)
    for robot in simulation.robots.values():
        for number, body in enumerate(robot.description.bodies, legend.first_of(robot.name)):
            shapes += _shapes_of_body(body, number, robot.bodies[body.name].row)
    shapes = _colored(shapes, simulation)
    shapes += _paint(world)
    return Scene(tuple(shapes), _ground(world), _sky(world), _lights(world))


def repainted(scene: Scene, simulation: Simulation) -> Scene:
    """A scene of this simulation with the colours as they are now; nobody has come or gone since it was made."""
    return replace(scene, shapes=tuple(_colored(scene.shapes, simulation)))


def _colored(shapes: Sequence[Shape], simulation: Simulation) -> list[Shape]:
    """Shapes in a scene's order, as robots' solids look now."""
    world = simulation.description
    colored = list(shapes)
    place = len(world.static) + sum(len(body.solids) for body in world.objects)
    for robot in simulation.robots.values():
        for color in robot.colors().values():
            if colored[place].color != color:
                colored[place] = replace(colored[place], color=color)
            place += 1
    return colored


def _paint(world: WorldDescription) -> Iterator[Shape]:
    """The markings; they count as ground."""
    for marking in world.markings:
        for strip in marking.strips():
            turn = look.rotation_rows(rotation_about(2, strip.heading))
            yield Shape("quad", (strip.length, strip.width), marking.color, -1, strip.center, turn, GROUND)


def _shapes_of_body(body: BodyDescription, number: int, row: int) -> Iterator[Shape]:
    center = body.mass_properties().center
    for solid in body.solids:
        yield _shape(solid, number, row, center)


def _shape(solid: Solid, number: int, row: int, center: Array) -> Shape:
    pose, outline = solid.pose, solid.outline()
    place, (x, y, z) = _triple(pose.position - center), map(_triple, pose.rotation)
    mesh = None if outline.mesh is None else look.TriangleMesh(*outline.mesh)
    return Shape(outline.kind, outline.size, solid.color, row, place, (x, y, z), number, mesh)


def _ground(world: WorldDescription) -> look.GroundPlane | None:
    """Tiles of two shades of the world's colour, with light joints: without them nobody could see how fast he goes."""
    if world.ground is None:
        return None
    color = np.array(world.ground.color)
    second, line = _triple(0.92 * color), _triple(color + 0.25 * (1 - color))
    tile = world.ground.tile
    if not tile:
        return look.GroundPlane(color=world.ground.color, tile=0.0, line_width=0.0, object_id=GROUND)
    return look.GroundPlane(color=world.ground.color, second_color=second, tile=tile, line_color=line, object_id=GROUND)


def _sky(world: WorldDescription) -> look.Sky:
    """The world's colour above, and haze towards the horizon."""
    color = np.array(world.sky)
    return look.Sky(zenith=world.sky, horizon=_triple(color + 0.6 * (1 - color)))


def _triple(values: Array) -> tuple[float, float, float]:
    x, y, z = map(float, values)
    return x, y, z


def _lights(world: WorldDescription) -> look.Lights:
    """A world that names its lights has these and no others; one that names none has the renderer's sun and sky."""
    if not world.lights:
        return look.Lights()
    sources: list[look.Light] = []
    ambient = np.zeros(3)
    for light in world.lights:
        sources += light.sources()
        ambient += light.ambient()
    everywhere = _triple(ambient)
    try:
        return look.Lights(tuple(sources), above=everywhere, below=everywhere)
    except ValueError as error:
        raise RenderError(f"this world's lights cannot be rendered: {error}") from None
