"""A robot in the world: its bodies and components, and the delays between them and its program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from numpy.typing import NDArray

from ubersim.components.commandable import Command as Command
from ubersim.components.commandable import Commandable, from_plain, to_plain
from ubersim.components.drives.chassis import Chassis
from ubersim.components.joints.commanded import CommandedJoint
from ubersim.components.joints.report import reporting
from ubersim.components.motors.motor import Motor
from ubersim.components.sensors.base import Mount
from ubersim.components.sensors.budget import ReadingBudget
from ubersim.components.sensors.channel import Channel, SensorReader
from ubersim.components.sensors.surroundings import Surroundings
from ubersim.components.solids.paint import Paint
from ubersim.description import BodyDescription, Materials, RobotDescription
from ubersim.description.base import SensorDescription
from ubersim.errors import SensingError, UberSimError
from ubersim.geometry import Pose, Triple
from ubersim.physics import Body, Joint
from ubersim.physics.build import add_body
from ubersim.protocol import MAX_FROM_CLIENT
from ubersim.protocol.messages import OWN_PAYLOAD
from ubersim.protocol.properties import CLIENT_PROPERTIES
from ubersim.timing.latency import NEVER, generator
from ubersim.timing.lockstep import CommandSchedule

CLIENT = "Client"
"""The component that stands for the client's own settings."""


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
        self.busy: dict[str, Motor] = dict(self.motors)
        """The motors that have work to do before the next step; the others wait for a command."""
        if not description.settings.self_collision or description.entity.motion:
            world.set_self_collision(owner, False)
        channel = partial(
            Channel, robot=self.name, step=world.step, seed=seed, now=now, budget=ReadingBudget(self.name)
        )
        sensors = {
            sensor.name: channel(sensor, reader)
            for body in description.bodies
            for sensor, reader in self._readers(body, surroundings, seed)
        }
        reports = (reporting(joint, self.joints[joint.name]) for joint in description.joints)
        self.sensors: dict[str, Channel] = sensors | {
            found[0].name: channel(*found) for found in reports if found is not None
        }
        """What sends readings, joints that report about themselves among them."""
        self.paints: dict[str, Paint] = {
            solid.name: Paint(solid, surroundings.cameras.colors_changed)
            for body in description.bodies
            for solid in body.solids
        }
        """What its solids look like."""
        joints = {joint.name: CommandedJoint(joint, self.joints[joint.name]) for joint in description.joints}
        self.components: Mapping[str, Commandable] = {**joints, **self.motors, **sensors, **self.paints}
        """Everything that takes commands."""
        latency = description.settings.latency
        self.commands: CommandSchedule[Command] = CommandSchedule(
            latency, world.step, latency.generator(seed, self.name, CLIENT), first_frame=now, size=payload_size
        )
        self.readings: Sequence[tuple[str, bytes]] = ()
        """Name and payload of what was delivered in the current frame."""
        self.sensed = -1
        """The frame that `readings` are from."""
        self.next_frame = now
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

    def _readers(
        self, body: BodyDescription, surroundings: Surroundings, seed: int
    ) -> Iterator[tuple[SensorDescription, SensorReader]]:
        center = body.mass_properties().center
        for sensor in body.sensors:
            pose = Pose(sensor.pose.position - center, sensor.pose.rotation)
            mount = Mount(self.bodies[body.name], pose, self.name, self.bodies, self.joints, surroundings)
            yield sensor, sensor.build(mount, generator(seed, self.name, sensor.name, "noise"))

    # What programs in the same process use

    def command(self, component: str, name: str | int, value: float, *, frame: int | None = None) -> None:
        """Sets a property, by name or number, now or at a later frame. It takes the robot's latency."""
        target = self.numbered(component, name)
        if component == CLIENT:
            self.commands.receive_latency(frame, value)
        else:
            self.check(target, value)
            self.commands.receive(frame, (*target, value))

    def send(self, component: str, payload: bytes, *, frame: int | None = None) -> None:
        """Sends a component a payload of its own, now or at a later frame. It takes the robot's latency."""
        found = self._component(component)
        if OWN_PAYLOAD not in found.accepted:
            raise UberSimError(f"{component} takes no payload of its own; it has {', '.join(found.properties)}")
        if len(component) + 1 + len(payload) > MAX_FROM_CLIENT:
            raise UberSimError(f"a payload of {len(payload)} bytes is too long; a message has {MAX_FROM_CLIENT}")
        self.check((component, OWN_PAYLOAD), payload)
        self.commands.receive(frame, (component, OWN_PAYLOAD, payload))

    def numbered(self, component: str, name: str | int) -> tuple[str, int]:
        """A component and the number of its property, if there are such."""
        known = CLIENT_PROPERTIES if component == CLIENT else self._component(component).properties
        if isinstance(name, str) and name in known:
            return component, known[name]
        if name in known.values():
            return component, int(name)
        raise UberSimError(f"{component} has no property {name!r}; it has {', '.join(known) or 'none'}")

    def read(self, sensor: str) -> float | NDArray[Any] | None:
        """The newest reading that has come through the sensor's latency; None before the first."""
        if sensor not in self.sensors:
            raise UberSimError(f"{self.name} has no sensor {sensor!r}; it has {', '.join(self.sensors) or 'none'}")
        return self.sensors[sensor].value()

    # What the simulation and the server use

    def sense(self, frame: int) -> None:
        """Samples what is due in this frame, and keeps the readings that are delivered in it."""
        readings: list[tuple[str, bytes]] = []
        next_frame = NEVER
        for channel in self.sensors.values():
            if frame >= channel.next_frame:
                try:
                    readings += channel.begin(frame)
                except Exception as error:  # a picture that cannot be made, or a sensor of another package that fails
                    raise SensingError(self.name, f"{channel.name}: {error or repr(error)}") from error
            next_frame = min(next_frame, channel.next_frame)
        self.readings, self.next_frame, self.sensed = readings, next_frame, frame

    def execute(self, frame: int) -> Sequence[Command]:
        """Executes the commands whose time has come, and returns them."""
        due = self.commands.due(frame)
        for command in due:
            self.obey(command, frame)
        return due

    def obey(self, command: Command, frame: int) -> None:
        """Executes a command in this frame."""
        name, number, value = command
        component = self.components[name]
        if isinstance(value, bytes):
            component.execute(value, frame)
        else:
            component.set(number, value, frame)
        if name in self.motors:
            self.busy[name] = self.motors[name]
        else:
            self.next_frame = min(self.next_frame, component.next_frame)

    def drive(self, frame: int) -> None:
        """Lets the motors that have something to do have their way with the joints, before the step of this frame."""
        idle = [name for name, motor in self.busy.items() if not motor.drive(frame)]
        for name in idle:
            del self.busy[name]

    def settable(self) -> dict[str, frozenset[int]]:
        """What commands may name: the components, and the numbers of their properties."""
        numbers = {name: component.accepted for name, component in self.components.items()}
        return numbers | {CLIENT: frozenset(CLIENT_PROPERTIES.values())}

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

    def introduction(self) -> dict[str, Any]:
        """What a client has to know to understand the readings, for its welcome."""
        return {
            "name": self.name,
            "sensors": {name: channel.introduction() for name, channel in self.sensors.items()},
            "joints": {
                joint.name: {"type": joint.tag, "axes": self.joints[joint.name].axes}
                for joint in self.description.joints
            },
            "motors": {name: motor.introduction() for name, motor in self.motors.items()},
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
            "commands": self.commands.state(to_plain),
            "motors": {name: motor.state() for name, motor in self.motors.items()},
            "busy": list(self.busy),
            "sensors": {name: channel.state() for name, channel in self.sensors.items()},
            "colors": {name: list(paint.color) for name, paint in self.paints.items() if paint.changed},
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
        for name, paint in self.paints.items():
            paint.restore(state.get("colors", {}).get(name))
        self.busy = {name: self.motors[name] for name in state["busy"]}
        self.readings = ()
        self.next_frame = min((channel.next_frame for channel in self.sensors.values()), default=NEVER)

    def _component(self, name: str) -> Commandable:
        if name not in self.components:
            raise UberSimError(f"{self.name} has no component {name!r}; it has {', '.join([*self.components, CLIENT])}")
        return self.components[name]


def payload_size(command: Command) -> int:
    """Bytes that a command holds beyond a number."""
    value = command[2]
    return len(value) if isinstance(value, bytes) else 0


def command_from_plain(plain: list[Any]) -> Command:
    """A command as a snapshot has it."""
    component, number, value = from_plain(plain)
    return component, number, value
