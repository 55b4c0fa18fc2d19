"""Robots and objects by name, and where their bodies and sensors are according to the ground truth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.geometry import Pose, matrix_from_quaternion
from ubersim.protocol.ground_truth import GroundTruth

Array = NDArray[np.float64]
_NOTHING: Mapping[str, Any] = {"latency": 0.0, "bodies": {}, "joints": {}, "motors": {}, "sensors": {}}


class SceneModel:
    """Made anew whenever robots join or leave."""

    def __init__(self, legend: Mapping[str, Any], scene: Mapping[str, Any], *, stamp: str = "captured") -> None:
        self.stamp = stamp
        """What the times of readings mean."""
        self.bodies: list[str] = legend["bodies"]
        """`Robot/Body`, or the name of an object, by row."""
        self.robots = list(legend["robots"])
        """Their names."""
        self.entities = list(dict.fromkeys([*self.robots, *(body.partition("/")[0] for body in self.bodies)]))
        """Names of the robots, then of the objects."""
        self._legend = legend
        self._parts: Mapping[str, Any] = {}
        self.update(scene)

    def update(self, scene: Mapping[str, Any]) -> None:
        """The robots are the same, with other settings."""
        self._parts = scene.get("robots", {})

    def knows(self, legend: Mapping[str, Any]) -> bool:
        """Whether a legend is of the same robots and objects."""
        return all(legend[key] == self._legend[key] for key in ("bodies", "robots"))

    def rows(self, entity: str) -> list[int]:
        """Of the bodies of a robot, or of an object."""
        return [row for row, body in enumerate(self.bodies) if body.partition("/")[0] == entity]

    def interface(self, robot: str) -> Mapping[str, Any]:
        """Its sensors, joints and motors, as its own client knows them."""
        about: Mapping[str, Any] = self._legend["robots"].get(robot, {"sensors": {}, "joints": {}, "motors": {}})
        return about

    def parts(self, robot: str) -> Mapping[str, Any]:
        """Its latency, bodies, joints, motors, and sensors with their places."""
        about: Mapping[str, Any] = self._parts.get(robot, _NOTHING)
        return about

    def pose(self, truth: GroundTruth, body: str) -> Pose:
        """Where a body's centre of mass is."""
        row = self.bodies.index(body)
        return Pose(truth.positions[row], matrix_from_quaternion(truth.quaternions[row]))

    def model_frame(self, truth: GroundTruth, robot: str, body: str) -> Pose:
        """Where a robot's model space is, as one of its bodies carries it."""
        center = self.parts(robot)["bodies"].get(body, {"center": (0.0, 0.0, 0.0)})["center"]
        return self.pose(truth, f"{robot}/{body}") @ Pose(-np.array(center))

    def sensor(self, truth: GroundTruth, robot: str, sensor: str) -> Pose:
        """Where a sensor's own frame is."""
        place = self.parts(robot)["sensors"][sensor]
        return self.pose(truth, f"{robot}/{place['body']}") @ Pose(
            np.array(place["position"]), np.array(place["rotation"])
        )
