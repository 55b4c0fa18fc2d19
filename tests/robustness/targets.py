"""What is fuzzed: each target does one thing that strangers may do, and raises if a server would end by it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from tests.helpers.robots import cart
from tests.robustness import doors, imports, logs, programs, scenes, served, tables
from tests.robustness.chance import chance, damaged_bytes, damaged_json, pick
from tests.robustness.documents import world
from ubersim.description import read_world
from ubersim.description.materials_file import read_materials
from ubersim.description.resources import shipped
from ubersim.errors import RemoteProtocolError, UberSimError
from ubersim.protocol import Ack, ClientConnection, Command, Handshake, ServerConnection, Timestamp
from ubersim.protocol.server_lane import CommandReader
from ubersim.protocol.supervisor_messages import decode_request
from ubersim.simulation import Simulation
from ubersim.supervision import Interventions


def robots(random: Random) -> None:
    """Robots in a world, with commands of programs that have no idea what they mean."""
    scenes.run(random)


def over_the_wire(random: Random) -> None:
    """The same, one after the other, by way of a real server."""
    served.run(random)


def worlds(random: Random) -> None:
    """A world's document, and a few frames of it with a robot in it."""
    text = world(random)
    if chance(random, 0.3):
        text = damaged_bytes(random, text.encode()).decode(errors="replace")
    with contextlib.suppress(UberSimError), Simulation(read_world(text)) as simulation:
        simulation.spawn(cart())
        simulation.step(5)


def wire(random: Random) -> None:
    """What a client sends, damaged on its way, in pieces; both lanes that read it say the same."""
    client = ClientConnection()
    document = client.send(Handshake(cart().encode()))
    said: list[Timestamp | Command | Ack] = [
        Timestamp(0.001),
        Command("Motor", 2, 1.0),
        Command("Tilt", 0, 50.0),
        Ack(0.0),
        Ack(0.001),
    ]
    stream = b"".join(client.send(event) for event in random.choices(said, k=random.randrange(1, 12)))
    if chance(random, 0.3):
        document = damaged_bytes(random, document)
    stream = damaged_bytes(random, stream)
    settable = _settable()
    server, reader = ServerConnection(settable), CommandReader(settable)
    server.receive_data(document)
    with contextlib.suppress(RemoteProtocolError):
        list(server.events())
    for start in range(0, len(stream), size := random.choice([1, 7, 1 << 16])):
        server.receive_data(stream[start : start + size])
        with contextlib.suppress(RemoteProtocolError):
            list(server.events())
        with contextlib.suppress(RemoteProtocolError):
            reader.read(stream[start : start + size])


def talk(random: Random) -> None:
    """What a program of version 2 says: parameters, logs, cancellations, payloads, drawings."""
    programs.run(random)


REQUESTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Teleport", {"thing": "Cart", "position": [0.5, 0.5, 1.0], "heading": 1.0}),
    ("Push", {"body": "Cart/Base", "force": [1.0, 2.0, 3.0], "seconds": 0.1}),
    ("Set", {"robot": "Cart", "component": "Motor", "property": "Vel", "value": 3.0}),
    ("Latency", {"robot": "Cart", "milliseconds": 5.0}),
    ("Spawn", {"xml": cart("Other", x=3.0)}),
    ("Remove", {"thing": "Cart"}),
    ("Snapshot", {"label": "a"}),
    ("Restore", {"label": "a"}),
    ("Reset", {}),
    ("Truth", {}),
    ("Scene", {}),
    ("SetParameter", {"robot": "Cart", "name": "gain", "value": 2.0}),
    ("Parameters", {}),
    ("Referee", {"do": "ball", "x": 0.5, "y": 0.5}),
    ("Player", {"do": "start", "player": "goalkeeper", "xml": cart("Keeper"), "name": "Keeper", "options": ["a=b"]}),
    ("Event", {"label": "x"}),
)


def supervisor(random: Random) -> None:
    """What a supervisor asks for, with something wrong in it, one thing after the other."""
    with contextlib.suppress(RemoteProtocolError):
        decode_request(damaged_bytes(random, b'Teleport\0\1\0\0\0{"thing": "Ball"}'))
    with Simulation() as simulation:
        simulation.spawn(cart(x=0.0))
        interventions = Interventions(simulation)
        for _ in range(random.choice([1, 4, 12])):
            verb, arguments = pick(random, REQUESTS)
            if chance(random, 0.6):
                arguments = damaged_json(random, arguments)
            with contextlib.suppress(UberSimError):
                interventions.execute(verb, arguments if isinstance(arguments, dict) else {})
            with contextlib.suppress(UberSimError):
                simulation.step(2)


def materials(random: Random) -> None:
    """A file of materials that is not what was written."""
    text = shipped("materials.yaml").read_bytes()
    with contextlib.suppress(UberSimError):
        read_materials(damaged_bytes(random, text).decode(errors="replace"))


def damaged_logs(random: Random) -> None:
    """A log that was damaged or forged, and everything that can be done with it."""
    logs.run(random)


def foreign(random: Random) -> None:
    """A robot's file of another format."""
    imports.run(random)


def port(random: Random) -> None:
    """Programs at a real robot's port."""
    doors.visit_port(random)


def replayed(random: Random) -> None:
    """Supervisors of a log that is replayed."""
    doors.supervise_replay(random)


def page(random: Random) -> None:
    """A browser at the live page."""
    from tests.robustness import pages  # which needs the page's libraries

    pages.run(random)


def identification(random: Random) -> None:
    """A table that a robot's latencies are to be read from."""
    tables.run(random)


@cache
def _settable() -> dict[str, frozenset[int]]:
    return Simulation().spawn(cart()).settable()


TARGETS: dict[str, Callable[[Random], None]] = {
    "robots": robots,
    "served": over_the_wire,
    "worlds": worlds,
    "wire": wire,
    "programs": talk,
    "supervisor": supervisor,
    "materials": materials,
    "logs": damaged_logs,
    "imports": foreign,
    "port": port,
    "replayed": replayed,
    "page": page,
    "identify": identification,
}


def close_page() -> None:
    """Ends what `page` has begun."""
    from tests.robustness import pages

    pages.close()


REPORTS: dict[str, Callable[[], str]] = {"served": served.SERVED.report}
"""What else there is to tell of a target."""
