"""A client's parts in the kernel's memory: written before a call of the native lane, read after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import WorldError
from ubersim.geometry import Array
from ubersim.physics._ode import NULL, doubles, ffi, integers, lib
from ubersim.physics.body import Body
from ubersim.physics.driven_axis import DrivenAxis
from ubersim.physics.frame_lane import address_of_generator
from ubersim.physics.joint import Joint
from ubersim.physics.ray_batch import RayBatch

Item = tuple[int, int, float, int]
"""Frame, when it was sent, value, target."""
_ITEM = np.dtype([("frame", "<i8"), ("sent", "<i8"), ("value", "<f8"), ("target", "<i4")], align=True)
assert _ITEM.itemsize == ffi.sizeof("lane_command")


def fine(outcome: int) -> None:
    """Refuses to go on without memory."""
    if not outcome:
        raise WorldError("no memory for a client of the lane")


def set_target(client: Any, index: int, joint: Joint, parameter: int, bounds: tuple[float, float], zero: float) -> None:
    """A command that sets a property of a joint."""
    target = client.targets[index]
    target.joint, target.parameter, target.zero = joint.handle, parameter, zero
    target.low, target.high = bounds


def set_motor_target(client: Any, index: int, motor: int, parameter: int, bounds: tuple[float, float]) -> None:
    """A command that sets a value of a motor."""
    target = client.targets[index]
    target.joint, target.motor, target.parameter = NULL, motor, parameter
    target.low, target.high = bounds


def name_target(client: Any, index: int, head: bytes) -> None:
    """Messages that begin with these bytes are about it."""
    fine(lib.lane_name_target(client, index, head, len(head)))


def set_error(sensor: Any, index: int, resolution: float, bias: Array | None, rng: np.random.Generator) -> None:
    """How a sensor's values differ from the truth, but for the noise, which changes."""
    error = sensor.errors[index]
    error.resolution, error.bias = resolution, NULL if bias is None else doubles(bias)
    error.random = address_of_generator(rng)


def set_rays(sensor: Any, rays: RayBatch) -> None:
    """What a sensor casts."""
    (
        sensor.body,
        sensor.ray_count,
        sensor.place,
        sensor.fixed,
        sensor.ranges,
        sensor.ignored,
        sensor.ignored_owner,
        sensor.origins,
        sensor.directions,
        sensor.distances,
        sensor.ids,
        sensor.normals,
    ) = rays.call


def set_wheels(sensor: Any, wheels: Sequence[Joint]) -> None:
    """What odometry counts."""
    sensor.joint_count = len(wheels)
    for place, joint in enumerate(wheels):
        sensor.joints[place] = joint.handle


def set_constants(sensor: Any, constants: Array, carried: Array) -> None:
    """Numbers of a device, and those that it carries from reading to reading; both must outlive the sensor."""
    sensor.constants, sensor.memory = doubles(constants), doubles(carried)


def set_partners(sensor: Any, geoms: NDArray[np.int64], numbers: Array) -> None:
    """Whom a sensor knows of those that touch; both must outlive their use."""
    sensor.partners, sensor.partner_numbers, sensor.partner_count = integers(geoms), doubles(numbers), len(geoms)


def set_sight(sensor: Any, bodies: Sequence[Body | None]) -> Any:
    """Whom a sensor looks at; what it returns must outlive its use."""
    handles = ffi.new("body *[]", [NULL if body is None else body.handle for body in bodies])
    sensor.bodies, sensor.body_count = handles, len(bodies)
    return handles


def set_axis(motor: Any, axis: DrivenAxis) -> None:
    """What a motor drives."""
    motor.joint, motor.axis = axis.joint.handle, axis.axis
    motor.vel, motor.fmax, motor.cfm, motor.zero = axis.native


def set_chassis(motor: Any, bodies: Sequence[Body], center: Sequence[float]) -> Any:
    """What a drive moves, and about which point; what it returns must outlive the motor."""
    handles = ffi.new("body *[]", [body.handle for body in bodies])
    motor.bodies, motor.body_count, motor.center = handles, len(bodies), center
    return handles


def set_rolling_wheels(
    motor: Any, wheels: Sequence[tuple[Sequence[float], DrivenAxis | None, DrivenAxis | None, int]]
) -> Any:
    """What a drive turns: of each its numbers, what rolls and what steers it, and the motor that is told, or -1."""
    natives = ffi.new("lane_wheel[]", len(wheels))
    for wheel, (numbers, roll, swing, told) in zip(natives, wheels, strict=True):
        wheel.motor, wheel.vel = told, -1
        for place, number in enumerate(numbers):
            wheel.numbers[place] = number
        if roll is not None:
            wheel.joint = roll.joint.handle
            wheel.vel, wheel.fmax, wheel.cfm, _ = roll.native
        if swing is not None:
            wheel.joint = swing.joint.handle
            wheel.swing_vel, wheel.swing_fmax, wheel.swing_cfm, wheel.zero = swing.native
    motor.wheels, motor.wheel_count = natives, len(wheels)
    return natives


def fill(queue: Any, items: Sequence[Item]) -> None:
    """Puts these into a queue, instead of what is in it."""
    queue.first = queue.count = 0
    place = ffi.addressof(queue)
    for frame, sent, value, target in items:
        fine(lib.lane_append(place, frame, sent, target, value))


def last_of(queue: Any, count: int) -> list[Item]:
    """The last so many in a queue."""
    if not count:
        return []
    first = queue.items + (queue.first + queue.count - count)
    found: list[Item] = np.frombuffer(ffi.buffer(first, count * _ITEM.itemsize), _ITEM).tolist()
    return found


def fill_readings(sensor: Any, under_way: Sequence[tuple[int, int, bytes]]) -> None:
    """Readings under way: the frame of delivery, that of capture, the bytes."""
    sensor.first = sensor.count = 0
    for frame, captured, reading in under_way:
        fine(lib.lane_append_reading(ffi.addressof(sensor), frame, captured, reading))


def last_readings(sensor: Any, count: int) -> list[tuple[int, int, bytes]]:
    """The last so many of them."""
    end, size = sensor.first + sensor.count, sensor.size
    places = ((sensor.readings[place], sensor.bytes + size * place) for place in range(end - count, end))
    return [(about.frame, about.captured, bytes(ffi.buffer(start, size))) for about, start in places]


def newest(sensor: Any) -> bytes:
    """The last reading that was delivered."""
    return bytes(ffi.buffer(sensor.newest, sensor.size))


def give_bytes(client: Any, incoming: bytes, outgoing: bytes) -> None:
    """What came and is not understood yet, and what waits to be sent."""
    fine(lib.lane_give_incoming(client, incoming, len(incoming)))
    fine(lib.lane_give_outgoing(client, outgoing, len(outgoing)))


def take_bytes(client: Any) -> tuple[bytes, bytes]:
    """The same, afterwards."""
    count = client.incoming_end - client.incoming_start
    incoming = bytes(ffi.buffer(client.incoming + client.incoming_start, count)) if count else b""
    outgoing = bytes(ffi.buffer(client.outgoing, client.outgoing_length)) if client.outgoing_length else b""
    return incoming, outgoing


def give_open_frames(client: Any, silence: int, told: int, frames: Iterable[int]) -> None:
    """Of one that is not sent every frame: how many may be left out, the last one sent, those without an ack."""
    client.silence, client.told_frame = silence, told
    client.open_first = client.open_count = 0
    for frame in frames:
        fine(lib.lane_append_open(client, frame))


def open_frames(client: Any) -> list[int]:
    """The last of these, afterwards."""
    return [client.open[client.open_first + place] for place in range(client.open_count)]


def executions(client: Any) -> list[int]:
    """Frames of execution of all commands that entered."""
    return ffi.unpack(client.entered, client.entered_count) if client.entered_count else []


def told(client: Any) -> list[tuple[int, int, bytes]]:
    """Sensor, frame of capture and payload, of the readings that were delivered in the last frame with any."""
    found, start = [], 0
    for place in range(client.told_count):
        sensor = client.sensors[client.told[place]]
        size = sensor.size + (8 if sensor.stamped else 0)
        payload = bytes(ffi.buffer(client.told_bytes + start, size))
        found.append((client.told[place], client.told_captured[place], payload))
        start += size
    return found


def equip(client: Any, targets: int, sensors: int, motors: int) -> None:
    """Room for a client's parts."""
    fine(lib.lane_equip(client, targets, sensors, motors))


def keep_text(text: bytes) -> Any:
    """Bytes in memory of their own, which must outlive the use of the pointer."""
    return ffi.new("char[]", text)
