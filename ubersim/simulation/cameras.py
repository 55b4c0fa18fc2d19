"""The pictures that cameras take of a simulation: drawn in this process, or in others while it goes on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ubersim.errors import RenderError, UberSimError
from ubersim.geometry import Pose
from ubersim.render import Camera, InlineRenderer, Job, Motion, Output, Picture, PictureMaker, WorkerRenderer
from ubersim.simulation.scene import SceneBuilder
from ubersim.simulation.visible_objects import VisibleObjects
from ubersim.simulation.world_view import WorldView


class PendingPicture:
    """A picture that is being taken."""

    def __init__(self, maker: PictureMaker, job: Job, header: bytes = b"") -> None:
        self._maker = maker
        self._camera, self._output, self._frame = job.camera, job.output, job.frame
        self._header = header
        self._ticket = maker.submit(job)
        self._bytes: bytes | None = None

    def collect(self) -> bytes:
        """Waits for its bytes; they stay for the next call."""
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
        """It is not wanted any more."""
        if self._bytes is None:
            self._maker.discard(self._ticket)


class CameraService:
    """Makes pictures of a simulation: in this process, or in `workers` others while the simulation goes on.

    A simulation that lives in another thread than the main one has at least one worker.
    """

    def __init__(self, simulation: WorldView, workers: int = 0) -> None:
        self._simulation = simulation
        self._wanted = workers
        self.workers = 0
        """How many other processes draw."""
        self._maker: PictureMaker | None = None
        self._scenes = SceneBuilder(simulation)
        self.visible_objects = VisibleObjects(simulation)
        """All that has a name, for cameras that do not draw."""
        self._stale = True
        self._repaint = False
        self.paintings = 0
        """How often something has got another colour."""

    def open(self) -> PictureMaker:
        """Gets ready; where pictures cannot be made, this says why."""
        if self._maker is None:
            with _drawing("OpenGL cannot be used here"):
                self._maker = self._made()
        return self._maker

    @property
    def draws_here(self) -> bool:
        """Whether pictures have been taken, by this process."""
        return self._maker is not None and not self.workers

    def _made(self) -> PictureMaker:
        # OpenGL belongs to the thread that uses it first. That is to be the main one; from others, a process draws.
        main = threading.current_thread() is threading.main_thread()
        if main and not self._wanted:
            return InlineRenderer()
        # Where a CPU draws, a worker does so in its only thread: more of them would take the cores that the simulation
        # needs, and already one more would be woken up for every picture.
        self.workers = max(1, self._wanted)
        return WorkerRenderer(self.workers, threads=0)

    def scene_changed(self) -> None:
        """Bodies have come or gone: the scene has to be made anew."""
        self._stale = True
        self.visible_objects.changed()

    def colors_changed(self) -> None:
        """Something has another colour: the scene is as it was but for that."""
        self._repaint = True
        self.paintings += 1

    def take(
        self, camera: Camera, pose: Pose, output: Output, frame: int, header: bytes = b"", carrier: int = -1
    ) -> PendingPicture:
        """Begins a picture of this instant; `header` goes before its bytes, `carrier` is the row of what it sits on."""
        maker = self.open()
        world = self._simulation.world
        motion = Motion(world.linear_velocities, world.angular_velocities, carrier)
        job = Job(camera, pose.position, pose.rotation, world.positions, world.rotations, output, frame, motion)
        with _drawing("this picture could not be drawn"):
            if self._stale or self._repaint:
                if self._repaint:
                    self._scenes.repaint()
                maker.set_scene(self._scenes.scene())
                self._stale = self._repaint = False
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
