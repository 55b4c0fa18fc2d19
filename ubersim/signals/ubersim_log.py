"""Signals of our own logs: the topics that `ubersim plot` knows."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ubersim.errors import UberSimError
from ubersim.recording.log import Log
from ubersim.recording.tables import collect, topics
from ubersim.signals.signal import Signal
from ubersim.signals.source import SignalSource


class UberSimLog(SignalSource):
    """`/Segway/Tilt`, `/Segway/LMotor/Vel`, `/Segway/MainBody/pose.z`; `/Car/Imu.force.x` for one value."""

    sent = False

    @staticmethod
    def is_one(path: Path) -> bool:
        """Whether an MCAP file is a log of ours."""
        try:
            with Log(path):
                return True
        except UberSimError:
            return False

    def signal(self, topic: str) -> Signal:
        with Log(self.path) as log:
            table = collect(log, [topic])[topic]
            if len(table.columns) > 1:
                raise UberSimError(f"{topic} has several columns: say {table.topic}.{' or .'.join(table.columns)}")
            return Signal.of(topic, (table.frames * log.step).astype(np.float64), table.values[:, 0], table.stamps)

    def topics(self) -> list[str]:
        with Log(self.path) as log:
            return list(topics(log))
