"""One client and its robot on the native lane: all that is plain about them goes to the kernel, and comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ubersim.components.motors.leading import velocity_motors
from ubersim.components.native_forms import NativelySampled, NativeSensor
from ubersim.components.sensors.channel import Channel, settled
from ubersim.components.sensors.lent_readings import LentReadings, ReturnedReadings
from ubersim.geometry import Array
from ubersim.physics import lane_memory as memory
from ubersim.physics.frame_lane import native_constant
from ubersim.protocol.server_lane import Target, reading_head
from ubersim.server.lane_motor import LaneMotor
from ubersim.server.session import Session
from ubersim.server.sparse_session import SparseSession
from ubersim.simulation.robot import Command, Robot
from ubersim.timing.latency import NEVER
from ubersim.timing.lent_commands import LentCommands, ReturnedCommands


@dataclass
class _Kept:
    """A sensor's form, and memory that the kernel looks at."""

    form: NativeSensor
    carried: Array
    others: Any
    sight: Any = None

    def lent(self, sensor: Any) -> NativeSensor:
        """The kernel goes on from where the device is."""
        if self.form.memory is not None:
            self.carried[:] = self.form.memory.remembered()
        if self.form.partners is not None:
            memory.set_partners(sensor, *self.form.partners.known())
        if self.form.sight is not None:
            self.sight = memory.set_sight(sensor, self.form.sight.bodies())
        return self.form

    def taken_back(self) -> None:
        """The device goes on from where the kernel is."""
        if self.form.memory is not None:
            self.form.memory.remember(self.carried.tolist())


class LaneClient:
    """Made once for a session; between `lend` and `take_back`, the state is the kernel's."""

    def __init__(self, native: Any, session: Session, robot: Robot) -> None:
        self.session, self.robot = session, robot
        self._native = native
        self._sensors, self._motors = robot.sensors, robot.motors
        self._channels = [channel for channel in robot.sensors.values() if _form_of(channel) is not None]
        self._foreign = [channel for channel in robot.sensors.values() if channel not in self._channels]
        motors = (LaneMotor.of(motor) for motor in robot.motors.values())
        self._driven = [motor for motor in motors if motor is not None]
        known = {motor.motor.name: (place, motor) for place, motor in enumerate(self._driven)}
        self._targets: dict[Target, int] = {}
        self._commands: list[Target] = []
        self._kept: list[_Kept] = []
        settable = [(head, target) for head, target in session.command_heads.items() if target[0] in robot.components]
        memory.equip(native, len(settable), len(self._channels), len(self._driven))
        for head, target in settable:
            if self._set_up_target(len(self._commands), *target, known):
                memory.name_target(native, len(self._commands), head)
                self._targets[target] = len(self._commands)
                self._commands.append(target)
        for place, channel in enumerate(self._channels):
            self._set_up_sensor(native.sensors[place], channel)
        told = {joint: known[name][0] for joint, name in velocity_motors(robot.motors.values()).items()}
        for place, motor in enumerate(self._driven):
            motor.set_up(native.motors[place], told)
        native.descriptor, native.lookahead = session.fileno(), session.lookahead
        self._lent: LentCommands[Command] | None = None
        self._lent_readings: list[LentReadings | None] = []

    def is_current(self, session: Session, robot: Robot) -> bool:
        """Whether it is about these, as they are now."""
        same = self.session is session and self.robot is robot is session.robot
        return same and robot.sensors is self._sensors and robot.motors is self._motors

    def _set_up_target(self, place: int, name: str, number: int, motors: dict[str, tuple[int, LaneMotor]]) -> bool:
        """Whether the lane knows what setting this property is."""
        component = self.robot.components[name]
        if name in motors:
            index, motor = motors[name]
            parameter = motor.parameter(number)
            if parameter is None:
                return False
            memory.set_motor_target(self._native, place, index, parameter, component.description.limits[number])
            return True
        form = component.native_target(number)
        if form is None:
            return False
        memory.set_target(self._native, place, form.joint, form.parameter, (form.low, form.high), form.zero)
        return True

    def _set_up_sensor(self, sensor: Any, channel: Channel) -> None:
        form = _form_of(channel)
        assert form is not None
        sensor.kind, sensor.axis = native_constant(form.kind), form.axis
        sensor.values, sensor.size = form.values, form.size
        for place, value in enumerate(form.numbers):
            sensor.numbers[place] = value
        if form.body is not None:
            sensor.body = form.body.handle
        if form.joint is not None:
            sensor.joint = form.joint.handle
        if form.rays is not None:
            memory.set_rays(sensor, form.rays)
        room = np.zeros(form.values if form.sight is not None else 0)
        carried = room if form.memory is None else np.array(form.memory.remembered())
        constants = np.array(form.constants)
        memory.set_wheels(sensor, form.wheels)
        memory.set_constants(sensor, constants, carried)
        for place, error in enumerate(form.errors):
            memory.set_error(sensor, place, error.resolution, error.bias, error.rng)
        sensor.stamped = channel.description.stamped
        head = reading_head(channel.name, form.size + (8 if sensor.stamped else 0))
        text = memory.keep_text(head)
        self._kept.append(_Kept(form, carried, (constants, text)))
        sensor.head, sensor.head_length = text, len(head)

    # To the kernel

    def next_foreign_frame(self) -> int:
        """The first frame in which a sensor that the lane does not know at all has something to do."""
        return min((channel.next_frame for channel in self._foreign), default=NEVER)

    def lend(self, frame: int) -> int | None:
        """Hands everything over; the first frame that needs Python, or None if this one does: then nothing is lent."""
        robot, session = self.robot, self.session
        if isinstance(session, SparseSession) and session.early:
            return None
        if session.gone is not None or session.backlog_is_old or session.news or robot.unread:
            return None
        if robot.sensed >= frame or session.sent >= frame:  # it has just joined: the frame has begun for it
            return None
        if not all(any(motor.motor is busy for motor in self._driven) for busy in robot.busy.values()):
            return None
        self._lent = robot.commands.lend(self._is_known)
        if self._lent is None:
            return None
        until = robot.commands.next_frame
        for done, motor in enumerate(self._driven):
            if (end := motor.lend(self._native.motors[done], busy=motor.motor.name in robot.busy)) is None:
                for other in self._driven[:done]:
                    other.give_back_unchanged()
                robot.commands.take_back(self._lent.unchanged())
                return None
            until = min(until, end)
        self._lend_commands(self._lent)
        return min(until, self._lend_sensors())

    def give_back_unchanged(self) -> None:
        """The lane does not run after all."""
        assert self._lent is not None
        self.robot.commands.take_back(self._lent.unchanged())
        for motor in self._driven:
            motor.give_back_unchanged()
        for channel, lent in zip(self._channels, self._lent_readings, strict=True):
            if lent is not None:
                channel.take_back(lent.unchanged())
        incoming, outgoing = memory.take_bytes(self._native)
        self.session.take_back(self.session.sent, incoming, outgoing, 0)

    def _is_known(self, command: Command) -> bool:
        return command[:2] in self._targets

    def _lend_commands(self, lent: LentCommands[Command]) -> None:
        native, targets = self._native, self._targets
        native.acked, native.stamp, native.received, native.room = lent.acked, lent.stamp, lent.received, lent.room
        native.minimum, native.keeps_order, native.latest = lent.minimum, lent.keeps_order, lent.latest
        native.pushed = native.entered_count = native.taken = 0
        native.sent = native.flushed = self.session.sent
        queue = ((at, sent, item) for at, _, item, sent in lent.queue)
        memory.fill(native.queue, [(at, sent, float(item[2]), targets[item[:2]]) for at, sent, item in queue])
        memory.fill(native.held, [(at, number, float(item[2]), targets[item[:2]]) for at, number, item in lent.held])
        if isinstance(self.session, SparseSession):
            frames = self.session.frames
            memory.give_open_frames(native, frames.silence, frames.told, self.session.open)
        memory.give_bytes(native, *self.session.lend())
        robot = self.robot
        native.sensed, native.driven, native.told_count, native.told_length = robot.sensed, robot.driven, 0, 0

    def _lend_sensors(self) -> int:
        """The first frame in which a sensor has something to do that the lane does not know."""
        until, next_sense = self.next_foreign_frame(), NEVER
        self._lent_readings = []
        for place, channel in enumerate(self._channels):
            sensor, lent = self._native.sensors[place], channel.lend()
            self._lent_readings.append(lent)
            if lent is None:
                sensor.next_sample, sensor.count = NEVER, 0
                until = min(until, channel.next_frame)
                continue
            form = self._kept[place].lent(sensor)
            for index, error in enumerate(form.errors):
                sensor.errors[index].noise = error.noise
            sensor.minimum, sensor.keeps_order = lent.minimum, lent.keeps_order
            sensor.latest_arrival, sensor.next_sample = lent.latest_arrival, lent.next_sample
            sensor.pushed, sensor.latest_frame, sensor.frequency = 0, -1, channel.frequency or 0.0
            memory.fill_readings(sensor, [(at, made, settled(reading)) for at, made, reading in lent.under_way])
            next_sense = min(next_sense, lent.next_sample, *(entry[0] for entry in lent.under_way[:1]))
        self._native.next_sense = next_sense
        return until

    # And back

    def take_back(self) -> None:
        """Everything is as if Python had done it; what the lane did not understand is understood now."""
        native, robot = self._native, self.robot
        assert self._lent is not None
        left, new = _split(native.queue.count, native.pushed)
        robot.commands.take_back(
            ReturnedCommands(
                native.acked,
                native.stamp,
                native.received,
                left,
                native.pushed,
                [(frame, self._command(target, value), sent) for frame, sent, value, target in self._last(new)],
                native.latest,
                [(at, number, self._command(target, value)) for at, number, value, target in self._held()],
                memory.executions(native),
            )
        )
        for channel, lent, place in zip(self._channels, self._lent_readings, range(len(self._channels)), strict=True):
            if lent is not None:
                channel.take_back(_returned(native.sensors[place]))
                self._kept[place].taken_back()
        busy = {motor.motor.name for motor in self._driven if motor.take_back()}
        self._follow(busy)
        incoming, outgoing = memory.take_bytes(native)
        if isinstance(self.session, SparseSession):
            self.session.take_back_frames(native.told_frame, memory.open_frames(native))
        self.session.take_back(native.sent, incoming, outgoing, native.taken)

    def _follow(self, busy: set[str]) -> None:
        """What the robot knows of its sensors and motors."""
        native, robot = self._native, self.robot
        for name in [name for name in robot.busy if name not in busy]:
            del robot.busy[name]
        robot.busy.update({name: robot.motors[name] for name in robot.motors if name in busy})
        robot.driven, robot.sensed = native.driven, native.sensed
        told = memory.told(native)
        robot.readings = [(self._channels[sensor].name, payload) for sensor, _, payload in told]
        robot.captured = [captured for _, captured, _ in told]
        robot.next_frame = min((channel.next_frame for channel in self._sensors.values()), default=NEVER)

    def _command(self, target: int, value: float) -> Command:
        return (*self._commands[target], value)

    def _last(self, count: int) -> list[memory.Item]:
        return memory.last_of(self._native.queue, count)

    def _held(self) -> list[memory.Item]:
        return memory.last_of(self._native.held, self._native.held.count)


def _form_of(channel: Channel) -> Any:
    return channel.reader.native() if isinstance(channel.reader, NativelySampled) else None


def _split(count: int, pushed: int) -> tuple[int, int]:
    """Of those in a queue: how many were lent, and how many came meanwhile."""
    new = min(count, pushed)
    return count - new, new


def _returned(sensor: Any) -> ReturnedReadings:
    left, new = _split(sensor.count, sensor.pushed)
    delivered = sensor.latest_frame >= 0
    return ReturnedReadings(
        left,
        sensor.pushed,
        memory.last_readings(sensor, new),
        sensor.latest_arrival,
        sensor.next_sample,
        memory.newest(sensor) if delivered else None,
        sensor.latest_frame,
    )
