"""What a camera of a robot saw, or an outside view shows, in the frames of a log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ubersim.components.sensors.camera import Optics
from ubersim.errors import UberSimError
from ubersim.filming.shot import CameraView
from ubersim.geometry import Pose, Triple, matrix_from_quaternion
from ubersim.recording.block import STATE, bodies_of
from ubersim.recording.colors import ColorHistory, Solid, places_of_lamps, places_of_shapes
from ubersim.recording.log import Log
from ubersim.recording.population import populated, robots_of
from ubersim.render import Camera, Motion, Scene
from ubersim.render.scene import Light
from ubersim.simulation.scene import scene_of
from ubersim.simulation.scene_lights import emitted

Array = NDArray[np.float64]
CALM = 0.85
"""How much of the last picture's place the next one keeps, where the camera goes along."""
ASTRAY = 0.15
"""How far what it follows may be from where it looks, as a share of its distance: then it hurries, however fast."""
_AWAY = -1000.0
"""Where bodies are put that were not there [m]."""


class LogViews:
    """All robots that were ever in the run are in the scene; those that are not there in a frame are far below."""

    def __init__(self, log: Log) -> None:
        self._log = log
        with populated(log) as simulation:
            self.scene: Scene = scene_of(simulation)
            self._bodies = bodies_of(simulation)
            self._shapes = places_of_shapes(simulation)
            self._lamps = places_of_lamps(simulation, self.scene.lights.sources)
            self._classes = tuple(simulation.materials.radiation)
            self.names = simulation.object_ids.names()
            """Of the numbers in a picture of objects."""
        self._robots = robots_of(log)
        self._colors = ColorHistory(log, self._robots)

    def camera(self, name: str) -> tuple[Camera, tuple[str, str], Pose]:
        """A robot's camera, `Robot/Camera`; whose body carries it, and where it is there."""
        robot = name.partition("/")[0]
        found = {
            f"{owner}/{one.name}": (one, body)
            for owner, description in self._robots.items()
            for body in description.bodies
            for one in body.sensors
            if isinstance(one, Optics)
        }
        if name not in found:
            raise UberSimError(
                f"there is no camera {name!r} in {self._log.path}; there are {', '.join(found) or 'none'}"
            )
        optics, body = found[name]
        pose = Pose(optics.pose.position - body.mass_properties().center, optics.pose.rotation)
        return replace(optics.camera(), noise=0.0), (robot, body.name), pose

    def aboard(self, carrier: tuple[str, str], pose: Pose, frames: range) -> Iterator[CameraView]:
        """From a camera on a body; frames in which that was not there are left out."""
        for frame in frames:
            states = self._states(frame)
            if carrier in states:
                body = _pose(states[carrier])
                motion = self._motion(states, self._bodies.index(carrier))
                yield replace(self._view(frame, states, body @ pose), motion=motion)

    def outside(self, eye: Array, target: str, frames: range) -> Iterator[CameraView]:
        """From a point [m] towards a robot's first body, an object, or what is named `Robot/Body`."""
        for frame in frames:
            states = self._states(frame)
            if (goal := self._find(target, states)) is not None:
                yield self._view(frame, states, Pose(eye, looking_at(eye, goal)))

    def along(self, offset: Array, target: str, frames: range) -> Iterator[CameraView]:
        """As `outside`, from a place that goes along, calmly: beside where the target is, and has just been [m]."""
        center: Array | None = None
        for frame in frames:
            states = self._states(frame)
            if (goal := self._find(target, states)) is not None:
                center = (
                    goal.copy() if center is None else _nearer(center, goal, ASTRAY * float(np.linalg.norm(offset)))
                )
                eye = center + offset
                yield self._view(frame, states, Pose(eye, looking_at(eye, center)))

    def _find(self, target: str, states: dict[tuple[str, str], Array]) -> Array | None:
        robot, _, body = target.partition("/")
        for (owner, part), state in states.items():
            if (owner == robot and body in ("", part)) or (not owner and part == target):
                return state[:3]
        return None

    def _states(self, frame: int) -> dict[tuple[str, str], Array]:
        return self._log.at(frame * self._log.step).states

    def _view(self, frame: int, states: dict[tuple[str, str], Array], camera: Pose) -> CameraView:
        positions, rotations = np.zeros((len(self._bodies), 3)), np.tile(np.eye(3), (len(self._bodies), 1, 1))
        positions[:, 2] = _AWAY
        for row, body in enumerate(self._bodies):
            if body in states:
                pose = _pose(states[body])
                positions[row], rotations[row] = pose.position, pose.rotation
        painted = self._colors.at(frame - 1)  # a command of this frame is executed after the pictures of it were taken
        colors = tuple((self._shapes[solid], color) for solid, color in painted.items() if solid in self._shapes)
        lamps = tuple(self._lit(painted))
        return CameraView(frame, camera.position, camera.rotation, positions, rotations, colors, lamps)

    def _motion(self, states: dict[tuple[str, str], Array], carrier: int) -> Motion:
        """As the log has it; what is not there is at rest."""
        rest = np.zeros(STATE)
        velocities = np.array([states.get(body, rest)[7:] for body in self._bodies])
        return Motion(velocities[:, :3], velocities[:, 3:], carrier)

    def _lit(self, painted: Mapping[Solid, Triple]) -> Iterator[tuple[int, Light]]:
        """Lamps whose colours are ever commanded."""
        for place, (robot, lamp) in self._lamps.items():
            if (color := painted.get((robot, lamp.name))) is not None:
                strength = replace(lamp, color=color).strength
                source = replace(self.scene.lights.sources[place], color=strength)
                yield place, emitted(lamp, source, self._classes)


def _nearer(center: Array, goal: Array, farthest: float) -> Array:
    """Where to look next: calmly towards the goal, but never farther from it than that."""
    behind = CALM * (center - goal)
    return goal + behind * min(1.0, farthest / max(float(np.linalg.norm(behind)), 1e-9))


def _pose(state: Array) -> Pose:
    return Pose(state[:3], matrix_from_quaternion(state[3:7]))


def looking_at(eye: Array, target: Array) -> Array:
    """The rotation of a camera that looks from one point to another, upright; straight down, as on a map, +y is up."""
    way = target - eye
    distance = float(np.linalg.norm(way))
    forward = way / distance if distance else np.array([0.0, 1.0, 0.0])
    right = np.cross(forward, [0.0, 0.0, 1.0])
    level = float(np.linalg.norm(right))
    right = right / level if level > 1e-9 else np.array([1.0, 0.0, 0.0])
    return np.stack([right, forward, np.cross(right, forward)], axis=1)
