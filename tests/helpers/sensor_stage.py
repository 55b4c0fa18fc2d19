"""Worlds and robots in a few words, for tests of sensors."""

from tests.helpers.documents import body, robot, vector
from ubersim.description import read_world
from ubersim.simulation import Simulation
from ubersim.simulation.robot import Robot

STEP = 0.001
G = 9.81


def simulation(*, gravity: float = G, ground: bool = False, inside: str = "", seed: int = 0) -> Simulation:
    """A world with nothing in it but what is given."""
    pull = f"<Settings>{vector('Gravity', 0, 0, -gravity)}</Settings>"
    plane = "<Ground><Material>Rubber</Material></Ground>" if ground else ""
    return Simulation(read_world(f"<World>{pull}{plane}{inside}</World>"), step=STEP, seed=seed)


def sensor(kind: str, name: str, inside: str = "", at: tuple[float, float, float] = (0, 0, 0), **turn: float) -> str:
    """A sensor's element, turned about x, y or z by degrees."""
    rotation = vector("Rotation", turn.get("x", 0), turn.get("y", 0), turn.get("z", 0)) if turn else ""
    return f'<{kind} name="{name}">{vector("Position", *at)}{rotation}{inside}</{kind}>'


def sphere(name: str, at: tuple[float, float, float] = (0, 0, 0), radius: float = 0.1, mass: float = 1.0) -> str:
    return (
        f'<Sphere name="{name}">{vector("Position", *at)}<Mass>{mass}</Mass><Radius>{radius}</Radius>'
        "<Material>Rubber</Material></Sphere>"
    )


def box(
    name: str,
    size: tuple[float, float, float],
    at: tuple[float, float, float] = (0, 0, 0),
    mass: float | None = 1.0,
    material: str = "Rubber",
    **turn: float,
) -> str:
    """A box; without mass for the static world."""
    edges = "".join(f"<{axis}Size>{length}</{axis}Size>" for axis, length in zip("XYZ", size, strict=True))
    weight = "" if mass is None else f"<Mass>{mass}</Mass>"
    rotation = vector("Rotation", turn.get("x", 0), turn.get("y", 0), turn.get("z", 0)) if turn else ""
    return f'<Box name="{name}">{vector("Position", *at)}{rotation}{weight}{edges}<Material>{material}</Material></Box>'


def hinge(name: str, axis: tuple[float, float, float], body1: str = "B", inside: str = "", body2: str = "World") -> str:
    """A hinge through the model's origin."""
    ends = f"<Body1>{body1}</Body1><Body2>{body2}</Body2>"
    place = vector("Axis", *axis) + vector("AnchorPos", 0, 0, 0)
    return f'<JointHinge name="{name}">{ends}{place}{inside}</JointHinge>'


def settings(name: str = "R") -> str:
    return f"<CSettings><Name>{name}</Name></CSettings>"


def spawned(
    here: Simulation,
    parts: str,
    joints: str = "",
    *,
    name: str = "R",
    more_bodies: str = "",
    at: tuple[float, float, float] = (0, 0, 0),
    heading: float = 0.0,
) -> Robot:
    """A robot whose body B has these parts, with its model's origin at a place."""
    document = robot(body(parts) + more_bodies, joints, settings(name))
    return here.spawn(document, position=at, heading=heading)
