"""A robot in the world: its bodies and components, and the delays between them and its program."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from numpy.typing import NDArray

from ubersim.components.commandable import Command as Command
from ubersim.components.commandable import (
    Commandable,
    as_number,
    command_from_plain,
    component_of,
    payload_size,
    single,
    to_plain,
)
from ubersim.components.drives.chassis import Chassis
from ubersim.components.drives.controller import MotionController
from ubersim.components.joints.commanded import CommandedJoint
from ubersim.components.joints.report import reporting
from ubersim.components.motors.leading import leading_drives
from ubersim.components.motors.motor import Motor
from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.budget import ReadingBudget
from ubersim.components.sensors.channel import Channel, SensorReader
from ubersim.components.sensors.surroundings import Surroundings
from ubersim.components.solids.paint import Paint
from ubersim.description import BodyDescription, Materials, RobotDescription
from ubersim.description.base import SensorDescription
from ubersim.description.loading import read_latency
from ubersim.errors import ActuationError, SensingError, UberSimError
from ubersim.geometry import Pose, Triple
from ubersim.physics import Body, Joint
from ubersim.physics.build import add_body
from ubersim.protocol import MAX_FROM_CLIENT
from ubersim.protocol.messages import OWN_PAYLOAD, payload_messages
from ubersim.protocol.properties import CLIENT_PROPERTIES, SENSOR_PROPERTIES
from ubersim.protocol.quantity import split
from ubersim.protocol.suggestion import suggestion
from ubersim.simulation.named import Named, found
from ubersim.simulation.parameters import RobotParameters
from ubersim.timing.latency import NEVER, Latency, LatencyModel, generator
from ubersim.timing.lockstep import CommandSchedule

CLIENT = "Client"
"""The component that stands for the client's own settings."""


class Robot:
    """One robot, from the frame in which it joins to the one in which it leaves."""

    motors: dict[str, Motor]
    """By name, its motion model among them."""
    busy: dict[str, Motor]
    """The motors that have work to do before the next step; the others wait for a command."""
    driven: int
    """The last frame before whose step they had their way."""
    sensors: dict[str, Channel]
    """What sends readings, joints that report about themselves among them."""
    components: Mapping[str, Commandable]
    """Everything that takes commands."""
    commands: CommandSchedule[Command]
    """Those that it has been given, until they are executed."""
    readings: Sequence[tuple[str, bytes]]
    """Name and payload of what was delivered in the current frame."""
    captured: Sequence[int]
    """The frames in which these readings were captured, in the same order."""
    sensed: int
    """The frame that `readings` are from."""
    next_frame: int
    """The next frame in which a sensor has anything to do."""
    unread: bool
    """Whether nothing reads its sensors any more, so that they need not measure."""

    def __init__(
        self,
        description: RobotDescription,
        pose: Pose,
        *,
        owner: int,
        materials: Materials,
        surroundings: Surroundings,
        seed: int,
        now: int,
        sight: float = math.inf,
    ) -> None:
        """`sight`: what may be drawn for it in a simulated second [bytes]."""
        world = surroundings.world
        self.description = description
        self.name = description.name
        self.owner = owner
        self.spawned_at = pose
        """Where its model's origin was put."""
        self.bodies: dict[str, Body] = Named(
            "body", {body.name: add_body(world, owner, body, pose, materials) for body in description.bodies}
        )
        self.joints: dict[str, Joint] = Named(
            "joint", {joint.name: joint.build(world, owner, self.bodies, pose) for joint in description.joints}
        )
        if not description.settings.self_collision or description.entity.motion:
            world.set_self_collision(owner, False)
        self._surroundings, self._sight = surroundings, sight
        self._commanded_joints = {
            joint.name: CommandedJoint(joint, self.joints[joint.name]) for joint in description.joints
        }
        changed, bodies = surroundings.cameras.colors_changed, description.bodies
        self.paints = {solid.name: Paint(solid, changed) for body in bodies for solid in body.shown}
        self.lamps = {light.name: Paint(light, changed) for body in bodies for light in body.lights}
        """What is to be seen of it, and what it shines with."""
        self._painted = self.paints | self.lamps
        self.parameters = RobotParameters()
        """What its program has declared."""
        self.changed_sensors: list[str] = []
        """Whose readings take another time, of which observers have not been told yet."""
        self.commanded_here = False
        """Whether a program in this process acknowledges frames; else, without a client, a server does it."""
        self._equip(seed, now, description.settings.latency)

    def _equip(self, seed: int, now: int, latency: LatencyModel) -> None:
        """Everything but bodies and joints, as it is when the robot joins in this frame."""
        step = self._surroundings.world.step
        self.motors = {motor.name: motor for motor in self._motors(self.spawned_at, step, seed)}
        self.busy, self.driven = dict(self.motors), -1
        self._leading = leading_drives(self.motors.values())
        sensors, reports = self._channels(seed, now)
        self.sensors = sensors | reports
        self.components = {**self._commanded_joints, **self.motors, **sensors, **self._painted}
        self.commands = CommandSchedule(
            latency,
            step,
            latency.generator(seed, self.name, CLIENT),
            first_frame=now,
            size=payload_size,
            component=component_of,
        )
        self.readings, self.captured, self.sensed = (), (), -1
        self.next_frame, self.unread = now, False

    def _channels(self, seed: int, now: int) -> tuple[dict[str, Channel], dict[str, Channel]]:
        """What sends readings: sensors, and joints that report about themselves."""
        step = self._surroundings.world.step
        budget = ReadingBudget(self.name, self._sight)
        joints = {joint.name: joint for joint in self.description.joints}
        channel = partial(Channel, robot=self.name, step=step, seed=seed, now=now, budget=budget, joints=joints)
        sensors = {
            sensor.name: channel(sensor, reader)
            for body in self.description.bodies
            for sensor, reader in self._readers(body, self._surroundings, seed)
        }
        told = (joint for joint in self.description.joints if joint.name not in self.description.resting)
        reports = (reporting(joint, self.joints[joint.name]) for joint in told)
        return sensors, {found[0].name: channel(*found) for found in reports if found is not None}

    def _motors(self, pose: Pose, step: float, seed: int) -> Iterator[Motor]:
        described = {joint.name: joint for joint in self.description.joints}
        for motor in self.description.motors:
            rng = motor.latency.generator(seed, self.name, motor.name, "latency")
            yield Motor(motor, motor.build(self.joints, described, step), step, rng)
        for motion in self.description.entity.motion:  # one at most
            bodies = [self.bodies[name] for name in self.description.chassis]
            chassis = Chassis(bodies, pose.apply(motion.center), step)
            rng = motion.latency.generator(seed, self.name, motion.name, "latency")
            yield Motor(motion, motion.build(chassis), step, rng)

    def _readers(
        self, body: BodyDescription, surroundings: Surroundings, seed: int
    ) -> Iterator[tuple[SensorDescription, SensorReader]]:
        center = body.mass_properties().center
        for sensor in body.sensors:
            if sensor.name in self.description.resting:
                continue
            pose = Pose(sensor.pose.position - center, sensor.pose.rotation)
            mount = Mount(self.bodies[body.name], pose, self.name, self.bodies, self.joints, surroundings)
            yield sensor, sensor.build(mount, generator(seed, self.name, sensor.name, "noise"))

    @property
    def team(self) -> str:
        """Whose side it is on; empty if on nobody's."""
        return self.description.settings.team or ""

    @property
    def motion(self) -> MotionController | None:
        """What moves it, if it has a `Motion`."""
        controllers = (motor.controller for motor in self.motors.values())
        return next((found for found in controllers if isinstance(found, MotionController)), None)

    # What programs in the same process use

    def command(self, component: str, name: str | int, value: float, *, frame: int | None = None) -> None:
        """Sets a property, by name or number, now or at a later frame. It takes the robot's latency."""
        target = self.numbered(component, name)
        value = as_number(value)
        if component == CLIENT:
            self.commands.receive_latency(frame, value)
        else:
            self.check(target, value)
            self.commands.receive(frame, (*target, value))

    def set(self, component: str, name: str | int, value: float) -> None:
        """`command`, with the value in single precision, as on the wire: then both ways lead to the same bits."""
        self.command(component, name, single(value))

    def send(self, component: str, payload: bytes, *, frame: int | None = None) -> None:
        """Sends a component a payload of its own, now or at a later frame. It takes the robot's latency."""
        found = self._component(component)
        if OWN_PAYLOAD not in found.accepted:
            raise UberSimError(f"{component} takes no payload of its own; it has {', '.join(found.properties)}")
        if len(component) + 1 + len(payload) > MAX_FROM_CLIENT:
            raise UberSimError(f"a payload of {len(payload)} bytes is too long; a message has {MAX_FROM_CLIENT}")
        self.check((component, OWN_PAYLOAD), payload)
        self.commands.receive(frame, (component, OWN_PAYLOAD, payload))

    def cancel(self, component: str = "", *, frame: int = 0, stamp: int | None = None) -> None:
        """Takes back commands for a component (empty: for all) that would be executed at this frame or later.

        It takes the robot's latency: what is executed before the stamp, which is now or a later frame, plus the
        smallest latency is out of its reach.
        """
        if component:
            self._component(component)
        self.commands.cancel(component, frame, stamp)

    def numbered(self, component: str, name: str | int) -> tuple[str, int]:
        """A component and the number of its property, if there are such."""
        known = CLIENT_PROPERTIES if component == CLIENT else self._component(component).properties
        if isinstance(name, str) and name in known:
            return component, known[name]
        if name in known.values():
            return component, int(name)
        raise UberSimError(f"{component} has no property {name!r}; {suggestion(str(name), known)}")

    def read(self, sensor: str) -> float | NDArray[Any] | None:
        """The newest reading that has come through the sensor's latency; None before the first.

        `Imu.force.x` is one value of a reading, `Imu.force` a group of them.
        """
        name, part = split(sensor, self.sensors)
        return self._sensor(name).value(part)

    def set_latency(self, latency: Latency | str, sensor: str = "") -> None:
        """From this frame on commands, or the readings of a sensor, take so long: [ms], a model, or its element."""
        latency = read_latency(latency) if isinstance(latency, str) else latency
        if sensor:
            self._sensor(sensor).change_latency(latency)
            self.changed_sensors.append(sensor)
        else:
            self.commands.change_latency(self.commands.acked, latency)

    def _sensor(self, name: str) -> Channel:
        return found(self.name, "sensor", self.sensors, name)

    # What the simulation and the server use

    def sense(self, frame: int) -> None:
        """Samples what is due in this frame, and keeps the readings that are delivered in it."""
        readings: list[tuple[str, bytes]] = []
        captured: list[int] = []
        next_frame = NEVER
        for channel in self.sensors.values():
            if frame >= channel.next_frame:
                try:
                    if delivered := channel.begin(frame):
                        readings += delivered
                        captured += channel.captured
                except Exception as error:  # a picture that cannot be made, or a sensor of another package that fails
                    raise SensingError(self.name, f"{channel.name}: {error or repr(error)}") from error
            next_frame = min(next_frame, channel.next_frame)
        self.readings, self.captured, self.next_frame, self.sensed = readings, captured, next_frame, frame

    def ignore_sensors(self) -> None:
        """Its client has gone: from now on its sensors measure nothing, and what is on its way goes nowhere."""
        self.close()
        self.unread, self.readings, self.next_frame = True, (), NEVER

    def heed_sensors(self, frame: int) -> None:
        """There is a client again, from this frame on, which may have begun: what is due is sampled at once."""
        self.unread = False
        for channel in self.sensors.values():
            channel.resume(frame)
        self.sense(frame)

    def execute(self, frame: int) -> Sequence[Command]:
        """Executes the commands whose time has come, and returns them."""
        due = self.commands.due(frame)
        for command in due:
            try:
                self.obey(command, frame)
            except Exception as error:  # also whatever a component of another package raises
                raise ActuationError(self.name, f"{command[0]}: {error if str(error) else repr(error)}") from error
        return due

    def obey(self, command: Command, frame: int) -> None:
        """Executes a command in this frame."""
        name, number, value = command
        component = self.components[name]
        if isinstance(value, bytes):
            component.execute(value, frame)
        else:
            component.set(number, value, frame)
            if isinstance(component, Channel) and number == SENSOR_PROPERTIES["Latency"]:
                self.changed_sensors.append(name)
        if name in self.motors:
            self.busy[name] = self.motors[name]
        elif not self.unread:
            self.next_frame = min(self.next_frame, component.next_frame)

    def drive(self, frame: int) -> None:
        """Lets the motors that have something to do have their way with the joints, before the step of this frame."""
        if frame == self.driven:
            return  # the frame is taken again, for the sake of a robot that has left
        for drive in self._leading:
            if drive.name in self.busy:
                for command in drive.commands(frame):
                    self.obey(command, frame)
        idle = []
        for name, motor in self.busy.items():
            try:
                if not motor.drive(frame):
                    idle.append(name)
            except Exception as error:  # numbers that are allowed one by one, and together lead to none
                raise ActuationError(self.name, f"{name}: {error if str(error) else repr(error)}") from error
        for name in idle:
            del self.busy[name]
        self.driven = frame

    def settable(self) -> dict[str, frozenset[int]]:
        """What commands may name: the components, and the numbers of their properties."""
        numbers = {name: component.accepted for name, component in self.components.items()}
        return (
            numbers
            | payload_messages(self.description.settings.protocol)
            | {CLIENT: frozenset(CLIENT_PROPERTIES.values())}
        )

    def check(self, target: tuple[str, int], value: float | bytes) -> None:
        """Refuses a value that the property cannot have, or a malformed payload, before anything depends on it."""
        component, number = target
        if isinstance(value, bytes):
            self.components[component].check_payload(value)
        else:
            self.components[component].check(number, value)

    def colors(self) -> dict[str, Triple]:
        """What its solids look like now, by name."""
        return {name: paint.color for name, paint in self.paints.items()}

    def close(self) -> None:
        """Lets go of what is still under way."""
        for channel in self.sensors.values():
            channel.close()

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps besides the physics, as plain data."""
        return {
            "identity": self.identity(),
            "position": self.spawned_at.position.tolist(),
            "rotation": self.spawned_at.rotation.tolist(),
            "commands": self.commands.state(to_plain),
            "motors": {name: motor.state() for name, motor in self.motors.items()},
            "busy": list(self.busy),
            "driven": self.driven,
            "sensors": {name: channel.state() for name, channel in self.sensors.items()},
            "colors": {name: list(paint.color) for name, paint in self._painted.items() if paint.changed},
        }

    def identity(self) -> dict[str, str]:
        """What makes it the same robot, for snapshots."""
        return {"name": self.name, "document": self.description.source_text}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        self.commands.restore(state["commands"], command_from_plain)
        for name, channel in self.sensors.items():
            channel.restore(state["sensors"][name])
        for name, motor in self.motors.items():
            motor.restore(state["motors"][name])
        for name, paint in self._painted.items():
            paint.restore(state.get("colors", {}).get(name))
        self.busy = {name: self.motors[name] for name in state["busy"]}
        self.driven = state.get("driven", -1)
        self.readings = self.captured = ()
        channels = () if self.unread else self.sensors.values()
        self.next_frame = min((channel.next_frame for channel in channels), default=NEVER)

    def start_over(self, seed: int, now: int, latency: LatencyModel | None = None) -> None:
        """As if it had joined in this frame with this seed, and perhaps another latency; bodies are where they are."""
        self.close()
        for paint in self._painted.values():
            if paint.changed:
                paint.restore(None)
        self._equip(seed, now, latency or self.description.settings.latency)

    def _component(self, name: str) -> Commandable:
        return found(self.name, "component", self.components, name, (CLIENT,))
