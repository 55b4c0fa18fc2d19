"""Robot files: root `Client`, with its settings, bodies and joints."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cached_property
from typing import Literal

import numpy as np

from ubersim.description.base import FARTHEST, STATIC, JointDescription, Light, Primitive, SensorDescription, Solid
from ubersim.description.component import Component, Flaw, component
from ubersim.description.drives import MotionDescription
from ubersim.description.fields import (
    angle,
    children,
    choice,
    flag,
    identifier,
    integer,
    label,
    latency,
    listing,
    nested,
    text,
    vector,
)
from ubersim.description.include import Include
from ubersim.description.inertia import Inertia
from ubersim.description.mass import MassProperties, combined
from ubersim.description.motors import MotorDescription
from ubersim.geometry import Array, Pose, Triple, product, rotation_about
from ubersim.protocol.names import reserved_names
from ubersim.protocol.suggestion import suggestion
from ubersim.protocol.welcome import LATEST
from ubersim.timing.latency import Constant, LatencyModel

LARGEST_READINGS = 256 * 1024 * 1024
"""Bytes of one reading of all sensors of a robot together: four of the largest pictures."""
SLENDEREST = 1e-10
"""Smallest moment of inertia of a body in terms of its largest: below that, dynamics would be but rounding errors."""
MOST_BODIES = 512
MOST_LAMPS = 8
"""Of one robot."""
MASS_IS_MISSING = "Mass is missing (mass, of constant density); only a body with an Inertia can do without"


@component
class SpawnSettings(Component, tag="Spawn"):
    """Where the robot enters the world."""

    position: Triple = vector("where the model's origin goes", unit="m", high=FARTHEST)
    heading: float = angle("turns the model about +z", low=-36000, high=36000, default=0.0)

    @property
    def pose(self) -> Pose:
        """Pose of model space in the world."""
        return Pose(np.array(self.position), rotation_about(2, self.heading))


@component
class ClientSettings(Component, tag="CSettings"):
    """What concerns the client as a whole."""

    name: str = identifier("the robot's name, unique on the server")
    latency: LatencyModel = latency("time from a command to its execution", default=Constant(0.0))
    spawn: SpawnSettings | None = nested(
        "where the robot enters; without it, at the world's first free spawn point", SpawnSettings, default=None
    )
    token: str | None = text("secret by which a server admits the client", default=None)
    protocol: int = integer("version of the protocol that its client speaks", low=1, high=LATEST, default=1)
    loose: bool = flag(
        "whether the world does not wait for the client: its commands count when they arrive; such a run does not "
        "repeat",
        default=False,
    )
    sensors: str | None = text(
        "version 2: names of those that measure and send, separated by blanks, or nothing; the others rest",
        longest=8192,
        may_be_empty=True,
        default=None,
    )
    timestamps: Literal["all", "readings"] = choice(
        "version 2: whether all frames are sent, or only those with readings and one per second",
        "all",
        "readings",
        default="all",
    )
    team: str | None = identifier("whose side it is on in a match, and whom its radio reaches", default=None)
    number: int | None = integer("its number in the team; 1 is the goalkeeper", low=1, high=99, default=None)
    self_collision: bool = flag(
        "whether parts of the robot that no joint connects collide with each other", default=True
    )


@component
class BodyDescription(Component, tag="Body"):
    """A rigid body: the union of its solids, and the sensors that are fixed to it."""

    name: str = label("name, unique in the document")
    self_collision: bool = flag("whether it collides with the robot's other bodies", default=True)
    inertia: Inertia | None = nested(
        "what it weighs; without it, that follows from the Mass of its solids", Inertia, default=None
    )
    visual: tuple[Solid, ...] = listing(
        "what it looks like beside its visible solids: shapes that neither weigh nor touch",
        Solid,
        at_most=256,
        omit=("mass", "material", "visible"),
        default=(),
    )
    lights: tuple[Light, ...] = listing(
        "lamps that it carries: `PointLight` and `SpotLight`, with places and directions in model space",
        Light,
        at_most=MOST_LAMPS,
        default=(),
    )
    primitives: tuple[Primitive, ...] = children("its solids and sensors", Primitive, at_most=256, default=())

    @cached_property
    def solids(self) -> tuple[Solid, ...]:
        """Its solids, in the order of the document."""
        return tuple(part for part in self.primitives if isinstance(part, Solid))

    @cached_property
    def shown(self) -> tuple[Solid, ...]:
        """What is to be seen of it: its visible solids, then its `Visual`."""
        return (*(solid for solid in self.solids if solid.visible), *self.visual)

    @cached_property
    def sensors(self) -> tuple[SensorDescription, ...]:
        """Its sensors, in the order of the document."""
        return tuple(part for part in self.primitives if isinstance(part, SensorDescription))

    def seen_from_center(self, primitive: Primitive) -> Pose:
        """A primitive's frame, seen from the centre of mass, which is the origin of the body in the physics world."""
        return Pose(-self.mass_properties().center) @ primitive.pose

    def mass_properties(self) -> MassProperties:
        """Mass, centre of mass and inertia, in model space: its `Inertia`, or that of the union of its solids."""
        return self._mass_properties

    @cached_property
    def _mass_properties(self) -> MassProperties:
        if self.inertia is not None:
            return self.inertia.mass_properties()
        return combined(solid.mass_properties() for solid in self.solids)

    def flaws(self) -> Iterator[Flaw]:
        for light in self.lights:
            if not hasattr(light, "position"):
                yield Flaw(f"a {light.tag} shines from nowhere, so a body cannot carry it", child=light.name)
        if self.inertia is None:
            massless = [solid.name for solid in self.solids if not solid.mass]
            yield from (Flaw(MASS_IS_MISSING, child=name) for name in massless)
            if not self.solids:
                yield Flaw("has no solid; a body needs at least one, or an Inertia, to have mass")
            if massless or not self.solids:
                return
        moments = np.linalg.eigvalsh(self.mass_properties().inertia)
        if moments[0] < SLENDEREST * moments[2]:
            yield Flaw(
                f"is too slender: its principal moments of inertia are {moments[0]:.3g} and {moments[2]:.3g} kg m^2"
            )


@component
class Entity(Component):
    """The robot itself."""

    rigid_bodies: tuple[BodyDescription, ...] = listing("the bodies", BodyDescription, at_least=1, at_most=MOST_BODIES)
    joints: tuple[JointDescription, ...] = listing("what connects them", JointDescription, at_most=512, default=())
    motors: tuple[MotorDescription, ...] = listing("what drives joints", MotorDescription, at_most=512, default=())
    motion: tuple[MotionDescription, ...] = listing(
        "how it moves without forces", MotionDescription, at_least=1, at_most=1, default=()
    )
    parts: tuple[Include, ...] = listing("parts from other files", Include, default=())

    def flaws(self) -> Iterator[Flaw]:
        lamps = sum(len(body.lights) for body in self.rigid_bodies)
        if lamps > MOST_LAMPS:
            yield Flaw(f"its bodies carry {lamps} lights; allowed are {MOST_LAMPS}", "rigid_bodies")
        count = len(self.rigid_bodies) + sum(joint.brings for joint in self.joints)
        if count > MOST_BODIES:
            yield Flaw(f"with those of its wheels it has {count} bodies; allowed are {MOST_BODIES}")
            return
        names = {body.name for body in self.rigid_bodies} | {joint.name for joint in self.joints}
        for joint in self.joints:
            parts = joint.expansion
            taken = names & {part.name for part in (*parts.bodies, *parts.joints[1:])}
            for name in sorted(taken):
                yield Flaw(f"the name {name!r} is that of a part of {joint.tag} {joint.name!r}")
        yield from self._joints_of_what_is_told()
        drivers: dict[tuple[str, int], str] = {}
        for motor in self.motors:
            for name, axis in motor.driven():
                first = drivers.setdefault((name, axis), motor.name)
                if first != motor.name:
                    yield Flaw(f"{first!r} and {motor.name!r} drive the same axis of joint {name!r}", "motors")

    def _joints_of_what_is_told(self) -> Iterator[Flaw]:
        """With a `Motion`, joints are for what hangs on the first body, or moves by itself."""
        if not self.motion or not self.rigid_bodies:
            return
        first = self.rigid_bodies[0].name
        for joint in self.joints:
            if {joint.body1, joint.body2} == {first, STATIC} and not joint.brings:
                yield Flaw(f"Motion moves {first!r}: joint {joint.name!r} cannot hold it to the world", "motion")


@component
class RobotDescription(Component, tag="Client"):
    """A robot as its client describes it."""

    settings: ClientSettings = nested("settings of the client", ClientSettings, tag="CSettings")
    entity: Entity = nested("the robot", Entity)
    source_text: str = dataclasses.field(default="", compare=False, repr=False)

    @property
    def name(self) -> str:
        """The robot's name."""
        return self.settings.name

    @cached_property
    def bodies(self) -> tuple[BodyDescription, ...]:
        """The bodies, in the order of the document; then those that joints bring along."""
        brought = (body for joint in self.entity.joints for body in joint.expansion.bodies)
        return (*self.entity.rigid_bodies, *brought)

    @cached_property
    def visible_things(self) -> tuple[tuple[BodyDescription, ...], ...]:
        """The bodies, in the same order, together where an assembly of them looks like one thing."""
        things = [(body,) for body in self.entity.rigid_bodies]
        for parts in (joint.expansion for joint in self.entity.joints):
            things += [parts.bodies] if parts.one_thing else [(body,) for body in parts.bodies]
        return tuple(things)

    @cached_property
    def joints(self) -> tuple[JointDescription, ...]:
        """The joints, in the order of the document; one that stands for an assembly is all of its joints."""
        return tuple(part for joint in self.entity.joints for part in joint.expansion.joints)

    @property
    def chassis(self) -> tuple[str, ...]:
        """The bodies that a `Motion` moves as one piece: the first one, and those that no joint holds."""
        held = {name for joint in self.joints for name in (joint.body1, joint.body2)}
        first, *others = (body.name for body in self.bodies)
        return first, *(name for name in others if name not in held)

    @property
    def motors(self) -> tuple[MotorDescription, ...]:
        """The motors, in the order of the document."""
        return self.entity.motors

    @property
    def sensors(self) -> tuple[SensorDescription, ...]:
        """The sensors of all bodies, in the order of the document."""
        return tuple(sensor for body in self.bodies for sensor in body.sensors)

    @cached_property
    def resting(self) -> frozenset[str]:
        """Names of what could send readings, and does not, since its client has asked for others."""
        wanted = self.settings.sensors
        return frozenset() if wanted is None else frozenset(self._senders) - frozenset(wanted.split())

    @property
    def _senders(self) -> tuple[str, ...]:
        """Names of its sensors, and of joints that report about themselves."""
        reports = (joint.name for joint in self.joints if joint.report is not None)
        return (*(sensor.name for sensor in self.sensors), *reports)

    @property
    def triangle_count(self) -> int:
        """Of all its meshes."""
        return sum(solid.triangle_count for body in self.bodies for solid in (*body.solids, *body.visual))

    @cached_property
    def texture_pixels(self) -> int:
        """Of the pictures on all its meshes."""
        return sum(solid.texture_pixels for body in self.bodies for solid in (*body.solids, *body.visual))

    def prepare(self) -> None:
        """Does what takes long, and does not depend on the world that it comes to: before it joins, in any thread."""
        for body in self.bodies:
            for solid in body.solids:
                solid.prepare()

    def mass_properties(self) -> MassProperties:
        """Those of the whole robot, in its initial pose."""
        return combined(body.mass_properties() for body in self.bodies)

    def flaws(self) -> Iterator[Flaw]:
        sizes, efforts = (sum(getattr(one, what) for one in self.sensors) for what in ("largest_reading", "effort"))
        if efforts > LARGEST_READINGS:
            also = ", as pictures count that become files" if efforts > sizes else ""
            told = f"one reading of every sensor has {efforts} bytes{also}; allowed are {LARGEST_READINGS}"
            yield Flaw(told, "entity")
        version = self.settings.protocol
        parts = (*self.sensors, *self.joints, *self.motors, *(solid for body in self.bodies for solid in body.solids))
        for name in sorted({part.name for part in parts} & reserved_names(version)):
            yield Flaw(f"the name {name!r} is reserved in version {version} of the protocol", "entity")
        yield from self._flaws_of_requests()

    def _flaws_of_requests(self) -> Iterator[Flaw]:
        """What its client asks of the wire."""
        settings = self.settings
        if settings.protocol < 2 and (settings.sensors is not None or settings.timestamps != "all"):
            yield Flaw("Sensors and Timestamps are of version 2: <Protocol>2</Protocol>", "settings")
        names = (settings.sensors or "").split()
        for name in sorted(set(names) - set(self._senders)):
            yield Flaw(f"Sensors: there is no sensor {name!r}; {suggestion(name, self._senders)}", "settings")
        if len(set(names)) < len(names):
            yield Flaw("Sensors has a name twice", "settings")

    def lowest(self, rotation: Array) -> float:
        """Height of the robot's lowest point above the model's origin, when the model is turned by `rotation` [m]."""
        heights = [solid.lowest(rotation) for body in self.bodies for solid in body.solids]
        # What nothing can touch stands nowhere; its lowest centre of mass will do.
        return min(heights or [float(product(rotation[2], body.mass_properties().center)) for body in self.bodies])
