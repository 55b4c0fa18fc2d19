"""A server executes commands that it has never heard of, and lives on whatever they do."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.helpers.commands import installed
from tests.helpers.robots import cart
from ubersim.client import RemoteRobot, connect
from ubersim.client.supervisor import Supervisor, supervise
from ubersim.errors import UberSimError


@pytest.fixture
def world(serve: Any) -> Iterator[Supervisor]:
    with installed(), supervise(port=serve().port) as supervisor:
        supervisor.pause()
        supervisor.spawn(cart(x=0.0))
        yield supervisor


def test_commands_of_others_over_the_wire(world: Supervisor) -> None:
    height = world.truth()["Cart"].position[2]
    assert world.ask("Lift", body="Cart", by=2)["height"] == pytest.approx(height + 2.0)
    assert world.truth()["Cart"].position[2] == pytest.approx(height + 2.0)
    with pytest.raises(UberSimError, match="Lift: by takes a finite number, not 'x'"):
        world.ask("Lift", body="Cart", by="x")


def test_commands_may_be_answered_later(serve: Any) -> None:
    """Also while robots' clients keep the server busy, and nothing else makes it look at its supervisors."""
    port = serve().port
    with installed(), supervise(port=port) as world, connect(cart(x=0.0, latency="5"), port=port) as robot:
        threading.Thread(target=_live, args=(robot,), daemon=True).start()
        for badly in (False, True):
            frame = world.truth().frame
            with pytest.raises(UberSimError, match="ValueError") if badly else contextlib.nullcontext():
                world.ask("WaitUntil", in_frame=frame + 200, badly=badly)
            assert world.frame >= frame + 200
        world.pause()


def _live(robot: RemoteRobot) -> None:
    with contextlib.suppress(OSError):  # the test ends it
        for _ in robot:
            pass


def test_commands_that_crash_are_answered(world: Supervisor) -> None:
    with pytest.raises(UberSimError, match="could not do this: ZeroDivisionError"):
        world.ask("Crash", early=True)
    with pytest.raises(UberSimError, match="no JSON form"):
        world.ask("Crash", early=False)
    assert world.step(1) == 1
