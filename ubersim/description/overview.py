"""What a robot amounts to: masses, centres of mass, inertia, joints, sensors; and what is in a world."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ubersim.description.base import JointDescription, Light, SensorDescription
from ubersim.description.mass import MassProperties
from ubersim.description.motors import MotorDescription
from ubersim.description.plausibility import box_of, extent
from ubersim.description.readings import ReadingDescription
from ubersim.description.robot import RobotDescription
from ubersim.description.world_file import WorldDescription
from ubersim.geometry import Array
from ubersim.protocol.names import VISIBLE
from ubersim.protocol.properties import AXES, JOINT_PROPERTIES, on_axis
from ubersim.timing.latency import Constant, LatencyModel


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
    box: tuple[Array, Array]
    """Smallest and largest coordinates [m]."""
    lights: dict[str, tuple[Light, ...]]
    """The lamps of each body."""
    latency: LatencyModel
    """Of all commands."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.name}: {_count(len(self.bodies), 'body', 'bodies')}, {self.whole.mass:.6g} kg"
        yield f"  centre of mass  {_triple(self.whole.center)} m"
        yield f"  bounding box    {_size(self.box)} m"
        yield f"  commands        late by {self.latency}"
        for name, mass in self.bodies.items():
            yield f"Body {name}: {mass.mass:.6g} kg"
            yield f"  centre of mass  {_triple(mass.center)} m"
            yield from _tensor(mass)
        yield _count(len(self.joints), "joint", "joints")
        for joint in self.joints:
            yield f"  {joint.tag} {joint.name}: {joint.body1} - {joint.body2}{_stops(joint)}"
            if (report := joint.report) is not None:
                units = tuple(joint.units(axis) for axis in range(joint.axis_count))
                named = ", ".join(map(str, report.about(joint.name, joint.tag, units).quantities_on({})))
                yield f"    reports {_when(report)}: {named}"
        yield _count(len(self.motors), "motor", "motors")
        for motor in self.motors:
            driven = ", ".join(dict.fromkeys(joint for joint, _ in motor.driven()))
            own = "" if motor.latency == Constant(0.0) else f"; late by {motor.latency} more"
            yield f"  {motor.tag} {motor.name}" + (f": {driven}" if driven else "") + own
        yield _count(sum(map(len, self.sensors.values())), "sensor", "sensors")
        joints = {joint.name: joint for joint in self.joints}
        for body, sensors in self.sensors.items():
            for sensor in sensors:
                yield f"  {sensor.tag} {sensor.name} on {body}: {_when(sensor)}{_extent(sensor)}"
                named = ", ".join(map(str, sensor.quantities_on(joints)))
                yield f"    {named or sensor.reading.partition(';')[0]}"
        if lamps := [(body, light) for body, lights in self.lights.items() for light in lights]:
            yield _count(len(lamps), "light", "lights")
            yield from (
                f"  {light.tag} {light.name} on {body}: {' and '.join(light.radiation)}" for body, light in lamps
            )


def overview(robot: RobotDescription) -> Overview:
    """The figures of a robot."""
    return Overview(
        robot.name,
        robot.mass_properties(),
        {body.name: body.mass_properties() for body in robot.bodies},
        robot.joints,
        {body.name: body.sensors for body in robot.bodies},
        robot.motors,
        box_of(robot.bodies),
        {body.name: body.lights for body in robot.bodies},
        robot.settings.latency,
    )


def summary(robot: RobotDescription) -> str:
    """The figures of a robot, as text."""
    return str(overview(robot))


def world_summary(name: str, world: WorldDescription) -> str:
    """What stands, lies and is painted in a world, as text."""
    return "\n".join(_world_lines(name, world))


def _world_lines(name: str, world: WorldDescription) -> Iterator[str]:
    yield f"{name}: {'ground' if world.ground else 'no ground'}; solids that never move: {len(world.static)}"
    if world.static:
        yield f"  bounding box    {_size(extent(world.static))} m"
    yield f"objects: {len(world.objects)}"
    for body in world.objects:
        mass = body.mass_properties()
        yield f"  Body {body.name}: {mass.mass:.6g} kg"
        yield f"    centre of mass  {_triple(mass.center)} m"
        yield f"    bounding box    {_size(box_of((body,)))} m"
    yield f"markings: {len(world.markings)}, lights: {len(world.lights)}, spawn points: {len(world.spawn_points)}"


def _size(box: tuple[Array, Array]) -> str:
    return _triple(box[1] - box[0])


def _stops(joint: JointDescription) -> str:
    """How far its axes go, and how strong it is."""
    told = []
    for axis in range(AXES):
        low, high, most = (
            joint.initial.get(JOINT_PROPERTIES[on_axis(name, axis)]) for name in ("LoStop", "HiStop", "FMax")
        )
        place, _, effort = joint.units(axis)
        if low is not None or high is not None:
            unit, scale = ("°", 180 / math.pi) if place == "rad" else (" m", 1.0)
            ends = ["free" if end is None else f"{scale * end:g}{unit}" for end in (low, high)]
            told.append(" to ".join(ends))
        if most is not None:
            told.append(f"at most {most:g} {effort}")
    return f"; {', '.join(told)}" if told else ""


def _when(reading: ReadingDescription) -> str:
    """How often it comes, and how late."""
    rate = f"{reading.frequency:g} Hz" if reading.frequency else "every frame"
    return f"{rate}, late by {reading.latency}"


def _extent(sensor: SensorDescription) -> str:
    """How much it sees, as far as it has such sizes."""
    told = []
    if (width := getattr(sensor, "width", None)) is not None:
        told.append(f"{width} x {getattr(sensor, 'height', 0)} pixels")
    if (fov := getattr(sensor, "fov", None)) is not None:
        told.append(f"{math.degrees(fov):g}°")
    if (beams := getattr(sensor, "beams", None)) is not None:
        told.append(f"{beams} beams")
    if (reach := getattr(sensor, "range", None)) is not None:
        told.append(f"up to {reach:g} m")
    sees, form = getattr(sensor, "radiation", VISIBLE), getattr(sensor, "format", "bgra")
    told += [sees] * (sees != VISIBLE) + [form] * (form != "bgra")
    if open_for := getattr(sensor, "shutter_time", 0.0):
        told.append(f"exposed and read out for {1e3 * open_for:g} ms")
    return f"; {', '.join(told)}" if told else ""


def _tensor(mass: MassProperties) -> Iterator[str]:
    label = "inertia         "
    for row in mass.inertia:
        yield f"  {label}{_triple(row)}" + (" kg m^2" if label.strip() else "")
        label = " " * len(label)


def _triple(values: Array) -> str:
    """Three numbers; what rounding left of a 0 is one."""
    least = 1e-12 * max(1e-6, *map(abs, values))
    return " ".join(f"{value if abs(value) > least else 0.0:11.6g}" for value in values)


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
