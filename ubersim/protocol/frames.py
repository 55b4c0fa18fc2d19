"""A frame as a program sees it: the readings' bytes as numbers and arrays, as the welcome announced them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import RemoteProtocolError, UberSimError
from ubersim.picture_files import PictureFormat, decode_picture
from ubersim.protocol.quantity import from_plain, part_objection, part_of, places, split
from ubersim.protocol.suggestion import suggestion

Value = float | NDArray[Any]
_STAMP = struct.Struct("<d")
_LEVEL = struct.Struct("<I")
_NOTHING: Mapping[str, Any] = {}


class Frame:
    """One frame: its time, and the readings that were delivered in it."""

    __slots__ = ("_features", "_sensors", "captured", "levels", "passed", "readings", "time")

    def __init__(self, time: float, features: Mapping[str, list[str]], sensors: Mapping[str, _Decoder]) -> None:
        self.time = time
        """Simulation time [s]."""
        self._features = features
        self._sensors = sensors
        self.readings: Mapping[str, Value] = _NOTHING
        """The newest reading of each sensor that delivered in this frame, or while the program was thinking."""
        self.captured: Mapping[str, float] = _NOTHING
        """When the readings of stamped sensors were captured [s]."""
        self.levels: Mapping[str, int] = _NOTHING
        """The levels of switchable cameras' readings: 0 image, 1 objects, 2 truth."""
        self.passed: Sequence[Frame] = ()
        """The frames with readings that passed while the program was thinking, oldest first."""

    def __contains__(self, sensor: str) -> bool:
        return sensor in self.readings or ("." in sensor and _has_part(self._sensors, self.readings, sensor))

    def __iter__(self) -> Iterator[str]:
        """The names of the sensors that delivered."""
        return iter(self.readings)

    def __getitem__(self, sensor: str) -> Value:
        """A reading, or by name one value or a group of values of it: `Imu`, `Imu.force.x`, `Imu.force`."""
        if sensor in self.readings:
            return self.readings[sensor]
        name, part = split(sensor, self._sensors)
        if name in self._sensors:
            if part and (reason := part_objection(name, self._sensors[name].quantities, part)):
                raise KeyError(reason)
            if name in self.readings:
                return self._sensors[name].part(self.readings[name], part)
            raise KeyError(f"{name} sent nothing in this frame; `{name!r} in frame` tells")
        raise KeyError(f"there is no sensor {sensor!r}; {suggestion(sensor, self._sensors)}")

    def by_feature(self, feature: str) -> Value | None:
        """The reading of the first sensor with that `Feature` that delivered in this frame; None if none did."""
        return next((self.readings[name] for name in self._features.get(feature, ()) if name in self.readings), None)

    def after(self, passed: Sequence[Frame]) -> Frame:
        """This frame, with the newest readings of those that passed before it."""
        self.passed = [frame for frame in passed if frame.readings]
        for what in ("readings", "captured", "levels"):
            newest: dict[str, Any] = {}
            for frame in (*self.passed, self):
                newest |= getattr(frame, what)
            setattr(self, what, newest)
        return self


class LatestReadings(dict[str, Value]):
    """The newest reading of every sensor that has sent any; single values of it as in `latest["Imu.force.x"]`."""

    def __init__(self, decoder: FrameDecoder) -> None:
        super().__init__()
        self._decoder = decoder

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and self._decoder.has_part(self, name))

    def get(self, name: str, default: Any = None) -> Any:
        """The value, or `default` before the first, and of what there is not."""
        try:
            return self[name]
        except KeyError:
            return default

    def __missing__(self, name: str) -> Value:
        try:
            value = self._decoder.read(name)
        except UberSimError as error:
            raise KeyError(str(error)) from None
        if value is None:
            raise KeyError(f"{name} has sent nothing so far")
        return value


class FrameDecoder:
    """Frames of one robot, from the bytes of its readings."""

    def __init__(self, sensors: Mapping[str, Mapping[str, Any]]) -> None:
        """`sensors` is what the welcome says of them."""
        self._sensors = {name: _Decoder(**about) for name, about in sensors.items()}
        self._labels = {name: {"Type": about["type"], **about.get("labels", {})} for name, about in sensors.items()}
        features = {labels["Feature"] for labels in self._labels.values() if "Feature" in labels}
        self._features = {feature: self.find(feature=feature) for feature in features}
        self.latest: dict[str, Value] = LatestReadings(self)
        """The newest reading of every sensor so far."""

    def read(self, sensor: str) -> Value | None:
        """The newest reading so far, or by name one value or a group of values of it; None before the first."""
        name, part = split(sensor, self._sensors)
        if name not in self._sensors:
            raise UberSimError(f"there is no sensor {sensor!r}; {suggestion(sensor, self._sensors)}")
        reading = dict.get(self.latest, name)
        if not part:
            return reading
        if reason := part_objection(name, self._sensors[name].quantities, part):
            raise UberSimError(reason)
        return None if reading is None else self._sensors[name].part(reading, part)

    def has_part(self, readings: Mapping[str, Value], path: str) -> bool:
        """Whether one of these readings has such a value, or group of values, as `Imu.force.x`."""
        return _has_part(self._sensors, readings, path)

    def find(self, *, feature: str | None = None, type: str | None = None, model: str | None = None) -> list[str]:
        """Names of the sensors with these labels; one without a `Type` has its component's, such as `LidarSensor`."""
        wanted = {"Feature": feature, "Type": type, "Model": model}
        wanted = {label: value for label, value in wanted.items() if value is not None}
        return [name for name, labels in self._labels.items() if wanted.items() <= labels.items()]

    def frame(self, time: float, readings: Iterable[tuple[str, bytes]] = ()) -> Frame:
        """A frame of that time [s] with these readings, name and payload."""
        frame = Frame(time, self._features, self._sensors)
        if not readings:
            return frame
        values: dict[str, Value] = {}
        captured: dict[str, float] = {}
        levels: dict[str, int] = {}
        for name, payload in readings:
            decoder = self._sensors.get(name)
            if decoder is None:
                raise RemoteProtocolError(f"the server sent a reading of {name!r}, which its welcome did not announce")
            if decoder.stamped:
                (captured[name],) = _STAMP.unpack_from(payload)
            values[name] = decoder.value(payload)
            if decoder.levels:
                levels[name] = decoder.level(payload)
        frame.readings, frame.captured, frame.levels = values, captured, levels
        self.latest |= values
        return frame


def _has_part(sensors: Mapping[str, _Decoder], readings: Mapping[str, Value], path: str) -> bool:
    name, part = split(path, sensors)
    return bool(part) and name in readings and bool(places(sensors[name].quantities, part))


def _known_format(compression: str | None) -> PictureFormat | None:
    """What a welcome says that pictures are."""
    match compression:
        case None | "png" | "jpeg" | "lz4":
            return compression
    raise RemoteProtocolError(f"the server compresses pictures as {compression!r:.40}, which is not known here")


class _Decoder:
    """How one sensor's payload is read, as the welcome describes it."""

    def __init__(
        self,
        dtype: str,
        shape: list[int],
        stamped: bool,
        levels: dict[str, dict[str, Any]] | None = None,
        quantities: list[list[str]] | None = None,
        compression: str | None = None,
        **_: Any,
    ) -> None:
        self.stamped = stamped
        self.quantities = from_plain(quantities or [])
        """Names and units of its values."""
        self.levels = {int(level): (np.dtype(form["dtype"]), form["shape"]) for level, form in (levels or {}).items()}
        self._start = _STAMP.size if stamped else 0
        self._compression = _known_format(compression)
        self._dtype = np.dtype(dtype)
        self._shape = shape
        self._scalar = None if shape else struct.Struct("<" + self._dtype.char)

    def level(self, payload: bytes) -> int:
        """The level of a switchable sensor's reading, which says what the rest of it is."""
        return int(_LEVEL.unpack_from(payload, self._start)[0])

    def part(self, reading: Value, name: str) -> Value:
        """One value of a reading, or a group of them, which there is."""
        found = part_of(np.asarray(reading), self.quantities, name, listed=self._shape[:1] == [-1])
        assert found is not None
        return found

    def value(self, payload: bytes) -> Value:
        try:
            if self._compression is not None and not (self.levels and self.level(payload)):
                height, width, _ = self.levels[0][1] if self.levels else self._shape
                file = payload[self._start + (_LEVEL.size if self.levels else 0) :]
                return decode_picture(file, self._compression, (height, width))
            if self.levels:
                dtype, shape = self.levels[self.level(payload)]
                return np.frombuffer(payload, dtype, offset=self._start + _LEVEL.size).reshape(shape)
            if self._scalar is not None:
                number: float = self._scalar.unpack_from(payload, self._start)[0]
                return number
            return np.frombuffer(payload, self._dtype, offset=self._start).reshape(self._shape)
        except (struct.error, ValueError, KeyError) as error:
            raise RemoteProtocolError(f"a reading of {len(payload)} bytes is not as announced: {error}") from None
