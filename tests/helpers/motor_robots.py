"""Robots for tests of motors: a wheel on the world, a plate on a slider, a car."""

from __future__ import annotations

from tests.helpers.documents import vector

WHEEL_INERTIA = 0.5 * 2.0 * 0.1**2
"""Of the flywheel about its axle [kg m^2]: 2 kg, radius 0.1 m."""
ARM_WEIGHT = 1.0 * 9.81 * 0.3
"""What the arm's gravity does at its joint when it is level [N m]."""


def document(bodies: str, joints: str, motors: str, settings: str = "") -> str:
    """A robot that hangs in the air; nothing of it touches the ground."""
    spawn = f"<Spawn>{vector('Position', 0, 0, 2)}</Spawn>"
    settings = settings if "<Spawn>" in settings else spawn + settings
    lists = f"<RigidBodies>{bodies}</RigidBodies><Joints>{joints}</Joints><Motors>{motors}</Motors>"
    return f"<Client><CSettings><Name>R</Name>{settings}</CSettings><Entity>{lists}</Entity></Client>"


def flywheel(motor: str, joint: str = "", settings: str = "") -> str:
    """A wheel whose axle x is fixed to the world: joint `H`."""
    wheel = f"""<Body name="Wheel"><Cylinder name="rim"><Mass>2</Mass><Radius>0.1</Radius><Height>0.05</Height>
      {vector("Position", 0, 0, 0)}{vector("Rotation", 0, 90, 0)}<Material>Metal</Material></Cylinder></Body>"""
    hinge = f"""<JointHinge name="H"><Body1>Wheel</Body1>{vector("Axis", 1, 0, 0)}{vector("AnchorPos", 0, 0, 0)}
      {joint}</JointHinge>"""
    return document(wheel, hinge, motor, settings)


def arm(motor: str, joint: str = "") -> str:
    """A weight of 1 kg, 0.3 m in front of a hinge `H` across; level, it pulls with `ARM_WEIGHT` at it."""
    weight = f"""<Body name="Arm"><Sphere name="weight"><Mass>1</Mass><Radius>0.05</Radius>
      {vector("Position", 0, 0.3, 0)}<Material>Metal</Material></Sphere></Body>"""
    hinge = f"""<JointHinge name="H"><Body1>Arm</Body1>{vector("Axis", 1, 0, 0)}{vector("AnchorPos", 0, 0, 0)}
      {joint}</JointHinge>"""
    return document(weight, hinge, motor)


def sled(motor: str) -> str:
    """A block of 2 kg on a level slider `S` along y."""
    size = "<XSize>0.1</XSize><YSize>0.1</YSize><ZSize>0.1</ZSize>"
    block = f"""<Body name="Block"><Box name="block"><Mass>2</Mass>{size}
      {vector("Position", 0, 0, 0)}<Material>Metal</Material></Box></Body>"""
    return document(block, f'<JointSlider name="S"><Body1>Block</Body1>{vector("Axis", 0, 1, 0)}</JointSlider>', motor)


def car(motor: str, suspension: str = "") -> str:
    """A car with a track of 0.4 m and a wheelbase of 0.6 m on wheels of 0.1 m, joints `FL FR RL RR`, 12 kg."""
    places = {"FL": (-0.2, 0.6), "FR": (0.2, 0.6), "RL": (-0.2, 0.0), "RR": (0.2, 0.0)}
    bodies = f"""<Body name="Car"><Box name="hull"><Mass>8</Mass><XSize>0.25</XSize><YSize>0.6</YSize><ZSize>0.1</ZSize>
      {vector("Position", 0, 0.3, 0.02)}<Material>Metal</Material></Box></Body>"""
    joints = ""
    for name, (x, y) in places.items():
        bodies += f"""<Body name="W{name}"><Sphere name="tyre{name}"><Mass>1</Mass><Radius>0.1</Radius>
          {vector("Position", x, y, 0)}<Material>Rubber</Material></Sphere></Body>"""
        joints += f"""<JointHinge2 name="{name}"><Body1>Car</Body1><Body2>W{name}</Body2>{vector("Axis1", 0, 0, 1)}
          {vector("Axis2", 1, 0, 0)}{vector("AnchorPos", x, y, 0)}{suspension}</JointHinge2>"""
    return document(bodies, joints, motor, f"<Spawn>{vector('Position', 0, 0, 0.1)}</Spawn>")
