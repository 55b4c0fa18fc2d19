"""A log that is served, and those who mean it harm: programs that hang, strangers who say nothing, odd requests."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from tests.robustness.test_supervisors import RawSupervisor, request
from ubersim.client import connect
from ubersim.client.supervisor import supervise
from ubersim.protocol import Ack
from ubersim.protocol.supervisor_events import RequestDone, RequestFailed
from ubersim.recording import Log, Recorder
from ubersim.server import ReplayOutcome, ReplayServer, serve_log
from ubersim.simulation import Simulation
from ubersim.transport.listen import listen

FRAMES = 40
DOCUMENT = cart()


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path, simulation = tmp_path_factory.mktemp("log") / "run.mcap", Simulation()
    with Recorder(simulation, path, poses=1):
        serving = Serving(simulation, FRAMES, clients=1)
        RawClient(serving.port, DOCUMENT).serve_to_the_end()
        serving.result()
    return path


class Replaying:
    """A server of a log in a thread of its own."""

    def __init__(self, server: ReplayServer) -> None:
        self.server, self.port = server, server.address.port
        self.outcome: ReplayOutcome | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self.outcome = self.server.run()

    def stop(self) -> None:
        """As a signal does."""
        self.server.stop()
        self._thread.join(60)
        assert not self._thread.is_alive(), "it cannot be stopped"


@pytest.fixture
def replaying(log: Path) -> Iterator[Replaying]:
    with Log(log) as opened, listen("127.0.0.1", 0) as listener, ReplayServer(opened, listener, robot="Cart") as server:
        running = Replaying(server)
        yield running
        running.stop()


def test_a_program_that_hangs_keeps_nobody_waiting(replaying: Replaying) -> None:
    program = RawClient(replaying.port, DOCUMENT)
    program.welcome()
    program.frame()  # and not a word
    with supervise(port=replaying.port) as world:
        assert world.truth().frame == 0
        world.pause()
    replaying.stop()
    assert replaying.outcome is not None and replaying.outcome.ended == "it was stopped"
    program.close()


def test_a_second_program_is_told(replaying: Replaying) -> None:
    program = RawClient(replaying.port, DOCUMENT)
    program.welcome()
    program.frame()
    second = RawClient(replaying.port, DOCUMENT)
    assert "has its program already" in second.error()
    program.send(Ack(0.0))
    assert program.frame() is not None
    program.close()


def answers(supervisor: RawSupervisor, count: int) -> list[int]:
    """The numbers of the requests that are answered, done or failed, in their order."""
    found: list[int] = []
    while len(found) < count and (data := supervisor.socket.recv(1 << 16)):
        supervisor.wire.receive_data(data)
        events = supervisor.wire.events()
        found += sorted(event.id for event in events if isinstance(event, RequestDone | RequestFailed))
    return sorted(found)


def test_nothing_that_supervisors_ask_for_ends_it(log: Path) -> None:
    """What would change the recorded run is refused, or undone by the next frame that is gone to."""
    with Log(log) as opened, listen("127.0.0.1", 0) as listener, ReplayServer(opened, listener) as server:
        running = Replaying(server)
        asked = RawSupervisor(running.port)
        requests: list[tuple[str, dict[str, Any]]] = [
            ("Teleport", {"thing": "Cart", "position": [0, 0, 5]}), ("Remove", {"thing": "Cart"}),
            ("Spawn", {"xml": cart("Other", x=3.0)}), ("Reset", {}), ("Snapshot", {"label": "a"}),
            ("Restore", {"label": "a"}), ("Push", {"body": "Cart/Base", "force": [1e9, 0, 0], "seconds": 9.0}),
            ("Set", {"robot": "Cart", "component": "Motor", "property": "Vel", "value": 9.0}),
            ("Latency", {"robot": "Cart", "milliseconds": 5.0}), ("Seek", {"to": -1}), ("Seek", {"to": 10**30}),
            ("Step", {"frames": 10**12}), ("Pause", {}), ("Seek", {"to": 7}), ("Truth", {}), ("Scene", {}),
        ]  # fmt: skip
        asked.socket.sendall(b"".join(request(verb, id=n, **given) for n, (verb, given) in enumerate(requests)))
        assert answers(asked, len(requests)) == list(range(len(requests)))
        with supervise(port=running.port) as world:
            world.seek(5)
            truth = world.truth()
            assert truth.frame == 5 and truth.legend["bodies"] == ["Cart/Base", "Cart/Wheel"]
            state = opened.at(5 * opened.step).states
            assert tuple(truth.positions[0]) == tuple(state["Cart", "Base"][:3])
        running.stop()


def test_strangers_do_not_keep_a_real_robots_program_out(log: Path) -> None:
    outcomes: list[ReplayOutcome] = []
    with Log(log) as opened, listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        serve = threading.Thread(
            target=lambda: outcomes.append(serve_log(opened, "Cart", listener, print)), daemon=True
        )
        serve.start()
        with socket.create_connection(("127.0.0.1", port)) as silent, socket.create_connection(("127.0.0.1", port)):
            silent.sendall(b"<Client>")
            with connect(DOCUMENT, port=port) as robot:
                assert sum(1 for _ in robot) == FRAMES
        serve.join(60)
    assert outcomes and outcomes[0].difference == ""
