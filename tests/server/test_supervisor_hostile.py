"""Requests that make no sense, by the hundreds: each is answered, and the server lives on."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.helpers.robots import cart
from ubersim.client.supervisor import supervise
from ubersim.errors import UberSimError
from ubersim.supervision import all_commands
from ubersim.supervision.arguments import arguments_of

VALUES: list[Any] = [
    0, 1, -1, 2.5, 1e9, -1e300, 1e308, 10**400, True, "", "Cart", "Cart/Base", "Motor", "Tilt", "Vel",
    "Frequency", "x" * 999, [], [0, 0, 0], [1, 2, 3], [1e5, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], ["a"], {},
    cart(), "<Body/>", "<Client/>",
]  # fmt: skip
ENDLESS = {"Resume", "Step"}
"""After these time goes on, and nothing stands still that could be compared."""


@pytest.mark.parametrize("seed", range(3))
def test_nonsense_is_answered(serve: Any, seed: int) -> None:
    chance = random.Random(seed)
    verbs = {verb: tuple(arguments_of(kind)) for verb, kind in all_commands().items() if verb not in ENDLESS}
    with supervise(port=serve().port) as world:
        world.pause()
        refused = 0
        for _ in range(400):
            if "Cart" not in world.truth().legend["robots"]:
                world.spawn(cart(x=0.0))
            verb = chance.choice(list(verbs))
            arguments = {name: chance.choice(VALUES) for name in verbs[verb] if chance.random() < 0.8}
            try:
                world.ask(verb, **arguments)
            except UberSimError as error:
                refused += 1
                assert "could not do this" not in str(error)  # it knew what was wrong
        assert refused > 100
        world.rate(0.0)
        world.watch()
        frame = world.frame
        assert world.step(3) == frame + 3
