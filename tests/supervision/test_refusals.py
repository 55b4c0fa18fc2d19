"""What commands refuse that their types let pass."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.robots import cart
from ubersim.errors import UberSimError
from ubersim.simulation import Simulation
from ubersim.supervision import Interventions
from ubersim.supervision.commands.take_snapshot import MOST_SNAPSHOTS


@pytest.mark.parametrize(
    ("verb", "arguments", "reason"),
    [
        ("Push", {"body": "Cart", "force": [1e30, 0, 0], "seconds": 1}, "no number may be larger than"),
        ("Latency", {"robot": "Cart"}, "either milliseconds or a model"),
        ("Latency", {"robot": "Cart", "milliseconds": 1, "model": "<Latency>2</Latency>"}, "either milliseconds or a"),
        ("Set", {"robot": "Cart", "component": "Client", "property": "Latency", "value": 1}, "changed with Latency"),
    ],
)
def test_numbers_and_names(verb: str, arguments: dict[str, Any], reason: str) -> None:
    with Simulation() as simulation:
        simulation.spawn(cart())
        with pytest.raises(UberSimError, match=reason):
            Interventions(simulation).execute(verb, arguments)


def test_snapshots_are_kept_up_to_a_number() -> None:
    with Simulation() as simulation:
        interventions = Interventions(simulation)
        for number in range(MOST_SNAPSHOTS):
            interventions.execute("Snapshot", {"label": str(number)})
        interventions.execute("Snapshot", {"label": "0"})  # takes its own place
        with pytest.raises(UberSimError, match="are kept already; take one of their labels"):
            interventions.execute("Snapshot", {"label": "one more"})
