"""What all sensors share: where they sit, and what they can see from there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ubersim.components.sensors.surroundings import Surroundings
from ubersim.description.base import SensorDescription as SensorDescription
from ubersim.geometry import Pose

if TYPE_CHECKING:  # so that descriptions can be read where the physics kernel is not installed
    from ubersim.physics import Body, Joint


@dataclass(frozen=True)
class Mount:
    """Where a sensor sits."""

    body: Body
    """The body that carries it."""
    pose: Pose
    """Its own frame, seen from the body's, whose origin is the centre of mass and whose axes are the model's."""
    robot: str
    """Name of the robot that it belongs to."""
    bodies: Mapping[str, Body]
    """The bodies of that robot, by name."""
    joints: Mapping[str, Joint]
    """The joints of that robot, by name."""
    surroundings: Surroundings
    """Everything else."""

    def pose_in_world(self) -> Pose:
        """Where the sensor's own frame is now."""
        return Pose(self.body.position, self.body.rotation) @ self.pose

    def numbers(self) -> tuple[float, ...]:
        """Place and turn on the body, as the native lane has them."""
        return *self.pose.position.tolist(), *self.pose.rotation.ravel().tolist()
