"""What programs log, as topics of a log that standard viewers plot and draw: `/ROBOT/log/NAME`."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from ubersim.errors import UberSimError
from ubersim.geometry import Array
from ubersim.protocol.log_entries import KINDS, LogEntry
from ubersim.protocol.names import LOG
from ubersim.protocol.parameters import Declaration
from ubersim.protocol.supervisor_events import ForwardedLog
from ubersim.recording import scene
from ubersim.recording.file import LogWriter, Schema, protobuf
from ubersim.recording.parameter_history import SCHEMA as PARAMETER_SCHEMA
from ubersim.recording.parameter_history import TOPIC as PARAMETERS
from ubersim.recording.parameter_history import encode_declared
from ubersim.recording.program_entries import TOPIC as PROGRAMS
from ubersim.recording.program_entries import encode_entry
from ubersim.recording.scene import frame_id
from ubersim.simulation.robot import Robot

try:
    from foxglove import messages as draw
except ImportError:
    raise UberSimError("recording needs foxglove-sdk: pip install 'ubersim[log]'") from None

_SCHEMA = Schema("ubersim.Log", messages="ubersim")
_PICTURE = protobuf(draw.CompressedImage)
_CLOUD = protobuf(draw.PointCloud)
_MARKS = protobuf(draw.ImageAnnotations)
_LEVELS = {
    "debug": draw.LogLevel.Debug,
    "info": draw.LogLevel.Info,
    "warning": draw.LogLevel.Warning,
    "error": draw.LogLevel.Error,
    "fatal": draw.LogLevel.Fatal,
}
_ORANGE = (1.0, 0.5, 0.0)


class ProgramTopics:
    """Writes entries into a log; a name has one kind, and an entry of another gets a topic of its own."""

    def __init__(self, writer: LogWriter) -> None:
        self._writer = writer
        self._kinds: dict[tuple[str, str], str] = {}

    def declare(self, robot: Robot, parameter: Declaration, nanoseconds: int) -> int:
        """Writes what a program has declared, and returns how many bytes that has."""
        if parameter.name == LOG:  # whether anything listens is no parameter of the program's
            return 0
        message = encode_declared(robot.name, parameter)
        self._writer.add(PARAMETERS, PARAMETER_SCHEMA, nanoseconds, message)
        return len(message)

    def add(self, robot: Robot, entry: LogEntry, nanoseconds: int) -> int:
        """Writes one, and returns how many bytes it has; what cannot be drawn is left out."""
        try:
            schema, message = _message(robot, entry, nanoseconds)
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):  # a drawing may say anything
            return 0
        topic = f"/{robot.name}/log/{entry.name}"
        first = self._kinds.setdefault((robot.name, entry.name), schema.name)
        if schema.name != first:
            topic += f"/{KINDS[entry.kind]}"
        self._writer.add(topic, schema, nanoseconds, message)
        said = encode_entry(ForwardedLog(robot.name, nanoseconds / 1e9, entry), message)
        self._writer.add(PROGRAMS, _SCHEMA, nanoseconds, said)
        return len(message) + len(said)


def _message(robot: Robot, entry: LogEntry, nanoseconds: int) -> tuple[Schema, bytes]:
    now, value = draw.Timestamp(*divmod(nanoseconds, 1_000_000_000)), entry.value
    match entry.kind:
        case 1:
            return scene.VALUES, json.dumps({"value": _finite(value)}).encode()
        case 2:
            return scene.VALUES, json.dumps({"values": [_finite(one) for one in value.tolist()]}).encode()
        case 3:
            name = f"{robot.name}/{entry.name}"
            line = draw.Log(timestamp=now, level=_LEVELS[entry.level], message=value, name=name)
            return scene.TEXT, bytes(line.encode())
        case 4:
            picture = draw.CompressedImage(timestamp=now, frame_id=robot.name, data=value, format=entry.picture_format)
            return _PICTURE, bytes(picture.encode())
        case 5:
            return _CLOUD, _cloud(robot, entry, now)
    if entry.space in robot.sensors:
        return _MARKS, _annotations(value, now)
    return scene.SCENE, _drawing(robot, entry, value, now)


def _finite(value: float) -> float | None:
    """JSON knows no infinity."""
    return value if math.isfinite(value) else None


_UPRIGHT = draw.Quaternion(x=0.0, y=0.0, z=0.0, w=1.0)


def _pose(origin: Array, x: Any = 0.0, y: Any = 0.0, z: Any = 0.0) -> Any:
    """A place as seen from the origin. It is never turned: a drawing may have thousands, and turns take time."""
    a, b, c = origin.tolist()
    return draw.Pose(position=draw.Vector3(x=a + float(x), y=b + float(y), z=c + float(z)), orientation=_UPRIGHT)


def _place(robot: Robot, space: str) -> tuple[str, Array]:
    """The frame of reference, and where the model's origin is in it."""
    for body in robot.description.bodies:
        if body.name == space:
            return frame_id(robot.name, space), -body.mass_properties().center
    return "world", np.zeros(3)


def _cloud(robot: Robot, entry: LogEntry, now: Any) -> bytes:
    frame, origin = _place(robot, entry.space)
    fields = [
        draw.PackedElementField(name=name, offset=4 * i, type=draw.PackedElementFieldNumericType.Float32)
        for i, name in enumerate("xyz")
    ]
    data = np.ascontiguousarray(entry.value).tobytes()
    cloud = draw.PointCloud(
        timestamp=now, frame_id=frame, pose=_pose(origin), point_stride=12, fields=fields, data=data
    )
    return bytes(cloud.encode())


def _color(value: Any) -> Any:
    red, green, blue = value.get("color", _ORANGE)
    return draw.Color(r=float(red), g=float(green), b=float(blue), a=1.0)


def _drawing(robot: Robot, entry: LogEntry, value: dict[str, Any], now: Any) -> bytes:
    frame, origin = _place(robot, entry.space)
    color, width = _color(value), float(value.get("width", 0.01))
    ends = [draw.Point3(x=float(x), y=float(y), z=float(z)) for line in value.get("lines", ()) for x, y, z in line]
    lines = draw.LinePrimitive(
        type=draw.LinePrimitiveLineType.LineList, pose=_pose(origin), thickness=width, points=ends, color=color
    )
    size = draw.Vector3(x=width, y=width, z=width)
    spheres = [
        draw.SpherePrimitive(pose=_pose(origin, x, y, z), size=size, color=color) for x, y, z in value.get("points", ())
    ]
    x, y, z = value.get("at", (0.0, 0.0, 0.0))
    text = draw.TextPrimitive(
        pose=_pose(origin, x, y, z),
        billboard=True,
        font_size=0.1,
        color=color,
        text=value.get("text", ""),
    )
    entity = draw.SceneEntity(
        timestamp=now,
        frame_id=frame,
        id=f"{robot.name}/{entry.name}",
        frame_locked=True,
        lines=[lines] if ends else [],
        spheres=spheres,
        texts=[text] if "text" in value else [],
    )
    return bytes(draw.SceneUpdate(entities=[entity]).encode())


def _annotations(value: dict[str, Any], now: Any) -> bytes:
    """In pixels of a camera's picture."""
    color, width = _color(value), float(value.get("width", 1.0))
    kinds = draw.PointsAnnotationType

    def points(kind: Any, places: Any) -> Any:
        where = [draw.Point2(x=float(x), y=float(y)) for x, y in places]
        return draw.PointsAnnotation(timestamp=now, type=kind, points=where, outline_color=color, thickness=width)

    found = [points(kinds.LineList, [end for line in value["lines"] for end in line])] if "lines" in value else []
    found += [points(kinds.Points, value["points"])] if "points" in value else []
    texts = []
    if "text" in value:
        x, y = value.get("at", (0.0, 0.0))
        place = draw.Point2(x=float(x), y=float(y))
        texts = [
            draw.TextAnnotation(timestamp=now, position=place, text=value["text"], text_color=color, font_size=12.0)
        ]
    return bytes(draw.ImageAnnotations(points=found, texts=texts).encode())
