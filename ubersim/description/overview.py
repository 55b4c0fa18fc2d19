"""What a robot amounts to: masses, centres of mass, inertia, joints, sensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ubersim.description.base import JointDescription, SensorDescription
from ubersim.description.mass import MassProperties
from ubersim.description.motors import MotorDescription
from ubersim.description.robot import RobotDescription


@dataclass(frozen=True)
class Overview:
    """The figures of a robot, in model space and in its initial pose."""

    name: str
    """The robot's name."""
    whole: MassProperties
    """Of all bodies together."""
    bodies: dict[str, MassProperties]
    """Of each body."""
    joints: tuple[JointDescription, ...]
    """The joints, in the order of the document."""
    sensors: dict[str, tuple[SensorDescription, ...]]
    """The sensors of each body."""
    motors: tuple[MotorDescription, ...]
    """The motors, in the order of the document."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.name}: {_count(len(self.bodies), 'body', 'bodies')}, {self.whole.mass:.6g} kg"
        yield f"  centre of mass  {_triple(self.whole.center)} m"
        for name, mass in self.bodies.items():
            yield f"Body {name}: {mass.mass:.6g} kg"
            yield f"  centre of mass  {_triple(mass.center)} m"
            yield from _tensor(mass)
        yield _count(len(self.joints), "joint", "joints")
        for joint in self.joints:
            yield f"  {joint.tag} {joint.name}: {joint.body1} - {joint.body2}"
        yield _count(len(self.motors), "motor", "motors")
        for motor in self.motors:
            yield f"  {motor.tag} {motor.name}: {', '.join(dict.fromkeys(joint for joint, _ in motor.driven()))}"
        yield _count(sum(map(len, self.sensors.values())), "sensor", "sensors")
        for body, sensors in self.sensors.items():
            for sensor in sensors:
                rate = "every frame" if sensor.frequency is None else f"{sensor.frequency:g} Hz"
                yield f"  {sensor.tag} {sensor.name} on {body}: {rate}, {sensor.reading}"


def overview(robot: RobotDescription) -> Overview:
    """The figures of a robot."""
    return Overview(
        robot.name,
        robot.mass_properties(),
        {body.name: body.mass_properties() for body in robot.bodies},
        robot.joints,
        {body.name: body.sensors for body in robot.bodies},
        robot.motors,
    )


def summary(robot: RobotDescription) -> str:
    """The figures of a robot, as text."""
    return str(overview(robot))


def _tensor(mass: MassProperties) -> Iterator[str]:
    label = "inertia         "
    for row in mass.inertia:
        yield f"  {label}{_triple(row)}" + (" kg m^2" if label.strip() else "")
        label = " " * len(label)


def _triple(values: object) -> str:
    return " ".join(f"{value + 0.0:11.6g}" for value in values)  # type: ignore[attr-defined]


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
