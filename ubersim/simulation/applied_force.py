"""A force that acts on a body for a while."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ubersim.geometry import Triple, turned
from ubersim.physics import Body


@dataclass(frozen=True)
class AppliedForce:
    """Somebody leans against a body."""

    body: str
    """Whom: `Robot/Body`, or the name of an object of the world."""
    force: Triple
    """In world axes [N]."""
    point: Triple
    """Where, seen from the body's centre of mass, in the body's own axes, so that it moves along [m]."""
    until: int
    """The first frame in which it is over."""

    def act(self, body: Body) -> None:
        """Adds the force to the next step."""
        body.add_force(self.force, body.position + turned(body.rotation, self.point))

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps, as plain data."""
        return asdict(self)

    @staticmethod
    def restored(state: dict[str, Any]) -> AppliedForce:
        """The opposite of `state`."""
        return AppliedForce(state["body"], tuple(state["force"]), tuple(state["point"]), state["until"])
