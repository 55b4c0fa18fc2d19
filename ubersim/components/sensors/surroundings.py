"""What sensors may see of the simulation around them, and ask of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from ubersim.geometry import Pose
from ubersim.render.camera import Camera, Output

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.description import WorldDescription
    from ubersim.physics import Body, World
    from ubersim.physics.visibility import Landmarks


Said = deque[tuple[int, bytes]]
"""What a radio has sent lately: frame and message."""


class Pending(Protocol):
    """A reading that is still being made, e.g. a picture in a render worker."""

    def collect(self) -> bytes:
        """Waits for the reading's bytes."""

    def discard(self) -> None:
        """It is not wanted any more."""


class LandmarkSource(Protocol):
    """All that has a name, for cameras that do not draw."""

    @property
    def landmarks(self) -> Landmarks:
        """Everything; the same object until things come or go."""


class PictureSource(Protocol):
    """What takes the cameras' pictures."""

    @property
    def visible_objects(self) -> LandmarkSource:
        """What there is to be told of instead of drawn."""

    def open(self) -> object:
        """Gets ready; where pictures cannot be made, this says why."""

    def take(
        self, camera: Camera, pose: Pose, output: Output, frame: int, header: bytes = b"", carrier: int = -1
    ) -> Pending:
        """Begins a picture of this instant; `header` goes before its bytes, `carrier` is the row of what it sits on."""

    def colors_changed(self) -> None:
        """Something has another colour from now on."""


class ObjectNumbers(Protocol):
    """The numbers of all that can be seen."""

    def names(self) -> dict[int, str]:
        """All names by number; a robot's body is `Robot/Body`."""


class MotionState(Protocol):
    """What a robot that is told how to move did in the last frame."""

    axes: tuple[str, ...]
    """What its velocities are along, and about."""
    moved: tuple[float, ...]
    """The velocity that it had."""
    blocked: bool
    """Whether something was in its way."""


class SensedRobot(Protocol):
    """A robot as another one's sensor sees it."""

    @property
    def bodies(self) -> Mapping[str, Body]:
        """Its bodies, by name."""

    @property
    def team(self) -> str:
        """Whose side it is on; empty if on nobody's."""

    @property
    def motion(self) -> MotionState | None:
        """How it moves, if it is told how to; else None."""


class RefereeSource(Protocol):
    """What decides about a match, as far as robots hear of it."""

    def reading(self, robot: str) -> Sequence[float]:
        """What a robot is told: see `RefereeSensor`."""

    def ask(self, robot: str, payload: bytes) -> None:
        """A robot's client asks for something; whether it is heard is a matter of the match."""


class RadioSource(Protocol):
    """What robots say to each other."""

    def open(self, team: str, robot: str, said: Said) -> None:
        """A robot's radio is switched on; `said` is what it sends."""

    def heard(self, team: str, robot: str, since: int, until: int) -> list[tuple[int, str, bytes]]:
        """Frame, sender and message of what others of the team said from one frame up to another, oldest first."""


class Surroundings(Protocol):
    """What there is to be sensed; the simulation itself."""

    @property
    def frame(self) -> int:
        """The current frame."""

    @property
    def description(self) -> WorldDescription:
        """The world's document: what stands in it, and what is painted on its ground."""

    @property
    def world(self) -> World:
        """The physics: rays, contacts, gravity."""

    @property
    def objects(self) -> Mapping[str, Body]:
        """The world's free objects, by name."""

    @property
    def robots(self) -> Mapping[str, SensedRobot]:
        """All robots, by name."""

    @property
    def referee(self) -> RefereeSource | None:
        """Who decides about the match, if there is one."""

    @property
    def radios(self) -> RadioSource:
        """What robots say to each other."""

    @property
    def cameras(self) -> PictureSource:
        """What takes pictures."""

    @property
    def object_ids(self) -> ObjectNumbers:
        """Names and numbers of all that can be seen."""
