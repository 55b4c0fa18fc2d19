"""What is allowed in a robot or world and yet is hardly ever meant: sizes, anchors, strengths. Warnings, not errors."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from ubersim.description.base import STATIC, JointDescription, Solid
from ubersim.description.loops import GRAVITY, sagging
from ubersim.description.robot import BodyDescription, RobotDescription
from ubersim.description.world_file import WorldDescription
from ubersim.geometry import Array

SMALL, LARGE = 0.02, 10.0
"""A robot whose longest side is outside of these [m] was perhaps measured in another unit."""
VAST = 1000.0
"""A world whose solids reach farther than this [m] was perhaps measured in another unit."""
TINY = 0.002
"""An object whose longest side is shorter than this [m] was perhaps, too."""
PROPORTION = 1000.0
"""Of the longest side of a robot to the shortest of one of its solids."""
NARROW = math.radians(5.0)
"""A field of view below this was perhaps given in radians."""
STEPS = 3
"""A time constant shorter than so many frames is not resolved."""


def warnings(robot: RobotDescription, step: float = 0.001) -> Iterator[str]:
    """What is probably not meant, a line each; `step` is the length of a frame [s]."""
    yield from _sizes(robot)
    yield from _loose_bodies(robot)
    yield from _anchors(robot)
    yield from _spawn(robot)
    yield from _sensors(robot, step)
    yield from _time_constants(robot, step)
    yield from _strengths(robot)
    yield from _loops(robot)


def world_warnings(world: WorldDescription) -> Iterator[str]:
    """What is probably not meant in a world, a line each."""
    if world.static:
        low, high = extent(world.static)
        longest = float((high - low).max())
        if not SMALL <= longest <= VAST:
            yield f"what never moves in it is {_length(longest)} long together; sizes are in metres"
    for body in world.objects:
        low, high = box_of((body,))
        longest = float((high - low).max())
        if not TINY <= longest <= LARGE:
            yield f"Body {body.name} is {_length(longest)} long; sizes are in metres"
    for number, point in enumerate(world.spawn_points, 1):
        if world.ground and point.position[2] < 0:
            yield f"spawn point {number} is {_length(-point.position[2])} below the ground"


def extent(solids: Iterable[Solid]) -> tuple[Array, Array]:
    """The smallest and the largest coordinates of solids [m]."""
    boxes = [solid.bounds() for solid in solids]
    return np.min([low for low, _ in boxes], axis=0), np.max([high for _, high in boxes], axis=0)


def box_of(bodies: tuple[BodyDescription, ...]) -> tuple[Array, Array]:
    """The smallest and the largest coordinates of bodies in model space [m]."""
    boxes = [solid.bounds() for body in bodies for solid in (*body.solids, *body.visual)]
    boxes += [(body.mass_properties().center,) * 2 for body in bodies if not (body.solids or body.visual)]
    return np.min([low for low, _ in boxes], axis=0), np.max([high for _, high in boxes], axis=0)


def _length(length: float) -> str:
    """Three digits of it, in plain figures also where it is kilometres."""
    return f"{float(f'{length:.3g}'):g} m"


def _sizes(robot: RobotDescription) -> Iterator[str]:
    low, high = box_of(robot.bodies)
    longest = float((high - low).max())
    if not SMALL <= longest <= LARGE:
        yield f"{robot.name} is {_length(longest)} long; sizes are in metres"
    for body in robot.bodies:
        for solid in body.solids:
            least = float(np.subtract(*reversed(solid.bounds())).min())
            if least < longest / PROPORTION:
                yield f"{solid.tag} {solid.name} is {_length(least)} thin, on a robot of {_length(longest)}"


def _loose_bodies(robot: RobotDescription) -> Iterator[str]:
    """What no joint connects with the rest, which is what the world holds or else the heaviest part."""
    if robot.entity.motion:
        return
    parts: list[set[str]] = []
    for body in robot.bodies:
        if not any(body.name in part for part in parts):
            parts.append(_connected(body.name, robot.joints))
    masses = {body.name: body.mass_properties().mass for body in robot.bodies} | {STATIC: math.inf}
    rest = max(parts, key=lambda part: sum(masses[name] for name in part))
    for part in parts:
        names = [body.name for body in robot.bodies if body.name in part]
        if part is rest or STATIC in part:
            continue
        if len(names) == 1:
            yield f"Body {names[0]} is connected to nothing: it falls off"
        else:
            yield f"Bodies {', '.join(names)} are connected to each other and to nothing else: they fall off"


def _connected(start: str, joints: Iterable[JointDescription]) -> set[str]:
    """What joints connect with this body, itself included; `STATIC` is among it if the world holds it."""
    neighbours: dict[str, set[str]] = defaultdict(set)
    for joint in joints:
        neighbours[joint.body1].add(joint.body2)
        neighbours[joint.body2].add(joint.body1)
    found, edge = {start}, [start]
    while edge:
        if (name := edge.pop()) != STATIC:  # what else the world holds has nothing to do with it
            edge += neighbours[name] - found
            found |= neighbours[name]
    return found


def _anchors(robot: RobotDescription) -> Iterator[str]:
    bodies = {body.name: body for body in robot.bodies}
    for joint in robot.joints:
        held = [bodies[name] for name in (joint.body1, joint.body2) if name != STATIC]
        if joint.anchor is None or not held:
            continue
        far = []
        for body in held:
            low, high = box_of((body,))
            gap = np.linalg.norm(np.maximum(0.0, np.maximum(low - joint.anchor, np.asarray(joint.anchor) - high)))
            far.append((float(gap), float((high - low).max())))
        if all(gap > size for gap, size in far):
            least = min(gap for gap, _ in far)
            yield f"{joint.tag} {joint.name} has its anchor {_length(least)} away from the bodies that it connects"


def _spawn(robot: RobotDescription) -> Iterator[str]:
    spawn = robot.settings.spawn
    if spawn is not None:
        height = spawn.pose.position[2] + robot.lowest(spawn.pose.rotation)
        if height < -1e-3:
            yield f"it spawns with its lowest point {_length(-height)} below the ground"


def _sensors(robot: RobotDescription, step: float) -> Iterator[str]:
    for sensor in robot.sensors:
        fov = getattr(sensor, "fov", None)
        if fov is not None and fov < NARROW:
            yield f"{sensor.tag} {sensor.name} sees {math.degrees(fov):.3g}°; Fov is in degrees"
        open_for = getattr(sensor, "shutter_time", 0.0)
        if sensor.frequency and open_for * sensor.frequency > 1.0001:
            yield (
                f"{sensor.tag} {sensor.name} is exposed and read out for {1e3 * open_for:g} ms, "
                f"but takes a picture every {1e3 / sensor.frequency:g} ms"
            )
        if sensor.frequency and sensor.frequency > 1.0001 / step:
            yield f"{sensor.tag} {sensor.name} wants {sensor.frequency:g} Hz; there are {1 / step:g} frames per second"


def _time_constants(robot: RobotDescription, step: float) -> Iterator[str]:
    """Of a servo: how long it takes to come near its target, by its damping and stiffness."""
    for motor in robot.motors:
        kp, kd = getattr(motor, "kp", None), getattr(motor, "kd", None)
        if kp and kd and kd / kp < STEPS * step:
            yield (
                f"{motor.tag} {motor.name} has the time constant Kd/Kp = {1e3 * kd / kp:.3g} ms; "
                f"a frame lasts {1e3 * step:g} ms"
            )


def _strengths(robot: RobotDescription) -> Iterator[str]:
    """A joint that cannot hold what hangs on it, as the robot stands at the start."""
    for joint in robot.joints:
        if len(joint.axes) != 1:
            continue
        strength = _strength(robot, joint)
        carried = _beyond(robot, joint)
        if strength is None or carried is None:
            continue
        axis = np.asarray(joint.axes[0]) / np.linalg.norm(joint.axes[0])
        masses = [body.mass_properties() for body in carried]
        weight = GRAVITY * sum(mass.mass for mass in masses)
        if joint.units(0)[0] == "m":
            needed, unit = weight * abs(float(axis[2])), "N"
        else:
            center = sum(mass.mass * mass.center for mass in masses) / sum(mass.mass for mass in masses)
            lever = np.cross(center - np.asarray(joint.anchor), (0.0, 0.0, -weight))
            needed, unit = abs(float(axis @ lever)), "N m"
        if needed > strength:
            hangs = f"{len(carried)} bodies" if len(carried) > 1 else carried[0].name
            yield f"{joint.tag} {joint.name} exerts {strength:.3g} {unit} at most; to hold {hangs} takes {needed:.3g}"


def _loops(robot: RobotDescription) -> Iterator[str]:
    """Joints that close a loop and together cannot hold what it carries."""
    closing = [joint for joint in robot.joints if _closes_a_loop(robot, joint)]
    while closing:
        first = closing[0]
        around = _connected(first.body2 if first.body1 == STATIC else first.body1, closing) - {STATIC}
        loop = [joint for joint in closing if joint is first or {joint.body1, joint.body2} & around]
        closing = [joint for joint in closing if joint not in loop]
        driven = [joint for joint in loop if _strength(robot, joint)]
        if found := sagging(robot, loop, lambda joint: _loop_strength(robot, joint)):
            names = ", ".join(joint.name for joint in driven)
            share = 100 * found[1] / found[0]
            yield f"{names} can hold {share:.3g} % of the weight on their loop of {len(loop)} joints"


def _closes_a_loop(robot: RobotDescription, joint: JointDescription) -> bool:
    others = [other for other in robot.joints if other is not joint]
    return bool(_connected(joint.body1, others) & _connected(joint.body2, others))


def _loop_strength(robot: RobotDescription, joint: JointDescription) -> float | None:
    """0 if nothing drives it; None if something does whose strength is not known, such as a spring."""
    driven = any((joint.name, 0) in motor.driven() for motor in robot.motors)
    return _strength(robot, joint) or (None if driven else 0.0)


def _strength(robot: RobotDescription, joint: JointDescription) -> float | None:
    """The most that anything drives its axis with; None: nothing does."""
    motors = [motor.strength for motor in robot.motors if (joint.name, 0) in motor.driven()]
    known = [value for value in motors or [getattr(joint, "f_max", None)] if value]
    return max(known) if known else None


def _beyond(robot: RobotDescription, joint: JointDescription) -> list[BodyDescription] | None:
    """What hangs on it: of the two parts that it holds together the one that the world does not hold, or the lighter.

    None if other joints, or the world, hold them together as well.
    """
    others = [other for other in robot.joints if other is not joint]
    sides = [_connected(name, others) for name in (joint.body1, joint.body2)]
    if sides[0] & sides[1]:
        return None
    parts = [[body for body in robot.bodies if body.name in side] for side in sides if STATIC not in side]
    return min(parts, key=lambda part: sum(body.mass_properties().mass for body in part))
