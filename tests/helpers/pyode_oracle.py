"""Run by Debian's Python as a program: what ODE makes of three small scenes when pyode calls it, with all bits.

Prints a JSON object: name of the scene -> position, quaternion, linear and angular velocity of its body, hexadecimal.
"""

import ctypes
import json
from collections.abc import Callable

import ode

FMAX = 5  # pyode's own ParamFMax is that of ODE before 0.13, where LoVel and HiVel did not yet precede it
STEP = 0.001


def make_world() -> ode.World:
    """With the settings that are ours by default."""
    world = ode.World()
    world.setGravity((0.0, 0.0, -9.81))
    world.setERP(0.2)
    world.setCFM(1e-9)
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


def free_fall() -> list[str]:
    """Thrown upwards."""
    world = make_world()
    body = add_body(world, (0.1, 0.1, 0.1), (0.0, 0.0, 5.0))
    body.setLinearVel((1.0, 2.0, 3.0))
    return run(world, body)


def pendulum() -> list[str]:
    """Let go when it is horizontal."""
    world = make_world()
    body = add_body(world, (0.01, 0.02, 0.03), (1.0, 0.0, 0.0))
    _joint = hang(world, body)  # pyode destroys what Python no longer holds
    return run(world, body)


def hinge_motor() -> list[str]:
    """The same, driven around; its torque does not always suffice."""
    world = make_world()
    body = add_body(world, (0.01, 0.02, 0.03), (1.0, 0.0, 0.0))
    joint = hang(world, body)
    joint.setParam(ode.ParamVel, -3.0)
    joint.setParam(FMAX, 12.0)
    return run(world, body)


def run(world: ode.World, body: ode.Body) -> list[str]:
    """Two seconds."""
    for _ in range(2000):
        world.step(STEP)
    state = (*body.getPosition(), *body.getQuaternion(), *body.getLinearVel(), *body.getAngularVel())
    return [float(number).hex() for number in state]


SCENES: tuple[Callable[[], list[str]], ...] = (free_fall, pendulum, hinge_motor)

if __name__ == "__main__":
    print(json.dumps({scene.__name__: scene() for scene in SCENES}))
