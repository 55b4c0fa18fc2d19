"""Commands: ours are found in their folder, others by entry point; without a server, those that need one say so."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from tests.helpers.commands import Lift, installed, point
from tests.helpers.robots import cart
from ubersim.client.supervisor import Supervisor
from ubersim.errors import UberSimError
from ubersim.simulation import Simulation
from ubersim.simulation.observer import Observer
from ubersim.supervision import CommandContext, Interventions, Reply, SupervisorCommand, all_commands
from ubersim.supervision.arguments import arguments_of
from ubersim.supervision.registry import GROUP, find_commands


@dataclass(frozen=True, kw_only=True)
class Unreadable(SupervisorCommand):
    """Has an argument that JSON cannot have."""

    value: object

    def execute(self, context: CommandContext) -> None: ...


class Lazy(SupervisorCommand):
    """Does not say what it does."""


def test_every_file_is_a_command() -> None:
    assert len(all_commands()) >= 17
    for verb, command in all_commands().items():
        assert command.verb == verb
        assert command.__doc__
        assert issubclass(command.reply_type(), Reply)


@pytest.mark.parametrize(
    ("name", "found", "reason"),
    [
        ("Lift", Simulation, "not a supervisor's command"),
        ("Raise", Lift, "its verb is Lift"),
        ("Push", type("Push", (Lift,), {}), "the verb is taken by ubersim.supervision.commands.push"),
        ("Unreadable", Unreadable, "an argument cannot be"),
        ("Lazy", Lazy, "lacks execute"),
    ],
)
def test_broken_commands_are_named_and_left_out(name: str, found: object, reason: str) -> None:
    with pytest.warns(RuntimeWarning, match=reason):
        commands = find_commands([point(name, found)])
    assert commands.keys() == find_commands([]).keys()


def test_commands_that_cannot_be_imported_are_named_and_left_out() -> None:
    with pytest.warns(RuntimeWarning, match="Nudge .*no_such_module.* is not available: ModuleNotFoundError"):
        find_commands([EntryPoint("Nudge", "no_such_module:Nudge", GROUP)])


class Told(Observer):
    """Notes what it is told."""

    def __init__(self) -> None:
        self.interventions: list[tuple[str, dict[str, Any]]] = []

    def intervened(self, verb: str, arguments: Any) -> None:
        self.interventions.append((verb, json.loads(json.dumps(arguments))))


def test_observers_are_told_what_a_log_needs() -> None:
    simulation, told = Simulation(), Told()
    simulation.spawn(cart(x=0.0))
    simulation.observers.append(told)
    interventions = Interventions(simulation)
    with installed():
        reply = interventions.execute("Lift", {"body": "Cart"})
        interventions.execute("Set", {"robot": "Cart", "component": "Motor", "property": "Vel", "value": 2})
        interventions.execute("Push", {"body": "Cart", "force": [1, 0, 0], "seconds": 1})
        interventions.execute("Event", {"label": "now"})
        logged = list(told.interventions)
        assert logged == [
            ("Lift", {"body": "Cart", "by": 1.0}),
            ("Set", {"robot": "Cart", "component": "Motor", "property": "Vel", "value": 2.0}),
        ]
        for verb, arguments in logged:
            interventions.repeat(verb, arguments)
    assert told.interventions == [*logged, logged[0]]
    assert simulation.body("Cart").position[2] == pytest.approx(reply["height"] + 1.0)


def test_without_a_server_time_and_pictures_are_the_programs_own() -> None:
    interventions = Interventions(Simulation())
    for verb in ("Pause", "Resume", "Step", "Rate", "Watch", "Truth"):
        with pytest.raises(UberSimError, match="supervisors of a server"):
            interventions.execute(verb, {})
    assert interventions.execute("Scene", {})["scene"]["robots"] == {}


def test_every_call_of_a_supervisor_is_a_command() -> None:
    """The client's methods have the arguments of the commands, and no others; a command may do without a method."""
    compared = 0
    for verb, command in all_commands().items():
        method = {"Latency": "set_latency", "SetParameter": "set_parameter"}.get(verb, verb.lower())
        if not hasattr(Supervisor, method):
            continue
        compared += 1
        parameters = inspect.signature(getattr(Supervisor, method)).parameters
        names = [name.rstrip("_") for name in parameters if name not in ("self", "frame")]
        known = list(arguments_of(command))
        if verb == "Latency":  # a number or a model is one parameter
            known = [name for name in known if name != "model"]
            names[names.index("latency")] = "milliseconds"
        elif verb == "Spawn":  # goes into the document
            names.remove("latency")
        assert names == known, verb
    assert compared >= 20
