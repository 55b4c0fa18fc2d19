"""What one client may have under way, or waiting for its stamp, is limited: by what it says, and by nothing else."""

import pytest

from tests.timing.test_lockstep import schedule
from ubersim.errors import RemoteProtocolError
from ubersim.timing.latency import Constant, generator
from ubersim.timing.lockstep import MAX_AHEAD, MAX_BYTES, MAX_CHANGES, MAX_COMMANDS, CommandSchedule


def test_stamps_too_far_ahead_are_refused() -> None:
    clock = schedule()
    clock.stamp(MAX_AHEAD)
    with pytest.raises(RemoteProtocolError, match="more than 1000000 frames ahead of 0"):
        clock.stamp(MAX_AHEAD + 1)


def test_commands_waiting_for_their_stamp_are_limited() -> None:
    clock = schedule()
    for _ in range(MAX_COMMANDS):
        clock.receive(5, "x")
    with pytest.raises(RemoteProtocolError, match="waiting for the time of their stamp"):
        clock.receive(5, "x")


def flood(clock: CommandSchedule[str]) -> int:
    for count in range(10**6):
        try:
            clock.receive(None, "x")
        except RemoteProtocolError as error:
            assert "commands are under way" in str(error)
            return count
    raise AssertionError("no limit")


def test_commands_under_way_are_limited_whatever_the_server_has_executed() -> None:
    fast, slow = schedule(Constant(1)), schedule(Constant(1))
    for clock in (fast, slow):
        clock.receive(None, "x")
        clock.ack(0)
    fast.due(1)
    assert MAX_COMMANDS < flood(fast) == flood(slow) <= 2 * MAX_COMMANDS


def test_bytes_under_way_are_limited_whatever_the_server_has_executed() -> None:
    """By what the client has sent and acknowledged, and by nothing else."""
    counts = []
    for executes in (True, False):
        clock: CommandSchedule[str] = CommandSchedule(
            Constant(1000), 0.001, generator(1), first_frame=0, size=lambda command: 2**20
        )
        count = 0
        with pytest.raises(RemoteProtocolError, match=f"more than {MAX_BYTES} bytes of commands are under way"):
            for frame in range(100):
                for _ in range(10):
                    clock.receive(None, "x")
                    count += 1
                clock.ack(frame)
                if executes:
                    clock.due(frame)
        counts.append(count)
    assert counts[0] == counts[1] and MAX_BYTES < counts[0] * 2**20 <= 2 * MAX_BYTES + 2**20


def test_bytes_that_were_executed_do_not_count() -> None:
    clock: CommandSchedule[str] = CommandSchedule(Constant(1), 0.001, generator(1), size=lambda command: 2**20)
    for frame in range(1000):
        clock.receive(None, "x")
        clock.ack(frame)


def test_bytes_waiting_for_their_stamp_are_limited() -> None:
    clock: CommandSchedule[str] = CommandSchedule(Constant(0), 0.001, generator(1), size=lambda command: 2**20)
    for _ in range(3):  # what has entered waits no more
        clock.receive(clock.first + 5, "x")
        clock.ack(clock.first + 5)
    for _ in range(MAX_BYTES >> 20):
        clock.receive(clock.first + 5, "x")
    with pytest.raises(RemoteProtocolError, match="bytes are waiting for the time of their stamp"):
        clock.receive(clock.first + 5, "x")


def test_many_commands_over_time_are_no_flood() -> None:
    clock = schedule(Constant(1))
    executed = 0
    for frame in range(400):
        for _ in range(500):
            clock.receive(None, "x")
        clock.ack(frame)
        executed += len(clock.due(frame))
    assert executed == 399 * 500


def test_changes_under_way_are_limited() -> None:
    clock = schedule(Constant(20))
    for _ in range(MAX_CHANGES):
        clock.receive_latency(None, 20)
    with pytest.raises(RemoteProtocolError, match="1024 changes of latency are under way"):
        clock.receive_latency(None, 20)
