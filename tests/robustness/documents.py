"""Robots and worlds by chance: sound or nearly sound documents, written from what the components say of their fields.

A component that is new, or another package's, is in them without a word here. Numbers are mostly such as people write,
now and then at the limits of what is allowed, and rarely beyond them.
"""

from __future__ import annotations

import math
from random import Random
from typing import Any

from tests.robustness.chance import ODD_NUMBERS, chance, pick, spread
from ubersim.components.drives.motion_network import LINEAR, UNIT
from ubersim.components.sensors.camera import Optics
from ubersim.description import default_materials
from ubersim.description.base import JointDescription, Light, SensorDescription, Solid
from ubersim.description.component import Entry
from ubersim.description.compounds import Color, Integers, LatencyValue, Listing, Nested, Numbers, Vector
from ubersim.description.drives import MotionDescription
from ubersim.description.markings import Marking
from ubersim.description.motors import MotorDescription
from ubersim.description.registry import registry
from ubersim.description.robot import SpawnSettings
from ubersim.description.value_types import Choice, Flag, Identifier, Integer, Label, Material, Number, Reference, Text
from ubersim.description.world_file import Ground, WorldSettings

MATERIALS = tuple(default_materials())
USUAL = {
    "XSize": 0.3, "YSize": 0.3, "ZSize": 0.2, "Radius": 0.1, "Height": 0.3, "Mass": 1.0, "RollerRadius": 0.02,
    "RollerMass": 0.05, "Vel": 3.0, "FMax": 5.0, "Frequency": 100.0, "Range": 10.0, "Fov": 60.0,
}  # fmt: skip
"""What such things are like, where the limits are far from that."""
SMALL = {"Width": 16, "Height": 12, "Samples": 2, "Beams": 16, "Rays": 16, "Rollers": 6, "Facets": 3}
"""Whole numbers that cost time."""


TETRAHEDRON = ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1))
"""Corners whose triangles look outwards, as the mesh has them."""


class Author:
    """Writes one document."""

    def __init__(self, random: Random, wild: float) -> None:
        self.random = random
        self.wild = wild
        """How likely a number is an extreme one."""
        self.bodies: list[str] = []
        self.joints: list[str] = []
        self._names = 0

    def name(self, stem: str) -> str:
        """A new one."""
        self._names += 1
        return f"{stem}{self._names}"

    def component(self, cls: type[Any], **given: str) -> str:
        """An element, with what it must have and some of what it may have; `given` are elements' contents by tag.

        An empty one is left out.
        """
        parts, attributes = [], ""
        given = self._needed(cls.tag) | given
        for entry in cls.entries():
            if isinstance(entry.kind, Label):
                attributes = f' name="{given.pop("name", None) or self.name(cls.tag[:3])}"'
            elif entry.tag in given:
                parts.append(f"<{entry.tag}>{given[entry.tag]}</{entry.tag}>" if given[entry.tag] else "")
            elif entry.tag and (entry.required or entry.tag == "Mass" or chance(self.random, 0.2)):
                parts.append(self.field(entry))
        return f"<{cls.tag}{attributes}>{''.join(parts)}</{cls.tag}>"

    def _needed(self, tag: str) -> dict[str, str]:
        """What belongs together in such an element, so that it is sound more often than not."""
        random = self.random
        match tag:
            case "Mesh":
                corners = [[place * random.uniform(0.02, 0.3) for place in corner] for corner in TETRAHEDRON]
                words = " ".join(f"{number:.4f}" for corner in corners for number in corner)
                colors = {"Texture": "", "TexturePoints": "", "VertexColors": "", "FaceColors": ""}
                return {"File": "", "Vertices": words, "Triangles": "0 1 2 0 2 3 0 3 1 1 3 2", **colors}
            case "Line":
                return {end: "<x>{}</x><y>{}</y><z>0</z>".format(*random.sample(range(9), 2)) for end in ("From", "To")}
            case "OmniWheel":
                return {"Body2": "", "Radius": "0.1", "RollerRadius": "0.02", "Rollers": str(random.choice([6, 8, 12]))}
            case "OdometrySensor":
                return self._two_wheels() if chance(random, 0.5) else {"LeftWheel": "", "RightWheel": "", "Wheels": ""}
            case "TwistDrive":
                return {"Wheels": " ".join(self._some_joints(random.choice([2, 3, 4])))}
            case "Vehicle":
                places = ("FrontLeft", "FrontRight", "RearLeft", "RearRight")
                return dict(zip(places, self._some_joints(4), strict=False))
            case "LearnedDrive":
                units = random.choice([0, 1, 3])
                weights = (random.uniform(-1.0, 1.0) * 10 ** self._wildly(6) for _ in range(LINEAR + UNIT * units))
                return {"File": "", "Weights": " ".join(f"{weight:.6g}" for weight in weights)}
            case "JointAMotor" | "JointLMotor":
                axes = {
                    f"Axis{axis}": "".join(f"<{x}>{int(n == axis)}</{x}>" for n, x in enumerate("xyz", 1))
                    for axis in (1, 2, 3)
                }
                return axes
        return {}

    def _some_joints(self, count: int) -> list[str]:
        """As many different ones as there are, up to that."""
        return self.random.sample(self.joints, min(count, len(self.joints)))

    def _two_wheels(self) -> dict[str, str]:
        if len(self.joints) < 2:
            return {"LeftWheel": "", "RightWheel": "", "Wheels": ""}
        left, right = self._some_joints(2)
        return {"LeftWheel": left, "RightWheel": right, "Wheels": ""}

    def _wildly(self, most: int) -> int:
        """An exponent: mostly none."""
        return self.random.randint(-most, most) if chance(self.random, self.wild) else 0

    def field(self, entry: Entry) -> str:
        """An element that holds a value, or says within which bounds it is drawn."""
        tag, kind = entry.tag, entry.kind
        if isinstance(kind, Number) and chance(self.random, 0.03):
            low, high = sorted(float(self._content(tag, kind)) for _ in range(2))
            return f'<{tag} min="{low}" max="{high}"/>'
        if isinstance(kind, LatencyValue):
            return self._latency(tag)
        return f"<{tag}>{self._content(tag, kind)}</{tag}>"

    def _content(self, tag: str, kind: Any) -> str:
        random = self.random
        match kind:
            case Number():
                least = max(kind.low, 1e-4) if kind.above else kind.low
                return self.number(tag, least, kind.high)
            case Integer():
                high = min(kind.high, SMALL.get(tag, 8))
                return str(random.choice([kind.low, high, random.randint(kind.low, max(kind.low, high))]))
            case Vector():
                reach = kind.high if not kind.direction else 1.0
                places = [self._coordinate(reach, kind) for _ in range(3)]
                if kind.direction and not any(map(float, places)) and not chance(random, 0.02):
                    places[random.randrange(3)] = "1"
                return "".join(f"<{axis}>{place}</{axis}>" for axis, place in zip("xyz", places, strict=True))
            case Color():
                return "".join(f"<{part}>{random.random():.2f}</{part}>" for part in "rgb")
            case Choice():
                return pick(random, kind.options)
            case Flag():
                return random.choice(["true", "false"])
            case Material():
                return pick(random, MATERIALS)
            case Reference():
                known = self.bodies if kind.target == "Body" else self.joints
                return kind.static or "Body1" if not known or chance(random, 0.05) else pick(random, known)
            case Identifier() | Text():
                return self.name("T")
            case Numbers():
                count = kind.group * min(kind.most, random.choice([1, 4, 4, 8]))
                return " ".join(f"{random.uniform(-0.5, 0.5):.3f}" for _ in range(count))
            case Integers():
                return " ".join(str(random.randrange(4)) for _ in range(kind.group * min(kind.most, 4)))
            case Nested():
                return self.component(kind.of).partition(">")[2].rpartition("<")[0]
            case Listing():
                return ""
        return "1"

    def number(self, tag: str, low: float, high: float) -> str:
        """Such as people write; or a limit, or anything between the limits, or something else."""
        random = self.random
        if chance(random, self.wild):
            return repr(random.choice([low, high, random.uniform(low, high), self._magnitude(low, high)]))
        if chance(random, 0.002):
            return repr(random.choice(ODD_NUMBERS))
        usual = USUAL.get(tag, USUAL.get(tag.rstrip("23"), 0.0))
        if usual:
            return repr(min(max(usual * spread(random, 0.3, 3.0), low), high))
        return repr(min(max(random.uniform(-1.0, 1.0), low), high))

    def _magnitude(self, low: float, high: float) -> float:
        largest = max(abs(low), abs(high), 1e-6)
        value = math.copysign(spread(self.random, 1e-7, max(largest, 1e-6)), self.random.uniform(-1, 1))
        return min(max(value, low), high)

    def _coordinate(self, reach: float, kind: Vector) -> str:
        random = self.random
        if chance(random, self.wild / 3):
            return repr(random.choice([reach, -reach, self._magnitude(-reach, reach)]))
        if kind.direction:
            return str(random.choice([0, 0, 1, -1, 0.5, 1e-3]))
        return f"{random.uniform(-90, 90):.1f}" if kind.scale != 1.0 else f"{random.uniform(-0.4, 0.4):.3f}"

    def _latency(self, tag: str) -> str:
        random = self.random
        match random.randrange(4):
            case 0:
                span = f"<Min>{random.randrange(9)}</Min><Max>{random.randrange(9, 30)}</Max>"
                return f'<{tag} model="uniform">{span}</{tag}>'
            case 1:
                loss = random.choice(["", "<Loss>0.3</Loss>", "<Loss>1</Loss>"])
                return f'<{tag} model="normal"><Mean>8</Mean><Sigma>{random.randrange(9)}</Sigma>{loss}</{tag}>'
        return f"<{tag}>{self.number('', 0.0, 60.0 if not chance(random, self.wild) else 60_000.0)}</{tag}>"


def robot(random: Random, name: str = "R") -> str:
    """A robot: a few bodies, what connects and drives them, and what they sense."""
    author = Author(random, random.choice([0.0, 0.02, 0.1, 0.5]))
    members = registry().members
    count = random.choice([1, 1, 2, 2, 3, 4, 6, 12])
    author.bodies = [f"Body{number}" for number in range(1, count + 1)]
    joints = members(JointDescription)
    likely = pick(
        random, [[*joints], [*joints], ["JointHinge", "JointSlider"], ["JointHinge", "OmniWheel"], ["JointHinge2"]]
    )
    kinds = [pick(random, likely) for _ in range(random.choice([0, count - 1, count - 1, count, 2 * count]))]
    author.joints = [f"J{number}" for number in range(len(kinds))]
    moves = chance(random, 0.15 if kinds else 0.4)
    bodies = "".join(_body(author, body) for body in author.bodies)
    elements = "".join(_joint(author, joints[tag], joint) for tag, joint in zip(kinds, author.joints, strict=True))
    motors = list(members(MotorDescription).values())
    powered = [name for tag, name in zip(kinds, author.joints, strict=True) if tag not in ("JointBall", "JointFixed")]
    chosen = random.sample(powered, min(len(powered), random.choice([0, 1, 2])))
    driven = "".join(author.component(pick(random, motors), Joint=joint) for joint in chosen)
    motion = author.component(pick(random, list(members(MotionDescription).values()))) if moves else ""
    spawn = author.component(SpawnSettings) if chance(random, 0.4) else ""
    latency = f"<Latency>{random.choice([0, 0, 1, 5, 20])}</Latency>"
    return (
        f"<Client><CSettings><Name>{name}</Name>{latency}{spawn}{_wishes(random)}</CSettings>"
        f"<Entity><RigidBodies>{bodies}</RigidBodies>"
        f"<Joints>{elements}</Joints>{f'<Motors>{driven}</Motors>' if driven else ''}"
        f"{f'<Motion>{motion}</Motion>' if motion else ''}</Entity></Client>"
    )


def _wishes(random: Random) -> str:
    """What else a program may ask for."""
    loose = "<Loose>true</Loose>" if chance(random, 0.05) else ""
    team = "<Team>home</Team>" if chance(random, 0.1) else ""
    if not chance(random, 0.2):
        return loose + team
    sparse = "<Timestamps>readings</Timestamps>" if chance(random, 0.5) else ""
    sensors = (
        f"<Sensors>{pick(random, ['Tilt', 'J0', 'J0 J1', 'Inc5', 'Cam7'])}</Sensors>" if chance(random, 0.3) else ""
    )
    return f"<Protocol>2</Protocol>{loose}{team}{sparse}{sensors}"


def _body(author: Author, name: str) -> str:
    random, members = author.random, registry().members
    solids = list(members(Solid).values())
    sensors = [cls for cls in members(SensorDescription).values() if _wanted(author, cls)]
    parts = [author.component(pick(random, solids)) for _ in range(random.choice([1, 1, 1, 2, 4]))]
    parts += [author.component(pick(random, sensors)) for _ in range(random.choice([0, 0, 1, 2]))]
    return f'<Body name="{name}">{"".join(parts)}</Body>'


def _wanted(author: Author, sensor: type[Any]) -> bool:
    """Pictures cost time, and sensors of joints need some."""
    if issubclass(sensor, Optics):
        return chance(author.random, 0.02)
    return bool(author.joints) or not any(isinstance(entry.kind, Reference) for entry in sensor.entries())


def _joint(author: Author, cls: type[Any], name: str) -> str:
    if chance(author.random, 0.1) or len(author.bodies) < 2:
        return author.component(cls, name=name, Body1=pick(author.random, author.bodies), Body2="")
    first, second = author.random.sample(author.bodies, 2)
    return author.component(cls, name=name, Body1=first, Body2="" if cls.tag == "OmniWheel" else second)


def world(random: Random) -> str:
    """A world: ground, things that stand and lie about, lights."""
    author = Author(random, random.choice([0.0, 0.05, 0.3]))
    members = registry().members
    settings = author.component(WorldSettings, Step=repr(random.choice([0.001, 0.002, 0.01])))
    ground = author.component(Ground) if chance(random, 0.8) else ""
    solids = list(members(Solid).values())
    static = "".join(_massless(author, pick(random, solids)) for _ in range(random.choice([0, 1, 4])))
    objects = "".join(
        f'<Body name="{author.name("O")}">{author.component(pick(random, solids))}</Body>'
        for _ in range(random.choice([0, 1, 3]))
    )
    markings = "".join(author.component(pick(random, list(members(Marking).values()))) for _ in range(2))
    lights = "".join(author.component(pick(random, list(members(Light).values()))) for _ in range(random.randrange(3)))
    return (
        f"<World>{settings}{ground}<Static>{static}</Static><Objects>{objects}</Objects><Markings>{markings}</Markings>"
        f"<Lights>{lights}</Lights></World>"
    )


def _massless(author: Author, solid: type[Any]) -> str:
    text = author.component(solid)
    before, _, rest = text.partition("<Mass>")
    return before + rest.partition("</Mass>")[2] if rest else text
