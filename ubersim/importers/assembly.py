"""Links that are fixed to each other become one body; what weighs nothing gets what it needs to move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ubersim.description.inertia import unphysical
from ubersim.description.mass import MassProperties, combined
from ubersim.geometry import Array
from ubersim.importers.model import RobotJoint, RobotLink, RobotModel
from ubersim.importers.options import ImportOptions
from ubersim.importers.report import ImportReport
from ubersim.importers.shape_mass import DENSITY, mass_of

LIGHT = 1e-3
"""Of a link that nothing is known of [kg]."""
SMALL = 0.01
"""Radius of a ball of that mass [m]."""
LEAST_MASS, MOST_MASS = 1e-6, 1e6
"""Below and above, documents refuse a body [kg]."""
NOTHING = 1e-12
"""Moments below this, per mass, are none [m^2]."""
LEAST_RATIO = 1e-9
"""Smallest principal moment in terms of the largest."""


@dataclass(eq=False)
class AssembledBody:
    """Links that move as one."""

    name: str
    """That of the link on which the others hang."""
    links: list[RobotLink]
    mass: MassProperties
    static: bool = False
    """Whether it is fixed to the world."""
    line: int = 0


@dataclass(eq=False)
class Assembly:
    """What a document is made of."""

    bodies: list[AssembledBody]
    joints: list[RobotJoint]
    """Those that let bodies move; `parent` and `child` are names of bodies, or None for the world."""
    loops: list[RobotJoint] = field(default_factory=list)
    """Joints beyond the tree."""
    body_of: dict[str, str | None] = field(default_factory=dict)
    """The body that each link is part of; None: the world."""


def assemble(model: RobotModel, options: ImportOptions, report: ImportReport) -> Assembly:
    """The bodies of a model and the joints between them."""
    leaders = _leaders(model, options, report)
    groups: dict[str, list[RobotLink]] = {}
    for link in model.links:
        groups.setdefault(leaders[link.name], []).append(link)
    bodies: list[AssembledBody] = []
    body_of: dict[str, str | None] = {}
    moved = {leaders[joint.child] for joint in model.joints if joint.kind != "fixed"}
    for leader, links in groups.items():
        static = any(link.static for link in links)
        empty = not any(link.visuals or link.collisions for link in links)
        carries = any(sensor.link == link.name for sensor in model.sensors for link in links)
        if static and empty and not carries:
            body_of |= dict.fromkeys((link.name for link in links), None)
            continue
        named = next((link for link in links if link.name == leader), links[0])
        if named.name == "world" and len(links) > 1:
            named = next(link for link in links if link.name != "world")
        mass = _mass(named, links, leader in moved or not static, report)
        bodies.append(AssembledBody(named.name, links, mass, static, named.line))
        body_of |= dict.fromkeys((link.name for link in links), named.name)
        for link in links:
            if link is not named and not link.static and (link.mass or link.visuals or link.collisions):
                report.changed(link.line, f"link {link.name}", f"is part of body {named.name}, to which it is fixed")
    moving = (joint for joint in model.joints if joint.kind not in ("fixed", "free"))
    joints = list(_between_bodies(moving, body_of, report))
    return Assembly(bodies, joints, list(_between_bodies(model.loops, body_of, report)), body_of)


def _between_bodies(
    joints: Iterable[RobotJoint], body_of: dict[str, str | None], report: ImportReport
) -> Iterator[RobotJoint]:
    """Joints of links as joints of bodies."""
    for joint in joints:
        parent = None if joint.parent is None else body_of[joint.parent]
        child = body_of[joint.child]
        if child is None or child == parent:
            report.dropped(joint.line, f"joint {joint.name}", "both of its ends are fixed to each other")
            continue
        joint.parent, joint.child = parent, child
        yield joint


def _leaders(model: RobotModel, options: ImportOptions, report: ImportReport) -> dict[str, str]:
    """The link on which each link hangs without moving; links that are part of the world become static."""
    above = {joint.child: joint for joint in model.joints}
    leaders: dict[str, str] = {}
    links = {link.name: link for link in model.links}
    roots = [link for link in model.links if link.name not in above]
    for root in roots:
        if root.mass is not None and root.mass.mass == 0 and not root.static:
            report.changed(root.line, f"link {root.name}", "its mass is 0: it is fixed to the world")
            root.static = True
        root.static = root.static or options.fixed_base
    for link in model.links:
        current = link
        while (joint := above.get(current.name)) is not None and joint.kind == "fixed":
            if joint.parent is None:
                current.static = True
                break
            current = links[joint.parent]
        leaders[link.name] = current.name
    for link in model.links:
        if link.static:
            links[leaders[link.name]].static = True
    return leaders


def _mass(named: RobotLink, links: list[RobotLink], moves: bool, report: ImportReport) -> MassProperties:
    """Of links together: what they say, or what their shapes would weigh, or hardly anything."""
    given = [link.mass for link in links if link.mass is not None and link.mass.mass > 0]
    what = f"inertia of link {named.name}"
    if given:
        whole = combined(given)
    else:
        shapes = [shape for link in links for shape in link.collisions]
        whole = combined([mass_of(shape) for shape in shapes]) if shapes else _hardly_anything(links)
        if moves:
            why = (
                f"computed from its shapes, at {DENSITY:g} kg/m^3"
                if shapes
                else f"{LIGHT:g} kg, lest it weighs nothing"
            )
            report.changed(named.line, what, f"the file gives none: {why}")
    if whole.mass > MOST_MASS:
        report.changed(named.line, what, f"{whole.mass:.3g} kg is too much; it has {MOST_MASS:g}")
        whole = MassProperties(MOST_MASS, whole.center, whole.inertia * (MOST_MASS / whole.mass))
    if whole.mass < LEAST_MASS:
        report.changed(named.line, what, f"{whole.mass:.3g} kg is too little; it has {LEAST_MASS:g}")
        whole = MassProperties(LEAST_MASS, whole.center, whole.inertia)
    if np.linalg.eigvalsh(whole.inertia)[2] <= NOTHING * whole.mass:
        whole = _with_moments(whole, named, links, what, report)
    return _made_physical(whole, named, what, report)


def _with_moments(
    mass: MassProperties, named: RobotLink, links: list[RobotLink], what: str, report: ImportReport
) -> MassProperties:
    """A mass without moments of inertia gets those of its shapes, or of a small ball."""
    shapes = [shape for link in links for shape in link.collisions]
    if shapes:
        filled = combined([mass_of(shape) for shape in shapes])
        report.changed(named.line, what, "the file gives mass without moments: they are those of its shapes")
        return MassProperties(mass.mass, mass.center, filled.inertia * (mass.mass / filled.mass))
    ball = 0.4 * mass.mass * SMALL**2
    report.changed(named.line, what, f"the file gives mass without moments: they are those of a ball of {SMALL:g} m")
    return MassProperties(mass.mass, mass.center, np.eye(3) * ball)


def _made_physical(mass: MassProperties, named: RobotLink, what: str, report: ImportReport) -> MassProperties:
    moments, axes = np.linalg.eigh(mass.inertia)
    if not unphysical(mass.inertia) and moments[0] > LEAST_RATIO * moments[2]:
        return mass
    if moments[0] <= LEAST_RATIO * moments[2]:
        raised = np.maximum(moments, moments[2] * 1e-3)
        report.changed(named.line, what, f"its least moment {moments[0]:.3g} is raised to {raised[0]:.3g} kg m^2")
    else:
        raised = np.full(3, moments.mean())
        report.changed(
            named.line, what, f"{unphysical(mass.inertia)}; all three are their mean, {raised[0]:.4g} kg m^2"
        )
    tensor: Array = (axes * raised) @ axes.T
    tensor = (tensor + tensor.T) / 2
    if unphysical(tensor):
        tensor = np.eye(3) * float(raised.mean())
    return MassProperties(mass.mass, mass.center, tensor)


def _hardly_anything(links: list[RobotLink]) -> MassProperties:
    return MassProperties(LIGHT, links[0].pose.position, np.eye(3) * (0.4 * LIGHT * SMALL**2))
