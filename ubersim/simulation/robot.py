"""A robot in the world: its bodies, joints and sensors, and the delays between them and its program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from numpy.typing import NDArray

from ubersim.components.drives.chassis import Chassis
from ubersim.components.motors.motor import Motor
from ubersim.components.sensors.base import Mount, Surroundings
from ubersim.components.sensors.channel import Channel
from ubersim.description import BodyDescription, Materials, RobotDescription
from ubersim.errors import RemoteProtocolError, SensingError, UberSimError, WorldError
from ubersim.geometry import Pose
from ubersim.physics import Body, Joint
from ubersim.physics.build import add_body
from ubersim.protocol.properties import CLIENT_PROPERTIES, JOINT_PROPERTIES
from ubersim.timing.latency import NEVER, generator
from ubersim.timing.lockstep import CommandSchedule

CLIENT = "Client"
"""The component that stands for the client's own settings."""

MOST_UNDER_WAY = 512 * 2**20
"""Bytes of all readings of a robot that may be on their way at once: size times latency times frequency."""

Command = tuple[str, int, float]
"""Component, number of the property, value."""


class Robot:
    """One robot, from the frame in which it joins to the one in which it leaves."""

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
    ) -> None:
        world = surroundings.world
        self.description = description
        self.name = description.name
        self.owner = owner
        self.spawned_at = pose
        """Where its model's origin was put."""
        self.bodies: dict[str, Body] = {
            body.name: add_body(world, owner, body, pose, materials) for body in description.bodies
        }
        self.joints: dict[str, Joint] = {
            joint.name: joint.build(world, owner, self.bodies, pose) for joint in description.joints
        }
        self.motors: dict[str, Motor] = {motor.name: motor for motor in self._motors(pose, world.step, seed)}
        self.busy: list[Motor] = list(self.motors.values())
        """The motors that have work to do before the next step; the others wait for a command."""
        if not description.settings.self_collision or description.entity.motion:
            world.set_self_collision(owner, False)
        self.sensors: dict[str, Channel] = {
            channel.name: channel
            for body in description.bodies
            for channel in self._channels(body, surroundings, seed, now)
        }
        self._check_memory()
        latency = description.settings.latency
        self.commands: CommandSchedule[Command] = CommandSchedule(
            latency, world.step, latency.generator(seed, self.name, CLIENT), first_frame=now
        )
        self.readings: Sequence[tuple[str, bytes]] = ()
        """Name and payload of what was delivered in the current frame."""
        self.sensed = -1
        """The frame that `readings` are from."""
        self.wakes = now
        """The next frame in which a sensor has anything to do."""

    def _motors(self, pose: Pose, step: float, seed: int) -> Iterator[Motor]:
        described = {joint.name: joint for joint in self.description.joints}
        for motor in self.description.motors:
            rng = motor.latency.generator(seed, self.name, motor.name, "latency")
            yield Motor(motor, motor.build(self.joints, described, step), step, rng)
        for motion in self.description.entity.motion:  # one at most
            chassis = Chassis(list(self.bodies.values()), pose.apply(motion.center), step)
            rng = motion.latency.generator(seed, self.name, motion.name, "latency")
            yield Motor(motion, motion.build(chassis), step, rng)

    def _channels(self, body: BodyDescription, surroundings: Surroundings, seed: int, now: int) -> Iterator[Channel]:
        center = body.mass_properties().center
        for sensor in body.sensors:
            pose = Pose(sensor.pose.position - center, sensor.pose.rotation)
            mount = Mount(self.bodies[body.name], pose, self.name, self.bodies, self.joints, surroundings)
            reader = sensor.build(mount, generator(seed, self.name, sensor.name, "noise"))
            yield Channel(sensor, reader, self.name, surroundings.world.step, seed, now)

    # What programs in the same process use

    def command(self, component: str, property: str | int, value: float, *, frame: int | None = None) -> None:
        """Sends a command now, or at a later frame. It is executed when the robot's latency is over."""
        target = self.numbered(component, property)
        if component == CLIENT:
            self.commands.receive_latency(frame, value)
        else:
            self.check(target, value)
            self.commands.receive(frame, (*target, value))

    def numbered(self, component: str, property: str | int) -> tuple[str, int]:
        """A component and the number of its property, if there are such."""
        return component, self._number(component, property)

    def read(self, sensor: str) -> float | NDArray[Any] | None:
        """The newest reading that has come through the sensor's latency; None before the first."""
        if sensor not in self.sensors:
            raise UberSimError(f"{self.name} has no sensor {sensor!r}; it has {', '.join(self.sensors) or 'none'}")
        return self.sensors[sensor].value()

    # What the simulation and the server use

    def sense(self, frame: int) -> None:
        """Samples what is due in this frame, and keeps the readings that are delivered in it."""
        readings: list[tuple[str, bytes]] = []
        wakes = NEVER
        for channel in self.sensors.values():
            if frame >= channel.wakes:
                try:
                    readings += channel.begin(frame)
                except Exception as error:  # a picture that cannot be made, or a sensor of somebody else's that fails
                    raise SensingError(self.name, f"{channel.name}: {error or repr(error)}") from error
            wakes = min(wakes, channel.wakes)
        self.readings, self.wakes, self.sensed = readings, wakes, frame

    def execute(self, frame: int) -> Sequence[Command]:
        """Executes the commands whose time has come, and returns them."""
        due = self.commands.due(frame)
        for command in due:
            self.obey(command, frame)
        return due

    def obey(self, command: Command, frame: int) -> None:
        """Executes a command in this frame."""
        component, number, value = command
        if component in self.joints:
            self.joints[component].set(number, value)
        elif component in self.motors:
            motor = self.motors[component]
            motor.set(number, value, frame)
            if motor not in self.busy:
                self.busy.append(motor)
        else:
            channel = self.sensors[component]
            channel.set(number, value, frame)
            self.wakes = min(self.wakes, channel.wakes)

    def drive(self, frame: int) -> None:
        """Lets the motors that have something to do have their way with the joints, before the step of this frame."""
        idle = [motor for motor in self.busy if not motor.drive(frame)]
        if idle:
            self.busy = [motor for motor in self.busy if motor not in idle]

    def settable(self) -> dict[str, frozenset[int]]:
        """What commands may name: the components, and the numbers of their properties."""
        numbers = {name: frozenset(joint.properties) for name, joint in self.joints.items()}
        numbers |= {name: frozenset(motor.properties.values()) for name, motor in self.motors.items()}
        numbers |= {name: frozenset(sensor.properties.values()) for name, sensor in self.sensors.items()}
        return numbers | {CLIENT: frozenset(CLIENT_PROPERTIES.values())}

    def check(self, target: tuple[str, int], value: float) -> None:
        """Refuses a value that the property cannot have, before anything depends on it."""
        component, number = target
        try:
            if component in self.joints:
                self.joints[component].check(number, value)
            elif component in self.motors:
                self.motors[component].check(number, value)
            else:
                channel = self.sensors[component]
                channel.check(number, value)
                channel.reserve(number, value)
                self._check_memory()
        except WorldError as error:
            raise RemoteProtocolError(f"{component}: {error}") from None

    def _check_memory(self) -> None:
        """Refuses what would let more readings pile up than there should be memory for."""
        needed = {name: channel.most_under_way for name, channel in self.sensors.items()}
        if sum(needed.values()) > MOST_UNDER_WAY:
            name = max(needed, key=lambda name: needed[name])
            raise RemoteProtocolError(
                f"{self.name}'s readings under way would take {sum(needed.values())} bytes, mostly of {name!r}; "
                f"allowed are {MOST_UNDER_WAY}: lower the latency, the frequency or the size"
            )

    def introduction(self) -> dict[str, Any]:
        """What a client has to know to understand the readings, for its welcome."""
        return {
            "name": self.name,
            "sensors": {name: channel.introduction() for name, channel in self.sensors.items()},
            "joints": {
                joint.name: {"type": joint.tag, "axes": self.joints[joint.name].axes}
                for joint in self.description.joints
            },
            "motors": {
                name: {"type": motor.description.tag, "properties": motor.properties}
                for name, motor in self.motors.items()
            },
        }

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
            "commands": self.commands.state(),
            "motors": {name: motor.state() for name, motor in self.motors.items()},
            "busy": [motor.name for motor in self.busy],
            "sensors": {name: channel.state() for name, channel in self.sensors.items()},
        }

    def identity(self) -> dict[str, str]:
        """What makes it the same robot, for snapshots."""
        return {"name": self.name, "document": self.description.source_text}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        self.commands.restore(state["commands"], lambda plain: (plain[0], plain[1], plain[2]))
        for name, channel in self.sensors.items():
            channel.restore(state["sensors"][name])
        for name, motor in self.motors.items():
            motor.restore(state["motors"][name])
        self.busy = [self.motors[name] for name in state["busy"]]
        self.readings = ()
        self.wakes = min((channel.wakes for channel in self.sensors.values()), default=NEVER)

    def _number(self, component: str, property: str | int) -> int:
        known = self._properties(component)
        if isinstance(property, str) and property in known:
            return known[property]
        if property in known.values():
            return int(property)
        raise UberSimError(f"{component} has no property {property!r}; it has {', '.join(known) or 'none'}")

    def _properties(self, component: str) -> dict[str, int]:
        if component == CLIENT:
            return dict(CLIENT_PROPERTIES)
        if component in self.joints:
            own = self.joints[component].properties
            return {name: number for name, number in JOINT_PROPERTIES.items() if number in own}
        if component in self.motors:
            return dict(self.motors[component].properties)
        if component in self.sensors:
            return dict(self.sensors[component].properties)
        everything = ", ".join([*self.joints, *self.motors, *self.sensors, CLIENT])
        raise UberSimError(f"{self.name} has no component {component!r}; it has {everything}")
