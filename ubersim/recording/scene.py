"""What standard viewers draw: foxglove's messages for shapes, pictures, scans and texts."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import numpy as np

from ubersim.description import BodyDescription, WorldDescription
from ubersim.description.base import Outline
from ubersim.errors import UberSimError
from ubersim.geometry import Pose, Triple, quaternion_from_matrix, rotation_about
from ubersim.recording.colors import Colors
from ubersim.recording.file import Schema, protobuf
from ubersim.recording.transforms import varint
from ubersim.render.glb import glb
from ubersim.simulation.robot import Robot
from ubersim.simulation.scene import triangle_mesh

try:
    from foxglove import messages as draw
except ImportError:
    raise UberSimError("recording needs foxglove-sdk: pip install 'ubersim[log]'") from None

TRANSFORMS = protobuf(draw.FrameTransforms)
SCENE = protobuf(draw.SceneUpdate)
TEXT = protobuf(draw.Log)
IMAGE = protobuf(draw.RawImage)
SCAN = protobuf(draw.LaserScan)
VALUES = Schema(
    "ubersim.Values",
    "jsonschema",
    b'{"type":"object","properties":{"value":{"type":"number"},"values":{"type":"array","items":{"type":"number"}}}}',
)

_DEPTH, _SEGMENTATION = ("32FC1", 4), ("mono16", 2)
_IMAGES = {"bgra": ("bgra8", 4), "yuv": ("8UC3", 3), "yuyv": ("yuyv", 2), "grey": ("mono8", 1)}
_GROUND = 100.0
"""Edge of the piece of ground that is drawn [m]."""


def frame_id(robot: str, body: str) -> str:
    """What a body's frame of reference is called; its origin is the centre of mass."""
    return f"{robot or 'World'}/{body}"


def scene(world: WorldDescription, robots: Iterable[Robot], colors: Colors, nanoseconds: int) -> bytes:
    """Everything there is to see, and nothing that was there before; robots' solids have these colours."""
    now = _time(nanoseconds)
    entities = [_entity("world", "world", _static(world), now)]
    for body in world.objects:
        entities.append(_body("", body, colors, now))
    for robot in robots:
        entities += [_body(robot.name, body, colors, now) for body in robot.description.bodies]
    everything = draw.SceneEntityDeletion(timestamp=now, type=draw.SceneEntityDeletionType.All)
    return bytes(draw.SceneUpdate(deletions=[everything], entities=entities).encode())


def repainted(robot: Robot, solids: Collection[str], colors: Colors, nanoseconds: int) -> bytes:
    """The bodies of a robot that have these solids, as they look now."""
    now = _time(nanoseconds)
    bodies = [body for body in robot.description.bodies if any(solid.name in solids for solid in body.shown)]
    return bytes(draw.SceneUpdate(entities=[_body(robot.name, body, colors, now) for body in bodies]).encode())


def text(message: str, nanoseconds: int) -> bytes:
    """A line for the viewer's log."""
    line = draw.Log(timestamp=_time(nanoseconds), level=draw.LogLevel.Info, message=message, name="ubersim")
    return bytes(line.encode())


def pixels_of(camera: Any) -> tuple[str, int]:
    """What a camera's pixels are called, and their bytes."""
    if camera.output == "image":
        return _IMAGES[camera.format]
    return _DEPTH if camera.output == "depth" else _SEGMENTATION


def image(camera: Any, frame: str, pixels: bytes, nanoseconds: int) -> bytes:
    """A picture; its pixels are the last bytes of the message."""
    encoding, size = pixels_of(camera)
    step = camera.width * size
    head = draw.RawImage(
        timestamp=_time(nanoseconds),
        frame_id=frame,
        width=camera.width,
        height=camera.height,
        encoding=encoding,
        step=step,
    ).encode()
    return bytes(head) + b"\x32" + varint(len(pixels)) + pixels


def scan(frame: str, place: Pose, angles: Any, distances: Any, nanoseconds: int) -> bytes:
    """A lidar's reading; `place` is the sensor's, seen from its body."""
    forward = place @ Pose(np.zeros(3), rotation_about(2, math.pi / 2))  # foxglove's scans begin at +x, ours at +y
    return bytes(
        draw.LaserScan(
            timestamp=_time(nanoseconds),
            frame_id=frame,
            pose=pose_message(forward),
            start_angle=float(angles[0]),
            end_angle=float(angles[-1]),
            ranges=distances.tolist(),
        ).encode()
    )


def _time(nanoseconds: int) -> Any:
    return draw.Timestamp(*divmod(nanoseconds, 1_000_000_000))


def _body(robot: str, body: BodyDescription, colors: Colors, now: Any) -> Any:
    frame = frame_id(robot, body.name)
    look = ((solid, colors.now.get((robot, solid.name), solid.color)) for solid in body.shown)
    return _entity(frame, frame, [(solid.outline(), body.seen_from_center(solid), color) for solid, color in look], now)


def _static(world: WorldDescription) -> Iterator[tuple[Outline, Pose, Any]]:
    ground = world.ground
    if ground is not None:
        slab = Outline("box", (_GROUND, _GROUND, 0.01))
        yield slab, Pose(np.array([0.0, 0.0, -0.006])), ground.color
    yield from ((solid.outline(), solid.pose, solid.color) for solid in world.static if solid.visible)


def _entity(name: str, frame: str, parts: Iterable[tuple[Outline, Pose, Any]], now: Any) -> Any:
    shapes: dict[str, Any] = {"cubes": [], "spheres": [], "cylinders": [], "triangles": [], "models": []}
    for outline, pose, color in parts:
        for kind, shape in _shapes(outline, pose, color):
            shapes[kind].append(shape)
    return draw.SceneEntity(timestamp=now, frame_id=frame, id=name, frame_locked=True, **shapes)


def _shapes(outline: Outline, pose: Pose, rgb: Triple) -> Iterator[tuple[str, Any]]:
    color = draw.Color(r=rgb[0], g=rgb[1], b=rgb[2], a=1.0)
    match outline.kind:
        case "box":
            x, y, z = outline.size
            yield "cubes", draw.CubePrimitive(pose=pose_message(pose), size=draw.Vector3(x=x, y=y, z=z), color=color)
        case "sphere":
            yield _sphere(outline.size[0], pose, color)
        case "cylinder":
            radius, height = outline.size
            yield _cylinder(radius, height, pose, color)
        case "capsule":
            radius, height = outline.size
            yield _cylinder(radius, height, pose, color)
            for end in (-height / 2, height / 2):
                yield _sphere(radius, pose @ Pose(np.array([0.0, 0.0, end])), color)
        case "mesh":
            assert outline.mesh is not None
            if outline.skin is not None:
                yield "models", _model(outline, pose, rgb)
                return
            corners, triangles = outline.mesh
            points = [draw.Point3(x=x, y=y, z=z) for x, y, z in corners.tolist()]
            indices = triangles.ravel().tolist()
            yield (
                "triangles",
                draw.TriangleListPrimitive(pose=pose_message(pose), points=points, indices=indices, color=color),
            )


def _model(outline: Outline, pose: Pose, rgb: Triple) -> Any:
    """A mesh of many colours; viewers turn such files from y up."""
    mesh, one = triangle_mesh(outline), draw.Vector3(x=1.0, y=1.0, z=1.0)
    data = glb(mesh, rgb, turned=True)
    return draw.ModelPrimitive(pose=pose_message(pose), scale=one, media_type="model/gltf-binary", data=data)


def _sphere(radius: float, pose: Pose, color: Any) -> tuple[str, Any]:
    size = draw.Vector3(x=2 * radius, y=2 * radius, z=2 * radius)
    return "spheres", draw.SpherePrimitive(pose=pose_message(pose), size=size, color=color)


def _cylinder(radius: float, height: float, pose: Pose, color: Any) -> tuple[str, Any]:
    size = draw.Vector3(x=2 * radius, y=2 * radius, z=height)
    shape = draw.CylinderPrimitive(pose=pose_message(pose), size=size, bottom_scale=1.0, top_scale=1.0, color=color)
    return "cylinders", shape


def pose_message(pose: Pose) -> Any:
    """A place and how something is turned there."""
    x, y, z = pose.position.tolist()
    qw, qx, qy, qz = quaternion_from_matrix(pose.rotation).tolist()
    return draw.Pose(position=draw.Vector3(x=x, y=y, z=z), orientation=draw.Quaternion(x=qx, y=qy, z=qz, w=qw))
