"""Supervisor commands of another package, as an entry point would bring them."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import ClassVar

import pytest

from ubersim.supervision import CommandContext, Effect, Reply, SupervisorCommand, all_commands, registry
from ubersim.supervision.registry import GROUP


@dataclass(frozen=True)
class HeightReply(Reply):
    """Where it is."""

    height: float


@dataclass(frozen=True, kw_only=True)
class Lift(SupervisorCommand):
    """Lifts a body."""

    body: str
    by: float = 1.0

    def execute(self, context: CommandContext) -> HeightReply:
        body = context.simulation.body(self.body)
        x, y, z = body.position
        body.set_state((x, y, z + self.by), None, body.linear_velocity, body.angular_velocity)
        return HeightReply(float(body.position[2]))


@dataclass(frozen=True, kw_only=True)
class WaitUntil(SupervisorCommand):
    """Is answered in a later frame."""

    effect: ClassVar[Effect] = Effect.NONE
    in_frame: int
    badly: bool = False

    def execute(self, context: CommandContext) -> None:
        """Just waits."""

    def next_frame(self, context: CommandContext) -> int | None:
        if context.simulation.frame < self.in_frame:
            return self.in_frame
        if self.badly:
            raise ValueError("and then it fails")
        return None


@dataclass(frozen=True, kw_only=True)
class Crash(SupervisorCommand):
    """Cannot be executed, and has no JSON form of what it replies."""

    effect: ClassVar[Effect] = Effect.NONE
    early: bool

    def execute(self, context: CommandContext) -> HeightReply:
        if self.early:
            raise ZeroDivisionError
        return HeightReply(float("nan"))


def point(name: str, found: object) -> EntryPoint:
    """The entry point of something that is no file of its own."""
    module = sys.modules.setdefault("commands_of_others", types.ModuleType("commands_of_others"))
    setattr(module, name, found)
    return EntryPoint(name, f"commands_of_others:{name}", GROUP)


@contextmanager
def installed() -> Iterator[None]:
    """As if a package with these commands were there."""
    points = [point(found.verb, found) for found in (Lift, WaitUntil, Crash)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "entry_points", lambda group: points)
        all_commands.cache_clear()
        yield
    all_commands.cache_clear()
