"""What can go wrong, by whose fault. Imports nothing, so that every layer may raise these."""

from collections.abc import Iterable
from dataclasses import dataclass


class UberSimError(Exception):
    """Base of everything that ÜberSim raises on purpose."""


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that is wrong in a document, and where."""

    line: int
    """Line in the document, from 1; 0 where the document as a whole is meant."""
    element: str
    """The element, e.g. `Body[MainBody]/Box[Platform]/Mass`; empty for the document as a whole."""
    message: str
    """What was found, and what is allowed."""


class DescriptionError(UberSimError):
    """A robot, world or materials document was refused; holds all of its problems, not only the first."""

    def __init__(self, source: str, problems: Iterable[Problem]) -> None:
        self.source = source
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(self._line(problem) for problem in self.problems))

    def _line(self, problem: Problem) -> str:
        place = f"{self.source}:{problem.line}" if problem.line else self.source
        return ": ".join(part for part in (place, problem.element, problem.message) if part)


class WorldError(UberSimError):
    """The physics engine refused or failed."""


class ExplodedError(WorldError):
    """Bodies left the finite world in a step; names their owners."""

    def __init__(self, frame: int, owners: Iterable[int], message: str) -> None:
        self.frame = frame
        self.owners = tuple(owners)
        super().__init__(message)


class RenderError(UberSimError):
    """Pictures cannot be made here, e.g. because no OpenGL is to be had."""


class RobotError(UberSimError):
    """A robot cannot go on; names it. Without it the simulation can: `remove` it, and take the frame again."""

    def __init__(self, robot: str, message: str) -> None:
        self.robot = robot
        super().__init__(message)


class SensingError(RobotError):
    """One of a robot's sensors has failed."""


class ActuationError(RobotError):
    """A robot's command could not be executed, or one of its motors could not do its work."""


class BudgetError(UberSimError):
    """A robot costs more than it may; see `RobotBudget`."""


class ProtocolError(UberSimError):
    """Base of the wire's errors."""


class LocalProtocolError(ProtocolError):
    """Our own side tried to send something that the protocol does not allow."""


class ProtocolVersionError(LocalProtocolError):
    """What the program wants is of a later version of the protocol than its robot's document asks for."""


class RemoteProtocolError(ProtocolError):
    """The other side sent something that the protocol does not allow."""


class RefusedError(UberSimError):
    """The server sent `Error`: it refused this robot, or dropped it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason or "the server refused without saying why")
