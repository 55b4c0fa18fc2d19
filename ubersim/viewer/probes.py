"""What there is to measure of a thing, and how it is told from the ground truth: in words, and as numbers over time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from ubersim.protocol.ground_truth import GroundTruth
from ubersim.protocol.properties import JOINT_PROPERTIES, on_axis
from ubersim.protocol.quantity import Quantities, Quantity
from ubersim.viewer.model import SceneModel
from ubersim.viewer.traces import Traces

SET_POINTS = (
    "Target", "Speed", "Voltage", "Torque", "Steering", "Curvature", "TurnRate", "SpeedX", "SpeedY", "SpeedZ",
    "PitchRate", "RollRate", "LeftWheel", "RightWheel", "Turn", "Sideways", "Kick", "Pose",
)  # fmt: skip
"""What programs command of motors again and again."""
MOST_JOINTS = 4
"""Of one motor, whose rates are drawn."""


class Probe(Protocol):
    """Of one thing."""

    commands: tuple[str, ...]
    """`Robot/Component`: whose commands have to be in the truth."""
    quantities: Quantities
    """What is drawn over time."""
    steps: frozenset[int]
    """Which of these go in steps."""

    def words(self, truth: GroundTruth) -> str:
        """What there is to say now, in Markdown."""

    def trace(self, truth: GroundTruth, traces: Traces) -> None:
        """Adds what is new."""


class BodyProbe:
    """Where a body is, and how fast."""

    commands: tuple[str, ...] = ()
    quantities: Quantities = (Quantity("speed", "m/s"), Quantity("height", "m"))
    steps: frozenset[int] = frozenset()

    def __init__(self, body: str) -> None:
        self._body = body

    def words(self, truth: GroundTruth) -> str:
        body = truth[self._body]
        forward, up = body.rotation[:, 1], body.rotation[:, 2]
        heading = math.degrees(math.atan2(-forward[0], forward[1]))
        pitch = math.degrees(math.atan2(forward[2], up[2]))
        return (
            f"position {_vector(body.position)} m  \nheading {_rounded(heading, 1)}°, pitch {_rounded(pitch, 1)}°  \n"
            f"velocity {_vector(body.linear)} m/s  \nturns {_vector(body.angular)} rad/s"
        )

    def trace(self, truth: GroundTruth, traces: Traces) -> None:
        body = truth[self._body]
        traces.add(0, truth.time, float(np.linalg.norm(body.linear)))
        traces.add(1, truth.time, float(body.position[2]))


class CommandTraces:
    """Of one component: what was wanted, from when it was sent, and what was executed, from when it acted."""

    def __init__(self, component: str, numbers: Mapping[str, int], first: int, now: Mapping[str, float]) -> None:
        """`numbers` are those of the properties by name, `first` the place of the first trace; two for each."""
        self._component = component
        self._places = {number: first + 2 * place for place, number in enumerate(numbers.values())}
        self._now = {number: now.get(name, 0.0) for name, number in numbers.items()}

    def trace(self, truth: GroundTruth, traces: Traces) -> None:
        """Adds what is new."""
        for number, place in self._places.items():
            for trace in (place, place + 1):
                if traces.is_empty(trace):
                    traces.add(trace, min(truth.time, traces.now), self._now[number])
        for number, sent, executed, value in truth.commands.get(self._component, ()):
            found = self._places.get(int(number))
            if found is not None:
                traces.add(found, float(sent), float(value))
                if executed <= truth.time:
                    traces.add(found + 1, float(executed), float(value))


class JointProbe:
    """How far a joint is and how fast it moves; of one with a motor of its own, what was wanted and is executed."""

    def __init__(self, model: SceneModel, robot: str, joint: str) -> None:
        self._joint = f"{robot}/{joint}"
        self._units: Sequence[str] = model.interface(robot)["joints"][joint]["units"]
        settings = model.parts(robot)["joints"].get(joint, {})
        measured = [
            Quantity(on_axis(name, axis), unit + per)
            for axis, unit in enumerate(self._units)
            for name, per in (("position", ""), ("measured rate", "/s"))
        ]
        speeds = {
            on_axis("Vel", axis): f"{unit}/s"
            for axis, unit in enumerate(self._units)
            if settings.get(on_axis("FMax", axis), 0.0) > 0
        }
        self.commands: tuple[str, ...] = (self._joint,) if speeds else ()
        numbers = {name: JOINT_PROPERTIES[name] for name in speeds}
        self._traced = CommandTraces(self._joint, numbers, len(measured), settings)
        self.quantities: Quantities = (*measured, *_wanted_and_executed(speeds))
        self.steps = frozenset(range(len(measured), len(self.quantities)))

    def _pairs(self, truth: GroundTruth) -> list[tuple[float, float]]:
        return [truth.joint(self._joint, axis) for axis in range(len(self._units))]

    def words(self, truth: GroundTruth) -> str:
        return "  \n".join(
            f"position {_rounded(position, 4)} {unit}, rate {_rounded(rate, 4)} {unit}/s"
            for (position, rate), unit in zip(self._pairs(truth), self._units, strict=True)
        )

    def trace(self, truth: GroundTruth, traces: Traces) -> None:
        for place, value in enumerate(value for pair in self._pairs(truth) for value in pair):
            traces.add(place, truth.time, value)
        self._traced.trace(truth, traces)


class MotorProbe:
    """What a motor was told, what it executes, and what came of it: of its joints, or of the robot's first body."""

    def __init__(self, model: SceneModel, robot: str, motor: str) -> None:
        about = model.parts(robot)["motors"].get(motor, {"drives": (), "values": {}})
        self._axes = [(f"{robot}/{joint}", int(axis)) for joint, axis in about["drives"]][:MOST_JOINTS]
        self._body = model.bodies[model.rows(robot)[0]]
        joints = model.interface(robot)["joints"]
        self._units = units = [joints[name.partition("/")[2]]["units"][axis] for name, axis in self._axes]
        self._positions = "Target" in about["values"] or "Steering" in about["values"]
        measured = [Quantity("measured forward", "m/s"), Quantity("measured turn", "rad/s")] if not units else []
        for (name, axis), unit in zip(self._axes, units, strict=True):
            label = on_axis(name.partition("/")[2], axis)
            measured.append(Quantity(f"measured rate of {label}", f"{unit}/s"))
            if self._positions:
                measured.append(Quantity(f"measured {label}", unit))
        names = [name for name in SET_POINTS if name in about["values"]]
        self.commands: tuple[str, ...] = (f"{robot}/{motor}",)
        told = model.interface(robot)["motors"][motor]
        wanted = {name: told.get("units", {}).get(name, "") for name in names}
        self._numbers: Mapping[str, int] = told["properties"]
        numbers = {name: self._numbers[name] for name in names}
        self._traced = CommandTraces(self.commands[0], numbers, len(measured), about["values"])
        self.quantities: Quantities = (*measured, *_wanted_and_executed(wanted))
        self.steps = frozenset(range(len(measured), len(self.quantities)))

    def words(self, truth: GroundTruth) -> str:
        pairs = [truth.joint(*axis) for axis in self._axes]
        said = [
            f"{joint.partition('/')[2]}: position {_rounded(position, 4)} {unit}, rate {_rounded(rate, 4)} {unit}/s"
            for (joint, _), (position, rate), unit in zip(self._axes, pairs, self._units, strict=True)
        ]
        rows = truth.commands.get(self.commands[0])
        if rows is not None and len(rows):
            number, sent, executed, value = rows[-1]
            name = next((name for name, known in self._numbers.items() if known == int(number)), f"{number:g}")
            said.append(f"last command: {name} {value:.4g}, sent {sent:.3f} s, acts {executed:.3f} s")
        return "  \n".join(said or ["no command yet"])

    def trace(self, truth: GroundTruth, traces: Traces) -> None:
        values: list[float] = []
        if not self._axes:
            body = truth[self._body]
            values = [float(body.linear @ body.rotation[:, 1]), float(body.angular @ body.rotation[:, 2])]
        for axis in self._axes:
            position, rate = truth.joint(*axis)
            values += [rate, position] if self._positions else [rate]
        for place, value in enumerate(values):
            traces.add(place, truth.time, value)
        self._traced.trace(truth, traces)


def _wanted_and_executed(units: Mapping[str, str]) -> list[Quantity]:
    return [Quantity(f"{what} {name}", unit) for name, unit in units.items() for what in ("wanted", "executed")]


def _vector(values: Iterable[float]) -> str:
    return "(" + ", ".join(_rounded(value, 3) for value in values) + ")"


def _rounded(value: float, digits: int) -> str:
    """To so many digits; what rounding left of a 0 has no sign."""
    return f"{round(value, digits) + 0.0:.{digits}f}"
