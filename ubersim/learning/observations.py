"""What a policy sees: the newest reading of each sensor, held until the next, and how old it is."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Space
from numpy.typing import NDArray

from ubersim.components.sensors.camera import CameraSensor
from ubersim.components.sensors.channel import Channel
from ubersim.errors import UberSimError
from ubersim.simulation.robot import Robot

AGE = "Age"
"""Of each sensor's reading [s], in the order in which they were named; -1 before the first."""
EXTRA = "Task"
"""What the task tells beside the sensors, e.g. where to go."""
PAST = "Past"
"""The last actions, oldest first."""


class ObservationMap:
    """Sensors of one robot, as arrays for a policy."""

    def __init__(self, robot: Robot, sensors: Sequence[str], *, extra: int, past: tuple[int, int], flat: bool) -> None:
        """`extra` is how many numbers the task adds, `past` how many actions of how many numbers are remembered."""
        for name in sensors:
            if name not in robot.sensors:
                known = ", ".join(robot.sensors) or "none"
                raise UberSimError(f"{robot.name} has no sensor {name!r} to observe; it has {known}")
        self.names = tuple(sensors)
        self._eyes = [_eye(robot.sensors[name]) for name in sensors]
        self._extra, self._flat = extra, flat
        self._past_size = past[0] * past[1]
        parts: dict[str, Box] = {name: eye.space for name, eye in zip(sensors, self._eyes, strict=True)}
        if sensors:
            parts[AGE] = Box(-1.0, np.inf, (len(sensors),), np.float32)
        if extra:
            parts[EXTRA] = Box(-np.inf, np.inf, (extra,), np.float32)
        if self._past_size:
            parts[PAST] = Box(-1.0, 1.0, (self._past_size,), np.float32)
        if not parts:
            raise UberSimError("a policy that sees nothing learns nothing: `observation` names no sensor")
        pictures = [name for name, eye in zip(sensors, self._eyes, strict=True) if isinstance(eye, _Picture)]
        if flat and pictures:
            raise UberSimError(f"{pictures[0]} takes pictures, which do not go into a flat observation: flat=False")
        self.space: Space[Any] = _flattened(parts) if flat else Dict(parts)  # type: ignore[arg-type]

    def observe(
        self, robot: Robot, now: int, step: float, extra: Sequence[float], past: Sequence[float]
    ) -> NDArray[np.float32] | dict[str, NDArray[Any]]:
        """What there is to see in this frame."""
        channels = robot.sensors
        ages = [
            (now - channels[name].latest_frame) * step if channels[name].latest is not None else -1.0
            for name in self.names
        ]
        if len(extra) != self._extra:
            raise UberSimError(f"the task tells {len(extra)} numbers, but said that there would be {self._extra}")
        if self._flat:
            numbers: list[float] = []
            for name, eye in zip(self.names, self._eyes, strict=True):
                numbers += eye.numbers(channels[name].latest)
            return np.array([*numbers, *ages, *extra, *past], np.float32)
        seen: dict[str, NDArray[Any]] = {
            name: eye.array(channels[name].latest) for name, eye in zip(self.names, self._eyes, strict=True)
        }
        if ages:
            seen[AGE] = np.array(ages, np.float32)
        if extra:
            seen[EXTRA] = np.array(extra, np.float32)
        if self._past_size:
            seen[PAST] = np.array(past, np.float32)
        return seen


class _Numbers:
    """A sensor whose readings are numbers, all of them finite for a policy: what is out of range is at its range."""

    def __init__(self, channel: Channel) -> None:
        about: Any = channel.description
        if any(size < 0 for size in about.shape):
            raise UberSimError(f"{channel.name} has readings of varying length, which no policy takes")
        self._dtype = np.dtype(about.dtype)
        self._shape = tuple(about.shape)
        self._far = float(getattr(about, "range", 0.0) or 0.0)
        if self._far:
            self.space = Box(0.0, np.float32(self._far * 1.5 + 1.0), self._shape, np.float32)
        else:
            self.space = Box(-np.inf, np.inf, self._shape, np.float32)
        self._nothing = np.zeros(self._shape, np.float32)

    def array(self, reading: bytes | None) -> NDArray[Any]:
        """A reading; zeros before the first."""
        if reading is None:
            return self._nothing.copy()
        array = np.frombuffer(reading, self._dtype).reshape(self._shape).astype(np.float32)
        if not np.isfinite(array).all():
            array = np.nan_to_num(array, nan=0.0, posinf=self._far, neginf=0.0)
        return np.clip(array, self.space.low, self.space.high) if self._far else array

    def numbers(self, reading: bytes | None) -> list[float]:
        """The same as a list."""
        values: list[float] = self.array(reading).ravel().tolist()
        return values


class _Number(_Numbers):
    """A sensor that reads one number: the same, in less time."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(channel)
        self._unpack = Struct("<" + self._dtype.char).unpack

    def numbers(self, reading: bytes | None) -> list[float]:
        if reading is None:
            return [0.0]
        (number,) = self._unpack(reading)
        return [number] if number - number == 0.0 else super().numbers(reading)


class _Picture:
    """A camera: red, green and blue."""

    def __init__(self, camera: CameraSensor) -> None:
        self._size = camera.width * camera.height * 4
        self._shape = (camera.height, camera.width, 4)
        self.space = Box(0, 255, (camera.height, camera.width, 3), np.uint8)
        self._nothing = np.zeros(self.space.shape, np.uint8)

    def array(self, reading: bytes | None) -> NDArray[Any]:
        """A picture; black before the first."""
        if reading is None or len(reading) < self._size:
            return self._nothing.copy()
        return np.frombuffer(reading[-self._size :], np.uint8).reshape(self._shape)[:, :, 2::-1].copy()

    def numbers(self, reading: bytes | None) -> list[float]:
        """Flat observations have no pictures."""
        raise NotImplementedError


def _eye(channel: Channel) -> _Numbers | _Picture:
    about = channel.description
    if isinstance(about, CameraSensor):
        return _Picture(about)
    return _Numbers(channel) if about.shape else _Number(channel)


def _flattened(parts: dict[str, Box]) -> Box:
    low = np.concatenate([part.low.ravel() for part in parts.values()])
    high = np.concatenate([part.high.ravel() for part in parts.values()])
    return Box(low.astype(np.float32), high.astype(np.float32), dtype=np.float32)
