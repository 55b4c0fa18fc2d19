"""Forces that act on bodies for a while."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ubersim.errors import UberSimError
from ubersim.geometry import Triple, turned
from ubersim.physics import Body


@dataclass(frozen=True)
class AppliedForce:
    """A force on one body, from now on until a frame."""

    body: str
    """`Robot/Body`, or the name of an object of the world."""
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


class AppliedForces:
    """All forces that go on acting."""

    def __init__(self) -> None:
        self._acting: list[AppliedForce] = []
        self._applied_in = -1

    def __bool__(self) -> bool:
        return bool(self._acting)

    def add(self, force: AppliedForce) -> None:
        """It acts from the next `apply` on."""
        self._acting.append(force)

    def apply(self, frame: int, body: Callable[[str], Body]) -> None:
        """Once in a frame: the forces stay if its step has to be repeated."""
        self._acting = [force for force in self._acting if force.until > frame]
        if self._applied_in == frame:
            return
        self._applied_in = frame
        for force in self._acting:
            with contextlib.suppress(UberSimError):  # the robot may have left
                force.act(body(force.body))

    def acting(self, frame: int) -> list[AppliedForce]:
        """Those that act in this frame."""
        return [force for force in self._acting if force.until > frame]

    def state(self) -> tuple[dict[str, Any], ...]:
        """What a snapshot keeps, as plain data."""
        return tuple(force.state() for force in self._acting)

    def restore(self, state: Sequence[dict[str, Any]]) -> None:
        """Goes on from what `state` returned; with nothing, none acts any more."""
        self._acting = [AppliedForce.restored(force) for force in state]
        self._applied_in = -1
