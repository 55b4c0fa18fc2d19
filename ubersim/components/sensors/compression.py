"""Pictures become files on their way to the client, where the robot's document asks for it; the world keeps pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ubersim.components.sensors.camera import CameraSensor
from ubersim.description import RobotDescription
from ubersim.picture_files import encode_picture

_STAMP = 8
"""Bytes of a time of capture."""
_IMAGE = bytes(4)
"""What a switchable camera's reading begins with if it is a picture."""
Readings = Sequence[tuple[str, bytes]]


class PictureCompression:
    """The cameras of one robot whose pictures are compressed; a logical camera's lists are not."""

    def __init__(self, robot: RobotDescription) -> None:
        cameras = (sensor for body in robot.bodies for sensor in body.sensors if isinstance(sensor, CameraSensor))
        self._cameras = {
            camera.name: camera
            for camera in cameras
            if camera.compression != "none" and (camera.switchable or camera.level == "image")
        }

    def __bool__(self) -> bool:
        return bool(self._cameras)

    def introduced(self, about: Mapping[str, Any]) -> dict[str, Any]:
        """What a welcome says of the robot, with the format of its pictures."""
        if not self._cameras:
            return dict(about)
        sensors = {
            name: {**told, "compression": self._cameras[name].compression} if name in self._cameras else told
            for name, told in about["sensors"].items()
        }
        return {**about, "sensors": sensors}

    def compressed(self, readings: Readings) -> Readings:
        """The same readings, with files in place of pixels."""
        return [
            (name, _compressed(self._cameras[name], payload)) if name in self._cameras else (name, payload)
            for name, payload in readings
        ]


def _compressed(camera: CameraSensor, payload: bytes) -> bytes:
    assert camera.compression != "none"
    start = _STAMP * camera.stamped
    if camera.switchable:
        if payload[start : start + len(_IMAGE)] != _IMAGE:
            return payload
        start += len(_IMAGE)
    pixels = np.frombuffer(payload, np.uint8, offset=start).reshape(camera.height, camera.width, 4)
    return payload[:start] + encode_picture(pixels, camera.compression)
