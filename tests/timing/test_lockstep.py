"""Lockstep against a plain model that sees all of a client's messages up front, for thousands of random schedules."""

import json
import random
from dataclasses import dataclass

import pytest

from ubersim.errors import RemoteProtocolError
from ubersim.timing.latency import Constant, LatencyModel, frames_in, generator
from ubersim.timing.lockstep import CommandSchedule
from ubersim.timing.normal import Normal
from ubersim.timing.uniform import Uniform

STEP = 0.001
FRAMES = 25


@dataclass(frozen=True)
class Send:
    """A command, or a change of latency."""

    stamp: int | None
    latency: float | None
    number: int


@dataclass(frozen=True)
class Acknowledge:
    frame: int


Script = list[Send | Acknowledge]


@dataclass(frozen=True)
class Client:
    name: str
    model: LatencyModel
    joins: int
    script: Script


def random_model(rng: random.Random) -> LatencyModel:
    order = rng.choice(["keep", "break"])
    loss = rng.choice([0.0, 0.0, 0.2])
    low = rng.choice([0, 0, 1, 2.5, 7])
    parameters: list[dict[str, object]] = [
        {"kind": "constant", "value": low},
        {"kind": "uniform", "min": low, "max": low + rng.choice([0, 1, 9])},
        {"kind": "normal", "mean": low + 3, "sigma": 3, "min": low},
    ]
    return LatencyModel.from_dict({**rng.choice(parameters), "order": order, "loss": loss})


def random_script(rng: random.Random, joins: int, changes: float) -> Script:
    script: Script = []
    acked, number = joins - 1, 0
    while acked < FRAMES:
        for _ in range(rng.choice([0, 1, 1, 2, 4])):
            ahead = rng.choice([None, 0, 0, 1, 2, 5, 12])
            latency = rng.choice([0, 0.5, 1, 3, 8]) if rng.random() < changes else None
            script.append(Send(None if ahead is None else acked + 1 + ahead, latency, number))
            number += 1
        acked = min(FRAMES, acked + rng.choice([1, 1, 1, 2, 4]))
        script.append(Acknowledge(acked))
        if rng.random() < 0.1:
            script.append(Acknowledge(acked - rng.randrange(3)))  # repeated or old: harmless
    return script


def random_client(rng: random.Random, number: int) -> Client:
    joins = rng.choice([0, 0, 3])
    return Client(f"robot{number}", random_model(rng), joins, random_script(rng, joins, rng.choice([0.0, 0.1, 0.5])))


@dataclass(frozen=True)
class Change:
    stamp: int
    arrival: int
    effective: int
    latency: float


def plain_model(client: Client) -> tuple[dict[int, list[int]], list[Change]]:
    """Execution frame -> commands, and all changes of latency: each command by the latency in force at its stamp."""
    stamped: list[tuple[int, int, Send]] = []
    acked = client.joins - 1
    for arrival, message in enumerate(client.script):
        if isinstance(message, Send):
            stamped.append((acked + 1 if message.stamp is None else message.stamp, arrival, message))
        else:
            acked = max(acked, message.frame)
    rng = client.model.generator(0, client.name)
    executed: dict[int, list[tuple[int, int]]] = {}
    changes: list[Change] = []
    latest = -1
    for order, (stamp, arrival, message) in enumerate(sorted(stamped, key=lambda entry: entry[:2])):
        if client.model.loss > 0 and rng.random() < client.model.loss:
            continue
        in_force = [change for change in changes if change.effective <= stamp]
        if in_force:
            delay = frames_in(max(in_force, key=lambda change: (change.effective, changes.index(change))).latency, STEP)
        else:
            delay = frames_in(client.model.draw(rng, {}), STEP)
        frame = stamp + delay
        if client.model.order == "keep":
            frame = latest = max(frame, latest)
        if message.latency is None:
            executed.setdefault(frame, []).append((order, message.number))
        else:
            changes.append(Change(stamp, arrival, frame, message.latency))
    return {frame: [number for _, number in sorted(due)] for frame, due in executed.items()}, changes


def plain_horizon(client: Client, changes: list[Change], acked: int, delivered: int) -> int:
    """By trying every stamp: the latency in force there, as far as it is settled."""
    settled = [change for change in changes if change.arrival < delivered and change.stamp <= acked + 1]
    settled.sort(key=lambda change: change.effective)  # stable: of those in the same frame the later one stays last

    def smallest(stamp: int) -> int:
        in_force = [change.latency for change in settled if change.effective <= stamp]
        return frames_in(in_force[-1] if in_force else client.model.minimum, STEP)

    first = acked + 1
    reach = smallest(first)  # stamps beyond it are executed later than a command stamped now
    return min(stamp + smallest(stamp) for stamp in range(first, first + reach + 1)) - 1


class Peer:
    """A client's messages on their way to its schedule."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.schedule: CommandSchedule[int] = CommandSchedule(
            client.model, STEP, client.model.generator(0, client.name), first_frame=client.joins
        )
        self.delivered = 0

    @property
    def finished(self) -> bool:
        return self.delivered == len(self.client.script)

    def deliver(self, sent: int) -> bool:
        """Delivers the next message, if the client can have sent it already; of an ack at least what can be said."""
        message = self.client.script[self.delivered]
        if isinstance(message, Send):
            if message.latency is None:
                self.schedule.receive(message.stamp, message.number)
            else:
                self.schedule.receive_latency(message.stamp, message.latency)
        elif message.frame > sent:
            before = self.schedule.acked
            self.schedule.ack(sent, sent)
            return sent > before
        else:
            self.schedule.ack(message.frame, sent)
        self.delivered += 1
        return True


def run(clients: list[Client], rng: random.Random) -> list[tuple[int, str, int]]:
    """Executions (frame, client, command), with the server and the clients taking turns at random."""
    peers = [Peer(client) for client in clients]
    plain = {client.name: plain_model(client)[1] for client in clients}
    eager = rng.random()
    executed: list[tuple[int, str, int]] = []
    frame = 0
    while True:
        present = [peer for peer in peers if peer.client.joins <= frame]
        open_peers = [peer for peer in present if not peer.finished]
        may_step = all(peer.schedule.horizon >= frame for peer in present)
        if frame > FRAMES:
            return executed
        progress = False
        if may_step and (rng.random() < eager or not open_peers):
            for peer in present:
                executed += [(frame, peer.client.name, number) for number in peer.schedule.due(frame)]
            frame += 1
            progress = True
        rng.shuffle(open_peers)
        for peer in open_peers:
            before = peer.schedule.horizon
            progress |= peer.deliver(sent=frame)
            horizon = plain_horizon(peer.client, plain[peer.client.name], peer.schedule.acked, peer.delivered)
            assert peer.schedule.horizon == horizon >= before
            if rng.random() < 0.5:
                break
        assert progress or may_step or any(peer.schedule.acked < frame for peer in open_peers), "stuck"


@pytest.mark.parametrize("chunk", range(20))
def test_random_schedules_equal_the_plain_model(chunk: int) -> None:
    for number in range(100):
        rng = random.Random(1000 * chunk + number)
        clients = [random_client(rng, index) for index in range(rng.choice([1, 1, 2, 3]))]
        executed = run(clients, rng)
        expected = {
            (frame, client.name): due
            for client in clients
            for frame, due in plain_model(client)[0].items()
            if frame <= FRAMES
        }
        seen: dict[tuple[int, str], list[int]] = {}
        for frame, name, command in executed:
            seen.setdefault((frame, name), []).append(command)
        assert seen == expected, (chunk, number)


def schedule(model: LatencyModel | None = None, first_frame: int = 0) -> CommandSchedule[str]:
    model = model or Constant(0)
    return CommandSchedule(model, STEP, model.generator(0, "robot"), first_frame=first_frame)


@pytest.mark.parametrize("latency", [0, 1, 7.5, 20])
@pytest.mark.parametrize("step", [0.001, 0.004])
def test_constant_latency_looks_exactly_that_far_ahead(latency: float, step: float) -> None:
    frames = frames_in(latency, step)
    clock: CommandSchedule[str] = CommandSchedule(Constant(latency), step, generator(0, "x"), first_frame=5)
    assert (clock.acked, clock.first, clock.horizon, clock.leave_frame) == (4, 5, 4 + frames, 5 + frames)
    clock.receive(None, "go")
    for frame in range(5, 40):
        clock.ack(frame)
        assert clock.horizon == frame + frames
    assert [frame for frame in range(40) if clock.due(frame)] == [5 + frames]


def test_a_random_latency_looks_as_far_ahead_as_its_minimum() -> None:
    assert schedule(Uniform(4, 30)).horizon == 3
    assert schedule(Normal(20, 5, min=2.5)).horizon == 2


def test_a_longer_latency_extends_the_horizon_only_when_it_is_in_force() -> None:
    clock = schedule(Constant(2))
    clock.receive_latency(None, 10)  # stamped 0, in force at 2
    assert clock.horizon == 1
    clock.ack(0)
    assert clock.horizon == 2  # a command stamped 1 still takes 2 frames
    clock.receive(None, "early")
    clock.ack(1)
    assert clock.horizon == 11  # from stamp 2 on it is 10
    clock.receive(None, "late")
    clock.ack(2)
    assert {frame: due for frame in range(13) if (due := clock.due(frame))} == {3: ["early"], 12: ["late"]}


def test_a_shorter_latency_holds_the_horizon_back_in_time() -> None:
    clock = schedule(Constant(10, order="break"))
    clock.receive_latency(None, 0)  # stamped 0, in force at 10
    assert clock.horizon == 9
    for frame in range(9):
        clock.ack(frame)
        assert clock.horizon == 9  # the command stamped 10 is executed in frame 10
    clock.ack(9)
    assert clock.horizon == 9
    clock.receive(None, "now")
    clock.ack(10)
    assert clock.horizon == 10
    assert clock.due(9) == []
    assert clock.due(10) == ["now"]


def test_a_change_governs_what_is_sent_after_it_in_the_same_frame() -> None:
    clock = schedule(Constant(0, order="break"))
    clock.receive(None, "before")
    clock.receive_latency(None, 3)
    clock.receive(None, "after")
    clock.ack(0)
    assert clock.horizon == 3
    assert [clock.due(frame) for frame in range(4)] == [["before"], [], [], ["after"]]


def test_commands_with_later_stamps_take_the_latency_in_force_then() -> None:
    clock = schedule(Constant(1))
    clock.receive(5, "five")
    clock.receive(3, "three")
    clock.receive_latency(2, 4)  # in force at 3
    for frame in range(9):
        clock.ack(frame)
    assert {frame: due for frame in range(12) if (due := clock.due(frame))} == {7: ["three"], 9: ["five"]}


def test_a_stamp_holds_until_it_is_acknowledged() -> None:
    clock = schedule(Constant(0))
    clock.stamp(2)
    clock.receive(None, "two")
    clock.ack(0)
    clock.receive(None, "two as well")
    clock.ack(2)
    clock.receive(None, "three")
    clock.ack(3)
    assert [clock.due(frame) for frame in range(4)] == [[], [], ["two", "two as well"], ["three"]]


@pytest.mark.parametrize("stamp", [-1, 0, 6])
def test_stale_stamps_are_refused(stamp: int) -> None:
    clock = schedule()
    clock.ack(6)
    reason = f"stamp of frame {stamp} is stale: frame 6 is acknowledged"
    with pytest.raises(RemoteProtocolError, match=reason):
        clock.stamp(stamp)
    with pytest.raises(RemoteProtocolError, match=reason):
        clock.receive(stamp, "x")
    with pytest.raises(RemoteProtocolError, match=reason):
        clock.receive_latency(stamp, 1)
    clock.receive(7, "x")


def test_instants_between_frames() -> None:
    clock = schedule(Constant(3))
    clock.ack_at(0.0)
    for stale in (0.0, 0.0005, 0.00099, -1e300):
        with pytest.raises(RemoteProtocolError, match="s is stale: it lies before frame 1"):
            clock.stamp_at(stale)
    with pytest.raises(RemoteProtocolError, match="frames ahead"):
        clock.stamp_at(1e300)
    clock.receive(None, "without")
    clock.stamp_at(0.0025)
    clock.receive(None, "between")
    clock.ack_at(0.0035, sent=3)  # between frames 3 and 4: only 3 is done with
    assert clock.acked == 3
    assert {frame: due for frame in range(7) if (due := clock.due(frame))} == {4: ["without"], 6: ["between"]}


def test_acks_beyond_what_was_sent_are_refused() -> None:
    clock = schedule(Constant(5))
    clock.ack(3, sent=3)
    with pytest.raises(RemoteProtocolError, match="frame 5 is acknowledged, but the last one sent is 4"):
        clock.ack(5, sent=4)
    assert (clock.acked, clock.leave_frame) == (3, 9)
    clock.ack(1, sent=4)
    assert clock.acked == 3


@pytest.mark.parametrize("acked", [60, 69])
def test_what_took_effect_does_not_depend_on_how_far_the_client_has_come(acked: int) -> None:
    """A supervisor's model, with loss, and a frame later the client's own number; so late, or at once."""
    model = Uniform(10, 30, loss=0.5, seed=3)
    clock = schedule(Constant(20))
    clock.receive_latency(50, 5.0)
    clock.change_latency(68, model)
    clock.ack(60)
    told = []
    for frame in range(71):
        if frame == 65:
            kept = clock.state()
            clock = schedule(Constant(20))
            clock.restore(kept)
            clock.ack(acked)
        clock.due(frame)
        told += [(frame, str(latency)) for latency in clock.changed]
    assert told == [(69, "uniform, 10 to 30 ms, loses 50 %"), (70, "5 ms, loses 50 %")]


@pytest.mark.parametrize("latency", [-1.0, 60_001.0, 3e38])
def test_senseless_latencies_are_refused(latency: float) -> None:
    with pytest.raises(RemoteProtocolError, match="a latency must be between 0 and 60000 ms"):
        schedule().receive_latency(None, latency)


def test_a_state_that_was_taken_knows_nothing_of_later_commands() -> None:
    clock = schedule(Constant(1))
    clock.receive(None, "x")
    state = clock.state()
    kept = json.dumps(state)
    clock.receive(None, "y")
    clock.ack(5)
    assert json.dumps(state) == kept


def test_a_frame_beyond_the_horizon_cannot_be_executed() -> None:
    with pytest.raises(AssertionError, match="commands can still come for 0"):
        schedule().due(0)


@pytest.mark.parametrize("seed", range(20))
def test_a_restored_schedule_goes_on_exactly(seed: int) -> None:
    rng = random.Random(seed)
    client = random_client(rng, 0)
    whole, first = Peer(client), Peer(client)
    half = len(client.script) // 2
    for peer, count in ((whole, len(client.script)), (first, half)):
        for _ in range(count):
            assert peer.deliver(sent=10**6)
    second = Peer(client)
    second.schedule.restore(json.loads(json.dumps(first.schedule.state(str))), int)
    assert second.schedule.horizon == first.schedule.horizon
    second.delivered = half
    while not second.finished:
        second.deliver(sent=10**6)
    ends = whole.schedule.horizon, second.schedule.horizon
    assert ends[0] == ends[1]
    assert whole.schedule.due(ends[0]) == second.schedule.due(ends[1])
