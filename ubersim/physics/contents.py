"""What is in a world: bodies, geoms and joints, each with its owner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from ubersim.errors import ExplodedError, WorldError
from ubersim.physics import validation
from ubersim.physics._ode import EXPLODED, FINE, NULL, doubles, ffi, lib
from ubersim.physics.body import Body
from ubersim.physics.geom import Geom
from ubersim.physics.joint import Joint
from ubersim.physics.joint_kinds import KINDS
from ubersim.physics.kernel_world import KernelWorld
from ubersim.physics.mesh import CollisionMesh


class WorldContents(KernelWorld):
    """Bodies, geoms and joints of owners: 0 is the world itself, robots are 1, 2, ..."""

    def __init__(self, handle: Any, materials: int) -> None:
        super().__init__(handle)
        self._materials = materials
        self._no_self_collision: set[int] = set()
        self.bodies: list[Body] = []
        self.geoms: list[Geom] = []
        self.joints: list[Joint] = []
        self.tape: Any = None
        """The tape that the kernel writes to now; held here, for the kernel knows nothing of Python's memory."""

    def add_body(
        self, owner: int, *, mass: float, inertia: ArrayLike, position: ArrayLike, rotation: ArrayLike
    ) -> Body:
        """A body whose centre of mass is at `position`; `inertia` is about that centre, in the body's axes."""
        self._reserve(len(self.bodies) + 1, len(self.bodies))
        mass = validation.number("a body's mass", mass, *validation.MASSES)
        tensor = validation.inertia("a body's inertia", inertia)
        place, turn = (
            validation.position("a body's position", position),
            validation.rotation("a body's rotation", rotation),
        )
        handle = lib.kernel_add_body(self.handle, owner, mass, doubles(tensor), doubles(place), doubles(turn))
        body = Body(self, owner, mass, len(self.bodies), self._made(handle))
        self.bodies.append(body)
        self._show_rows(len(self.bodies))
        return body

    def add_box(
        self,
        owner: int,
        body: Body | None,
        material: int,
        position: ArrayLike,
        rotation: ArrayLike,
        size: Sequence[float],
    ) -> Geom:
        """A box of edges `size` [m]; pose in world coordinates, as the world is now."""
        edges = validation.numbers("a box's size", size, (3,), validation.SIZES[1])
        for edge in edges:
            validation.size("a box's size", edge)
        return self._add_geom(lib.SHAPE_BOX, owner, body, material, position, rotation, edges)

    def add_sphere(
        self, owner: int, body: Body | None, material: int, position: ArrayLike, rotation: ArrayLike, radius: float
    ) -> Geom:
        """A sphere; pose in world coordinates."""
        return self._add_geom(
            lib.SHAPE_SPHERE, owner, body, material, position, rotation, [validation.size("a radius", radius)]
        )

    def add_capsule(
        self,
        owner: int,
        body: Body | None,
        material: int,
        position: ArrayLike,
        rotation: ArrayLike,
        radius: float,
        height: float,
    ) -> Geom:
        """A cylinder along z with caps, which `height` does not count; pose in world coordinates."""
        size = [validation.size("a radius", radius), validation.size("a height", height)]
        return self._add_geom(lib.SHAPE_CAPSULE, owner, body, material, position, rotation, size)

    def add_cylinder(
        self,
        owner: int,
        body: Body | None,
        material: int,
        position: ArrayLike,
        rotation: ArrayLike,
        radius: float,
        height: float,
    ) -> Geom:
        """A cylinder along z; pose in world coordinates."""
        size = [validation.size("a radius", radius), validation.size("a height", height)]
        return self._add_geom(lib.SHAPE_CYLINDER, owner, body, material, position, rotation, size)

    def add_plane(self, owner: int, material: int, normal: ArrayLike, offset: float) -> Geom:
        """The static half-space below the plane normal * x = offset."""
        (unit,) = validation.axes("a plane's normal", [normal])
        size = [*unit, validation.number("a plane's offset", offset, -validation.FARTHEST, validation.FARTHEST)]
        return self._add_geom(lib.SHAPE_PLANE, owner, None, material, np.zeros(3), np.eye(3), size)

    def add_mesh(
        self,
        owner: int,
        body: Body | None,
        material: int,
        position: ArrayLike,
        rotation: ArrayLike,
        mesh: CollisionMesh,
    ) -> Geom:
        """Triangles between vertices; pose in world coordinates."""
        place, turn = (
            validation.position("a mesh's position", position),
            validation.rotation("a mesh's rotation", rotation),
        )
        handle = lib.kernel_add_mesh(
            self.handle,
            owner,
            self._body_handle(body),
            self._material(material),
            doubles(place),
            doubles(turn),
            mesh.handle,
        )
        return self._keep_geom(handle, owner, body, material)

    def set_self_collision(self, owner: int, enabled: bool) -> None:
        """Whether an owner's bodies collide with each other; those that a joint connects never do."""
        (self._no_self_collision.discard if enabled else self._no_self_collision.add)(owner)
        lib.kernel_set_self_collision(self.handle, owner, enabled)

    def add_joint(
        self,
        owner: int,
        kind: str,
        body1: Body | None,
        body2: Body | None,
        *,
        anchor: ArrayLike | None = None,
        axes: Sequence[ArrayLike] = (),
    ) -> Joint:
        """A joint between two bodies, or a body and the static world; all in world coordinates, as things are now."""
        if kind not in KINDS:
            raise WorldError(f"there is no joint of kind {kind!r}, only {', '.join(KINDS)}")
        needs = KINDS[kind]
        if body1 is body2:
            raise WorldError(f"a joint of kind {kind} needs two different bodies")
        if needs.anchored and anchor is None:
            raise WorldError(f"a joint of kind {kind} needs an anchor")
        if not needs.axes[0] <= len(axes) <= needs.axes[1]:
            raise WorldError(f"a joint of kind {kind} needs {needs.axes[0]} to {needs.axes[1]} axes, not {len(axes)}")
        place = np.zeros(3) if anchor is None else validation.position("an anchor", anchor)
        units = validation.axes("a joint's axis", axes)
        if needs.perpendicular:
            validation.not_parallel("a joint's axes", units[0], units[1])
        handle = lib.kernel_add_joint(
            self.handle,
            needs.number,
            owner,
            self._body_handle(body1),
            self._body_handle(body2),
            doubles(place),
            len(axes),
            doubles(units),
        )
        driven = len(axes) if kind in ("amotor", "lmotor") else len(needs.properties)
        joint = Joint(self, owner, kind, (body1, body2), driven, self._made(handle))
        self.joints.append(joint)
        return joint

    def remove(self, owner: int) -> None:
        """Takes an owner's bodies, geoms and joints out, and what hangs on them; the others' rows close up."""
        if lib.kernel_remove(self.handle, owner) != FINE:
            self._fail(lib.KERNEL_BROKEN)
        for body in self.bodies:
            if body.owner == owner:
                body.row = -1
        for joint in self.joints:
            if joint.owner == owner or any(body is not None and body.owner == owner for body in joint.bodies):
                joint.handle = None
        self.joints = [joint for joint in self.joints if joint.handle is not None]
        self.geoms = [
            geom for geom in self.geoms if owner not in (geom.owner, geom.body.owner if geom.body else geom.owner)
        ]
        self.bodies = [body for body in self.bodies if body.owner != owner]
        for row, body in enumerate(self.bodies):
            body.row = row
        self._no_self_collision.discard(owner)
        self._show_rows(len(self.bodies))

    def _add_geom(
        self,
        shape: int,
        owner: int,
        body: Body | None,
        material: int,
        position: ArrayLike,
        rotation: ArrayLike,
        size: ArrayLike,
    ) -> Geom:
        place, turn = (
            validation.position("a geom's position", position),
            validation.rotation("a geom's rotation", rotation),
        )
        dimensions = np.array(size, dtype=np.float64)
        material = self._material(material)
        pointers = doubles(place), doubles(turn), doubles(dimensions)
        handle = lib.kernel_add_geom(self.handle, shape, owner, self._body_handle(body), material, *pointers)
        return self._keep_geom(handle, owner, body, material)

    def _keep_geom(self, handle: Any, owner: int, body: Body | None, material: int) -> Geom:
        geom = Geom(int(lib.geom_id(self._made(handle))), owner, body, material, self, handle)
        self.geoms.append(geom)
        if owner in self._no_self_collision:
            lib.kernel_set_self_collision(self.handle, owner, False)
        return geom

    def _material(self, material: int) -> int:
        if not 0 <= material < self._materials:
            raise WorldError(f"there is no material {material}, only 0 to {self._materials - 1}")
        return material

    def _body_handle(self, body: Body | None) -> Any:
        if body is None:
            return NULL
        if body.world is not self or body.row < 0:
            raise WorldError("this body is not in this world")
        return body.handle

    def _made(self, handle: Any) -> Any:
        if handle == NULL:
            raise WorldError(f"the physics engine refused: {self.message()}")
        return handle

    def _fail(self, outcome: int) -> NoReturn:
        if outcome != EXPLODED:
            raise WorldError(f"the physics engine failed: {self.message()}")
        found = ffi.new("int32_t[]", len(self.bodies) + len(self.joints) + 2)
        count = lib.kernel_exploded_owners(self.handle, found, len(found))
        # Whatever a robot throws over belongs to the world; the robot is to blame.
        owners = sorted(set(found[0:count])) or [0]
        owners = [owner for owner in owners if owner] or owners
        frame = int(lib.kernel_frame(self.handle)) + 1
        reason = self.message() or "a body left the finite world"
        raise ExplodedError(frame, owners, f"frame {frame}: {reason} (owners {', '.join(map(str, owners))})")
