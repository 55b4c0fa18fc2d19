"""Names and numbers of all that can be seen. Segmentation pictures and lists of objects speak in these numbers.

The world's own things are numbered once and for all, in the order of its file: 1 is the ground, then come the static
solids, then the free objects. A robot's bodies get the first free run of consecutive numbers after those when it joins,
in the order of its document, and keep them until it leaves; who else comes or goes changes nothing about that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ubersim.description import WorldDescription
from ubersim.errors import UberSimError

GROUND = 1
"""The number of the ground, also where there is none."""
LAST = 2**16 - 1
"""Pictures have two bytes per pixel."""


class ObjectIds:
    """Who has which number."""

    def __init__(self, world: WorldDescription) -> None:
        self._world = {} if world.ground is None else {GROUND: "Ground"}
        things = [*(solid.name for solid in world.static), *(body.name for body in world.objects)]
        self._world |= dict(enumerate(things, GROUND + 1))
        self.first_static = GROUND + 1
        self.first_object = self.first_static + len(world.static)
        self._first_robot = self.first_object + len(world.objects)
        self._robots: dict[str, tuple[int, Sequence[str]]] = {}

    def enter(self, robot: str, bodies: Sequence[str]) -> None:
        """Gives a robot's bodies their numbers."""
        first = self._first_robot
        for taken, others in sorted(self._robots.values()):
            if first + len(bodies) <= taken:
                break
            first = taken + len(others)
        if first + len(bodies) - 1 > LAST:
            raise UberSimError(f"there is no number left for the bodies of {robot!r}: pictures can tell {LAST} apart")
        self._robots[robot] = first, tuple(bodies)

    def leave(self, robot: str) -> None:
        """Its numbers are free again."""
        self._robots.pop(robot, None)

    def first_of(self, robot: str) -> int:
        """The number of a robot's first body."""
        return self._robots[robot][0]

    def move(self, firsts: Mapping[str, int]) -> None:
        """Gives the robots the numbers that they had in another simulation: those of their first bodies."""
        self._robots = {robot: (firsts[robot], bodies) for robot, (_, bodies) in self._robots.items()}

    def names(self) -> dict[int, str]:
        """All names by number; a robot's body is `Robot/Body`."""
        names = dict(self._world)
        for robot, (first, bodies) in self._robots.items():
            names |= {number: f"{robot}/{body}" for number, body in enumerate(bodies, first)}
        return names
