"""What a scripted server says to a client: a welcome that fits its robot, and frames with plausible readings."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ubersim.components.sensors.compression import PictureCompression
from ubersim.protocol import Welcome
from ubersim.protocol.server_lane import FrameWriter
from ubersim.protocol.welcome import about_server
from ubersim.simulation import Simulation
from ubersim.simulation.introduction import introduction_of
from ubersim.simulation.robot import Robot

_SWING = 0.02
"""How far readings go from zero."""
_LEVEL = bytes(4)
"""What a switchable camera's reading begins with."""


@dataclass(frozen=True)
class Script:
    """One robot's world, as far as its client can tell."""

    robot: Robot
    welcome: Welcome
    step: float
    compression: PictureCompression

    @staticmethod
    def of(document: str, end_frame: int) -> Script:
        """For the robot that a client brings along; refuses what a server would refuse."""
        simulation = Simulation()
        robot = simulation.spawn(document)
        compression = PictureCompression(robot.description)
        about = compression.introduced(introduction_of(robot))
        if robot.description.settings.protocol >= 2:
            about |= about_server(simulation.description.title, end_frame)
        # A key that no client knows: newer servers may say more.
        about["weather"] = {"sun": True}
        welcome = Welcome.introducing(about, step=simulation.step_size, frame=0)
        return Script(robot, welcome, simulation.step_size, compression)

    @property
    def version(self) -> int:
        """Of the protocol that the client asks for."""
        return self.welcome.protocol

    def time(self, number: int) -> float:
        """Of a frame [s]."""
        return number * self.step

    def frame(self, number: int, *, times: int = 1) -> bytes:
        """The bytes of a frame in which every sensor delivers so many times; in the first none does."""
        told = self.welcome.sensors or {}
        readings = [
            (name, _reading(about, number, self.time(number)))
            for name, about in (told.items() if number else ())
            for _ in range(times)
        ]
        return bytes(FrameWriter().frame(self.time(number), self.compression.compressed(readings)))


def _reading(about: Mapping[str, Any], number: int, time: float) -> bytes:
    stamp = struct.pack("<d", time) if about["stamped"] else b""
    if "levels" in about:
        form = about["levels"]["0"]
        return stamp + _LEVEL + _values(form["dtype"], form["shape"], number)
    return stamp + _values(about["dtype"], about["shape"], number)


def _values(dtype: str, shape: list[int], number: int) -> bytes:
    kind = np.dtype(dtype)
    count = 0 if -1 in shape else math.prod(shape)
    if kind.kind == "f":
        return np.full(count, _SWING * math.sin(0.3 * number), kind).tobytes()
    return bytes(count * kind.itemsize)
