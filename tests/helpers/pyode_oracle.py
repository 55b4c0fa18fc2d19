"""Run by Debian's Python as a program: what ODE makes of small scenes when pyode calls it, with its own step.

Prints a JSON object: name of a scene -> step size -> position, quaternion, linear and angular velocity of its body;
`contacts` -> pair of shapes -> position, normal and depth of each contact. All numbers with all bits, hexadecimal.
"""

import ctypes
import json
from collections.abc import Callable

import ode

FMAX = 5  # pyode's own ParamFMax is that of ODE before 0.13, where LoVel and HiVel did not yet precede it
STEPS = (0.001, 0.0001)
TURN = (0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6)
"""A rotation matrix, of the upper one of two shapes."""


def make_world() -> ode.World:
    """With the settings that are ours by default."""
    world = ode.World()
    world.setGravity((0.0, 0.0, -9.81))
    world.setERP(0.2)
    world.setCFM(0.0)
    return world


def switch_off_gyroscopic_term(body: ode.Body) -> None:
    """pyode has no call for it; its objects begin with ODE's pointer, after Python's own two words."""
    library = ctypes.CDLL("libode.so.8")
    library.dBodyGetPosition.restype = ctypes.POINTER(ctypes.c_double)
    pointer = ctypes.c_void_p.from_address(id(body) + object.__basicsize__)
    position = library.dBodyGetPosition(pointer)
    assert tuple(position[:3]) == tuple(body.getPosition()), "pyode's objects look different here"
    library.dBodySetGyroscopicMode(pointer, 0)


def add_body(world: ode.World, inertia: tuple[float, float, float], position: tuple[float, float, float]) -> ode.Body:
    """Turns by finite rotations, without ODE's gyroscopic term, as our bodies do."""
    body, mass = ode.Body(world), ode.Mass()
    mass.setParameters(1.5, 0, 0, 0, *inertia, 0, 0, 0)
    body.setMass(mass)
    body.setPosition(position)
    body.setFiniteRotationMode(1)
    switch_off_gyroscopic_term(body)
    return body


def hang(world: ode.World, body: ode.Body) -> ode.HingeJoint:
    """On an axis through the origin."""
    joint = ode.HingeJoint(world)
    joint.attach(body, ode.environment)
    joint.setAnchor((0.0, 0.0, 0.0))
    joint.setAxis((0.0, 1.0, 0.0))
    return joint


def free_fall(step: float) -> list[str]:
    """Thrown upwards."""
    world = make_world()
    body = add_body(world, (0.1, 0.1, 0.1), (0.0, 0.0, 5.0))
    body.setLinearVel((1.0, 2.0, 3.0))
    return run(world, body, step)


def pendulum(step: float) -> list[str]:
    """Let go when it is horizontal."""
    world = make_world()
    body = add_body(world, (0.01, 0.02, 0.03), (1.0, 0.0, 0.0))
    _joint = hang(world, body)  # pyode destroys what Python no longer holds
    return run(world, body, step)


def hinge_motor(step: float) -> list[str]:
    """The same, driven around; its torque does not always suffice."""
    world = make_world()
    body = add_body(world, (0.01, 0.02, 0.03), (1.0, 0.0, 0.0))
    joint = hang(world, body)
    joint.setParam(ode.ParamVel, -3.0)
    joint.setParam(FMAX, 12.0)
    return run(world, body, step)


def run(world: ode.World, body: ode.Body, step: float) -> list[str]:
    """Two seconds."""
    for _ in range(round(2 / step)):
        world.step(step)
    return bits(*body.getPosition(), *body.getQuaternion(), *body.getLinearVel(), *body.getAngularVel())


def bits(*numbers: float) -> list[str]:
    """As they are, to the last one."""
    return [float(number).hex() for number in numbers]


SHAPES: dict[str, Callable[[], ode.GeomObject]] = {
    "sphere": lambda: ode.GeomSphere(radius=0.3),
    "box": lambda: ode.GeomBox(lengths=(0.5, 0.6, 0.7)),
    "capsule": lambda: ode.GeomCapsule(radius=0.2, length=0.4),
    "cylinder": lambda: ode.GeomCylinder(radius=0.3, length=0.5),
}


def contacts() -> dict[str, list[list[str]]]:
    """Of each shape lying in each other one."""
    world, found = make_world(), {}
    for lower in SHAPES:
        for upper in SHAPES:
            bodies = [ode.Body(world), ode.Body(world)]
            geoms = [SHAPES[lower](), SHAPES[upper]()]
            bodies[1].setRotation(TURN)
            for body, geom, place in zip(bodies, geoms, ((0.0, 0.0, 1.0), (0.05, 0.1, 1.4)), strict=True):
                body.setPosition(place)
                geom.setBody(body)
            touching = [contact.getContactGeomParams() for contact in ode.collide(*geoms)]
            found[f"{lower} {upper}"] = [bits(*position, *normal, depth) for position, normal, depth, *_ in touching]
    return found


SCENES: tuple[Callable[[float], list[str]], ...] = (free_fall, pendulum, hinge_motor)

if __name__ == "__main__":
    answer = {scene.__name__: {str(step): scene(step) for step in STEPS} for scene in SCENES}
    print(json.dumps({**answer, "contacts": contacts()}))
