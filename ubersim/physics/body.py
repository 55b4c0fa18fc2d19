"""Bodies as Python holds them: small, and named by the kernel's own pointers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ubersim.errors import WorldError
from ubersim.geometry import Array
from ubersim.physics import validation
from ubersim.physics._ode import FINE, NULL, doubles, integers, lib
from ubersim.physics.kernel_world import KernelWorld
from ubersim.physics.results import Touches


@dataclass(eq=False)
class Body:
    """A rigid body. Its frame's origin is the centre of mass."""

    world: KernelWorld = field(repr=False)
    """The world it is in."""
    owner: int
    """To whom it belongs; 0 is the world itself."""
    mass: float
    """[kg]"""
    row: int
    """Its row in the world's arrays, now; -1 once it is removed."""
    handle: Any = field(repr=False)
    """The kernel's body."""

    @property
    def position(self) -> Array:
        """Of the centre of mass [m]; a view."""
        view: Array = self.world.positions[self._row()]
        return view

    @property
    def quaternion(self) -> Array:
        """(w, x, y, z); a view."""
        view: Array = self.world.quaternions[self._row()]
        return view

    @property
    def rotation(self) -> Array:
        """The rotation matrix; a view."""
        view: Array = self.world.rotations[self._row()]
        return view

    @property
    def linear_velocity(self) -> Array:
        """Of the centre of mass [m/s]; a view."""
        view: Array = self.world.linear_velocities[self._row()]
        return view

    @property
    def angular_velocity(self) -> Array:
        """In world axes [rad/s]; a view."""
        view: Array = self.world.angular_velocities[self._row()]
        return view

    def velocities_before(self) -> Array:
        """Linear [m/s] and angular velocity [rad/s] at the beginning of the last step, in world axes; shape (6,)."""
        self._row()
        velocities = np.empty(6)
        lib.body_velocities_before(self.handle, doubles(velocities))
        return velocities

    def acceleration_age(self) -> float:
        """For how many steps the acceleration that the difference to those tells of has been over: 0.5 or 1."""
        self._row()
        return float(lib.body_acceleration_age(self.handle))

    def supported(self) -> bool:
        """Whether the static world holds it, be it over others: by joints, or by what touched in the last step."""
        self._row()
        return bool(lib.body_supported(self.world.handle, self.handle))

    def feel(self) -> None:
        """From the next step on, the forces of its contacts are kept for `touches`."""
        self._row()
        lib.body_feel(self.handle)

    def touches(self) -> Touches:
        """What touched it in the last step; nothing before `feel`."""
        self._row()
        count, room = 8, 0
        while count > room:  # mostly a few contacts; once more if there were more than that
            room = count
            touches = Touches(np.empty(room, dtype=np.int64), np.empty((room, 3)), np.empty((room, 3)))
            arrays = integers(touches.geoms), doubles(touches.positions), doubles(touches.forces)
            count = lib.body_contacts(self.world.handle, self.handle, room, *arrays)
        return Touches(touches.geoms[:count], touches.positions[:count], touches.forces[:count])

    def make_kinematic(self) -> None:
        """From now on it keeps the velocities that it is given: it pushes others, and nothing pushes it."""
        self._row()
        lib.body_make_kinematic(self.world.handle, self.handle)

    def add_force(self, force: ArrayLike, point: ArrayLike | None = None) -> None:
        """Pushes during the next step [N, world axes], at a point of the world or at the centre of mass."""
        vector = validation.numbers("a force", force, (3,), validation.LARGEST)
        place = None if point is None else validation.position("a force's point", point)
        self._row()
        lib.body_add_force(self.world.handle, self.handle, doubles(vector), NULL if place is None else doubles(place))

    def add_torque(self, torque: ArrayLike) -> None:
        """Twists during the next step [N m, world axes]."""
        vector = validation.numbers("a torque", torque, (3,), validation.LARGEST)
        self._row()
        lib.body_add_torque(self.world.handle, self.handle, doubles(vector))

    def set_state(
        self,
        position: ArrayLike | None = None,
        quaternion: ArrayLike | None = None,
        linear: ArrayLike | None = None,
        angular: ArrayLike | None = None,
    ) -> None:
        """Puts the body somewhere else, or gives it another velocity; what is None stays."""
        given = [
            None if position is None else validation.position("a body's position", position),
            None if quaternion is None else validation.quaternion("a body's quaternion", quaternion),
            None if linear is None else validation.numbers("a body's velocity", linear, (3,), 1e8),
            None if angular is None else validation.numbers("a body's angular velocity", angular, (3,), 1e8),
        ]
        self._row()
        pointers = [NULL if part is None else doubles(part) for part in given]
        if lib.body_set_state(self.world.handle, self.handle, *pointers) != FINE:
            raise WorldError(self.world.message())

    def _row(self) -> int:
        if self.row < 0:
            raise WorldError("this body was removed")
        return self.row
