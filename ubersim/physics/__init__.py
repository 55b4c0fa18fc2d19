"""Descriptions become physics here: one ODE world behind a small C kernel."""

from ubersim.physics._ode import version as ode_version
from ubersim.physics.body import Body
from ubersim.physics.driven_axis import DrivenAxis
from ubersim.physics.geom import Geom
from ubersim.physics.joint import Joint
from ubersim.physics.joint_kinds import KINDS
from ubersim.physics.mesh import CollisionMesh
from ubersim.physics.ray_batch import RayBatch
from ubersim.physics.results import Contacts, RayHits
from ubersim.physics.rigid_group import RigidGroup
from ubersim.physics.world import World

__all__ = [
    "KINDS",
    "Body",
    "CollisionMesh",
    "Contacts",
    "DrivenAxis",
    "Geom",
    "Joint",
    "RayBatch",
    "RayHits",
    "RigidGroup",
    "World",
    "ode_version",
]
