"""Any frame of a log, to the bit: against a log of the same run that keeps every frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.helpers.robots import cart, segway
from ubersim.errors import UberSimError
from ubersim.recording import Log, Recorder, exact_states, time_travel
from ubersim.recording.block import bodies_of, state_of
from ubersim.recording.exact_states import ExactStates
from ubersim.recording.time_travel import TimeTravel
from ubersim.simulation import Simulation


def record(path: Path, poses: int | None) -> None:
    """A Segway that falls, a cart that comes, is driven, is pushed and goes, a jump back in time."""
    simulation = Simulation()
    with simulation, Recorder(simulation, path, poses=poses):
        simulation.spawn(segway())
        simulation.step(333)
        cart_ = simulation.spawn(cart(latency="7", x=2.0))
        for speed in range(6):
            cart_.command("Motor", "Vel", float(speed))
            simulation.step(50)
        start = simulation.snapshot()
        simulation.push("Cart", (30.0, 0.0, 0.0), 0.05)
        simulation.step(300)
        simulation.restore(start)
        simulation.step(120)
        simulation.remove("Cart")
        simulation.step(150)


def test_frames_that_were_not_kept_are_as_they_were(tmp_path: Path) -> None:
    for name, poses in (("some", None), ("every", 1)):
        record(tmp_path / f"{name}.mcap", poses)
    with Log(tmp_path / "some.mcap") as some, Log(tmp_path / "every.mcap") as every:
        exact = ExactStates(some)
        guessed = 0
        for frame in (3, 457, 458, 459, 321, 640, 1100, 1101, 777, 5, 951):
            likely, true = some.between(frame * some.step), every.at(frame * some.step)
            refined = exact.refined(likely)
            assert refined.frame == true.frame == frame
            assert refined.states.keys() == true.states.keys()
            for body, state in true.states.items():
                assert (refined.states[body] == state).all(), (frame, body)
                guessed += not np.array_equal(likely.states[body], state)
        assert guessed > 20


def test_a_run_that_goes_another_way_now_is_left_as_it_is_likely(tmp_path: Path) -> None:
    record(tmp_path / "run.mcap", None)
    with Log(tmp_path / "run.mcap") as log:
        exact = ExactStates(log)
        likely = log.between(0.457)
        assert exact.refined(log.between(0.703)).frame == 703
        travel = exact._travel
        assert travel is not None
        travel._snapshots = {0: (10**6, log.start)}  # no such place: the log ends before it
        travel.simulation.remove("Cart")
        travel.simulation.remove("Segway")
        assert exact.refined(likely) is likely
        kept = log.between(0.45)
        assert exact.refined(kept) is kept


def test_time_travel_frame_by_frame_back_and_forth(tmp_path: Path) -> None:
    record(tmp_path / "every.mcap", 1)
    with Log(tmp_path / "every.mcap") as log:
        travel = TimeTravel(log)
        simulation = travel.simulation
        for frame in (0, 1, 2, 1, 400, 399, 398, 399, 332, 333, 334, 640, 1000, 1052, 1053, 1203, 1202, 700, 0, 1203):
            travel.go(frame)
            assert travel.frame == frame and travel.simulation is simulation
            if frame < log.last:
                states = dict(zip(bodies_of(simulation), state_of(simulation.world), strict=True))
                then = log.at(frame * log.step).states
                assert states.keys() == then.keys() and all((states[body] == then[body]).all() for body in then), frame
        with pytest.raises(UberSimError, match="has the frames 0 to 1203, not 1204"):
            travel.go(log.last + 1)


def test_what_is_too_far_away_stays_likely(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(tmp_path / "some.mcap", None)
    with Log(tmp_path / "some.mcap") as log:
        likely = log.between(0.103)
        assert ExactStates(log).refined(likely) is not likely
        monkeypatch.setattr(exact_states, "FARTHEST", 50)
        assert ExactStates(log).refined(likely) is likely


def test_travels_through_time_keep_every_other_snapshot_where_there_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_travel, "KEPT", 3)
    record(tmp_path / "some.mcap", None)
    with Log(tmp_path / "some.mcap") as log:
        digests = []
        for way in ((log.last, 150), (150,)):
            travel = TimeTravel(log)
            for frame in way:
                travel.go(frame)
                assert len(travel._snapshots) <= 3
            digests.append(travel.simulation.digest())
            travel.close()
    assert digests[0] == digests[1]
