"""Robots and objects by name, and where their bodies and sensors are according to the ground truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.geometry import Pose, matrix_from_quaternion
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.selection import Kind, Selection

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
        self.solids: dict[str, list[int]] = _solids(scene)
        """The world's static solids, with the places of their shapes in the scene."""
        self.shapes: Sequence[Mapping[str, Any]] = scene.get("shapes", ())
        """All that is to be seen."""
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

    def names(self, robot: str, kind: Kind) -> list[str]:
        """Of a robot's parts of one kind."""
        if kind == "Bodies":
            return [self.bodies[row].partition("/")[2] for row in self.rows(robot)]
        return list(self.interface(robot)[kind.lower()])

    def has(self, choice: Selection) -> bool:
        """Whether there is such a thing."""
        match choice.kind:
            case "Robot":
                return choice.entity in self.robots
            case "Object":
                return choice.entity in self.entities and choice.entity not in self.robots
            case "Solid":
                return choice.entity in self.solids
            case kind:
                return choice.entity in self.robots and choice.part in self.names(choice.entity, kind)

    def at_row(self, row: int) -> Selection:
        """The body, or the object, that a row is of."""
        entity, slash, body = self.bodies[row].partition("/")
        return Selection("Bodies", entity, body) if slash else Selection("Object", entity)

    def interface(self, robot: str) -> Mapping[str, Any]:
        """Its sensors, joints and motors, as its own client knows them."""
        about: Mapping[str, Any] = self._legend["robots"].get(robot, {"sensors": {}, "joints": {}, "motors": {}})
        return about

    def parts(self, robot: str) -> Mapping[str, Any]:
        """Its latency, bodies, joints, motors, and sensors with their places."""
        about: Mapping[str, Any] = self._parts.get(robot, _NOTHING)
        return about

    @cached_property
    def reach(self) -> dict[int, float]:
        """How far the shapes of each body, by row, are from its centre of mass [m]."""
        found: dict[int, float] = {}
        for shape in self.shapes:
            if shape["body"] >= 0:
                far = float(np.linalg.norm(shape["position"])) + radius_of(shape)
                found[shape["body"]] = max(found.get(shape["body"], 0.0), far)
        return found

    def labels(self, truth: GroundTruth, absent: frozenset[int] = frozenset()) -> dict[str, tuple[str, Array]]:
        """Names of robots and objects, by their numbers, and where they are written; some rows are not there."""
        texts = {}
        for number, name in enumerate(self.entities):
            rows = [row for row in self.rows(name) if row not in absent]
            if rows:
                top = max(float(truth.positions[row][2]) + self.reach.get(row, 0.0) for row in rows)
                x, y, _ = truth.positions[rows[0]]
                texts[str(number)] = name, np.array([x, y, top + 0.06])
        return texts

    @property
    def object_names(self) -> dict[int, str]:
        """Names by the numbers that lists of objects and segmentation pictures have."""
        names = {1: "Ground"}
        for shape in self.shapes:
            if shape["body"] >= 0:
                names[shape["object_id"]] = self.bodies[shape["body"]]
        return names | {self.shapes[found[0]]["object_id"]: name for name, found in self.solids.items()}

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


def _solids(scene: Mapping[str, Any]) -> dict[str, list[int]]:
    """Those that have a name."""
    found: dict[str, list[int]] = {}
    for place, shape in enumerate(scene.get("shapes", ())):
        name = scene.get("solids", {}).get(str(shape["object_id"]))
        if shape["body"] < 0 and name is not None:
            found.setdefault(name, []).append(place)
    return found


def radius_of(shape: Mapping[str, Any]) -> float:
    """Of a ball around a shape [m]."""
    size = shape["size"]
    match shape["kind"]:
        case "sphere":
            return float(size[0])
        case "cylinder" | "capsule":
            return float(size[0] + size[1] / 2)
        case "mesh":
            return float(np.linalg.norm(np.array(shape["mesh"]["vertices"], dtype=float), axis=1).max())
        case _:
            return float(np.linalg.norm(size)) / 2
