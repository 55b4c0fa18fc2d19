"""Signals of ROS 2 bags: `/cmd_vel.linear.x`, `/joint_states.velocity[0]`. The only import of rosbags, an extra."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ubersim.errors import UberSimError
from ubersim.signals.signal import Signal
from ubersim.signals.source import SignalSource

_INDEX = re.compile(r"(\w+)\[(\d+)\]")


class RosBag(SignalSource):
    """Times are those of the bag, stamps those of the headers."""

    def signal(self, topic: str) -> Signal:
        name, *fields = topic.split(".")
        times, values, stamps = [], [], []
        with self._opened() as reader:
            connections = [one for one in reader.connections if one.topic == name]
            if not connections:
                raise self.unknown(topic)
            for connection, nanoseconds, data in reader.messages(connections):
                message = reader.deserialize(data, connection.msgtype)
                times.append(nanoseconds * 1e-9)
                values.append(_field(message, fields or ["data"], topic))
                stamps.append(_stamp(message))
        return Signal.of(topic, np.array(times), np.array(values), np.array(stamps))

    def topics(self) -> list[str]:
        with self._opened() as reader:
            return sorted({f"{one.topic} ({one.msgtype})" for one in reader.connections})

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        try:
            from rosbags.highlevel import AnyReader, AnyReaderError
            from rosbags.typesys import Stores, get_typestore
        except ImportError:
            raise UberSimError("ROS bags need rosbags: pip install 'ubersim[identify]'") from None
        try:
            reader = AnyReader([Path(self.path)], default_typestore=get_typestore(Stores.ROS2_HUMBLE))
            reader.open()
        except AnyReaderError as error:
            raise UberSimError(f"{self.path} is no ROS bag: {error}") from None
        try:
            yield reader
        finally:
            reader.close()


def _field(message: Any, fields: list[str], topic: str) -> float:
    """Follows a path such as `twist.linear.x` or `velocity[0]`."""
    value = message
    for field in fields:
        indexed = _INDEX.fullmatch(field)
        try:
            value = getattr(value, indexed[1] if indexed else field)
            value = value[int(indexed[2])] if indexed else value
        except (AttributeError, IndexError):
            known = ", ".join(name for name in getattr(value, "__dataclass_fields__", ()) if not name.startswith("__"))
            raise UberSimError(f"{topic}: there is no {field!r}; there is {known or 'nothing more'}") from None
    try:
        return float(value)
    except (TypeError, ValueError):
        known = ", ".join(name for name in getattr(value, "__dataclass_fields__", ()) if not name.startswith("__"))
        raise UberSimError(f"{topic} is no number; it has {known or 'no fields'}") from None


def _stamp(message: Any) -> float:
    """Of the header [s]; nan if there is none, or if it was never set."""
    stamp = getattr(getattr(message, "header", None), "stamp", None)
    seconds = float("nan") if stamp is None else stamp.sec + stamp.nanosec * 1e-9
    return seconds or float("nan")
