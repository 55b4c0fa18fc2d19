"""Everything that looks at the world: its scene for the renderer, and who makes the pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ubersim.description import BodyDescription, WorldDescription
from ubersim.description.families import Solid
from ubersim.description.lights import AmbientLight, DirectionalLight, PointLight, SpotLight
from ubersim.errors import RenderError
from ubersim.pose import Array, Pose
from ubersim.render import Camera, InlineRenderer, Job, Output, PictureMaker, Scene, Shape, WorkerRenderer
from ubersim.render import scene as look

if TYPE_CHECKING:
    from ubersim.simulation import Simulation


class Glance:
    """A picture that is being taken."""

    def __init__(self, maker: PictureMaker, ticket: int) -> None:
        self._maker = maker
        self._ticket = ticket

    def collect(self) -> bytes:
        """Waits for its bytes."""
        return self._maker.collect(self._ticket).tobytes()

    def discard(self) -> None:
        """Nobody wants it any more."""
        self._maker.discard(self._ticket)


class Eyes:
    """Makes pictures of a simulation: in this process, or in `workers` others while the simulation goes on."""

    def __init__(self, simulation: Simulation, workers: int = 0) -> None:
        self._simulation = simulation
        self._workers = workers
        self._maker: PictureMaker | None = None
        self._stale = True

    def open(self) -> PictureMaker:
        """Gets ready; where pictures cannot be made, this says why."""
        if self._maker is None:
            self._maker = WorkerRenderer(self._workers) if self._workers else InlineRenderer()
        return self._maker

    def blink(self) -> None:
        """Bodies have come or gone: the scene has to be looked at anew."""
        self._stale = True

    def look(self, camera: Camera, pose: Pose, output: Output, frame: int) -> Glance:
        """Begins a picture of this instant."""
        maker = self.open()
        if self._stale:
            maker.set_scene(scene_of(self._simulation))
            self._stale = False
        world = self._simulation.world
        job = Job(camera, pose.position, pose.rotation, world.positions, world.rotations, output, frame)
        return Glance(maker, maker.submit(job))

    def close(self) -> None:
        """Frees everything."""
        if self._maker is not None:
            self._maker.close()
            self._maker = None


def scene_of(simulation: Simulation) -> Scene:
    """What there is to see, as the renderer wants it."""
    world = simulation.description
    shapes = list(_shapes(world.static, -1, np.zeros(3)))
    for body in world.objects:
        shapes += _shapes_of_body(body, simulation.objects[body.name].row)
    for robot in simulation.robots.values():
        for body in robot.description.bodies:
            shapes += _shapes_of_body(body, robot.bodies[body.name].row)
    ground = None if world.ground is None else look.Ground()
    return Scene(tuple(shapes), ground, lights=_lights(world))


def _shapes_of_body(body: BodyDescription, row: int) -> Iterator[Shape]:
    return _shapes(body.solids, row, body.mass_properties().center)


def _shapes(solids: Iterable[Solid], row: int, center: Array) -> Iterator[Shape]:
    for solid in solids:
        pose, outline = solid.pose, solid.outline()
        place, (x, y, z) = _triple(pose.position - center), map(_triple, pose.rotation)
        mesh = None if outline.mesh is None else look.Mesh(*outline.mesh)
        yield Shape(outline.kind, outline.size, solid.color, row, place, (x, y, z), mesh=mesh)


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
        color = _triple(light.intensity * np.array(light.color))
        match light:
            case AmbientLight():
                ambient += color
            case DirectionalLight():
                sources.append(look.DirectionalLight(light.direction, color, light.casts_shadow))
            case PointLight():
                sources.append(look.PointLight(light.position, color, light.range))
            case SpotLight():
                cone = light.cone / 2
                sources.append(
                    look.SpotLight(light.position, light.direction, color, light.range, cone, shadow=light.casts_shadow)
                )
    everywhere = _triple(ambient)
    try:
        return look.Lights(tuple(sources), above=everywhere, below=everywhere)
    except ValueError as error:
        raise RenderError(f"this world's lights cannot be rendered: {error}") from None
