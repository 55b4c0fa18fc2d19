"""The truth of a log that is replayed: readings are those that were the newest then, also after a jump back in time."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from tests.helpers.robots import cart
from ubersim.recording import Log, Recorder
from ubersim.recording.time_travel import TimeTravel
from ubersim.server.logged_truth import LoggedTruth
from ubersim.simulation import Simulation
from ubersim.supervision.ground_truth import GroundTruthSource

SENSORS = ("Cart/Tilt", "Cart/Gyro", "Late/Tilt")
RARE = "<Frequency>50</Frequency>"


def document(name: str) -> str:
    gyro = '<GyroSensor name="Gyro"><Position><x>0</x><y>0</y><z>0</z></Position>'
    stamped = f"{gyro}<Stamped>true</Stamped><Latency>7</Latency>{RARE}</GyroSensor>"
    return cart(name, sensor=f"{RARE}<Latency>12</Latency>").replace(
        "<InclinometerSensor", f"{stamped}<InclinometerSensor"
    )


def readings(truth: GroundTruthSource) -> list[Any]:
    return [None if (told := truth.reading(name)) is None else (told.captured, told.payload) for name in SENSORS]


def test_readings_are_the_newest_of_then_whatever_came_between(tmp_path: Path) -> None:
    path, simulation = tmp_path / "run.mcap", Simulation()
    then: list[list[Any]] = []

    def go(frames: int) -> None:
        for _ in range(frames):
            simulation.begin_frame()
            simulation.settle_frame()
            then.append(readings(truth))
            simulation.finish_frame()

    truth = GroundTruthSource(simulation)
    with Recorder(simulation, path, poses=1):
        simulation.spawn(document("Cart"))
        go(130)
        snapshot = simulation.snapshot()
        simulation.push("Cart/Base", (0.0, 300.0, 0.0), 0.05)
        go(100)
        simulation.restore(snapshot)
        go(45)
        simulation.spawn(document("Late"))
        go(60)
        simulation.remove("Late")
        go(30)
        simulation.spawn(document("Late"))
        go(60)
    assert None in then[280] and None not in then[310]
    with Log(path) as log, closing(TimeTravel(log)) as travel:
        logged = LoggedTruth(log, travel)
        for frame in np.random.default_rng(1).permutation(len(then)).tolist():
            travel.go(frame)
            assert (frame, readings(logged)) == (frame, then[frame])
