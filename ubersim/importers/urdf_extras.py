"""What stands beside links and joints in URDF files: motors of ros2_control and transmissions, sensors of Gazebo."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from lxml.etree import _Element as Element

from ubersim.geometry import Pose, rotation_xyz
from ubersim.importers.model import MotorKind, RobotModel, RobotMotor, RobotSensor
from ubersim.importers.report import ImportReport
from ubersim.importers.viewing_axes import from_x_forward

INTERFACES: dict[str, MotorKind] = {"position": "position", "velocity": "velocity", "effort": "torque"}
CAMERAS = {
    "camera": "CameraSensor",
    "wideanglecamera": "CameraSensor",
    "depth": "DepthSensor",
    "depth_camera": "DepthSensor",
    "rgbd_camera": "DepthSensor",
}
SCANNERS = ("ray", "gpu_ray", "lidar", "gpu_lidar")


def read_extras(root: Element, model: RobotModel, poses: Mapping[str, Pose], report: ImportReport) -> None:
    """Adds motors and sensors to a model; everything else is reported as dropped."""
    for control in root.iterchildren("ros2_control"):
        for joint in control.iterchildren("joint"):
            kinds = [interface.get("name", "") for interface in joint.iterchildren("command_interface")]
            _add_motor(joint.get("name", ""), kinds, model, report, joint.sourceline or 0)
    for transmission in root.iterchildren("transmission"):
        for joint in transmission.iterchildren("joint"):
            texts = [element.text or "" for element in transmission.iter("hardwareInterface")]
            kinds = [kind for kind in INTERFACES for text in texts if kind in text.lower()]
            _add_motor(joint.get("name", ""), kinds, model, report, joint.sourceline or 0)
    for gazebo in root.iterchildren("gazebo"):
        _read_gazebo(gazebo, model, poses, report)


def _add_motor(joint: str, kinds: list[str], model: RobotModel, report: ImportReport, line: int) -> None:
    moving = {known.name: known for known in model.joints if known.kind in ("hinge", "slider")}
    what = f"motor of joint {joint}"
    if joint not in moving:
        report.dropped(line, what, "it has no axis to drive")
    elif all(kind not in INTERFACES for kind in kinds):
        report.dropped(
            line, what, f"its interfaces are {', '.join(kinds) or 'none'}; known are {', '.join(INTERFACES)}"
        )
    elif not any(motor.joint == joint for motor in model.motors):
        kind = next(kind for kind in INTERFACES if kind in kinds)
        about = moving[joint]
        model.motors.append(
            RobotMotor(f"{joint}_motor", joint, INTERFACES[kind], limit=about.effort, speed=about.speed, line=line)
        )
        report.taken(line, what, kind)


def _read_gazebo(gazebo: Element, model: RobotModel, poses: Mapping[str, Pose], report: ImportReport) -> None:
    link = gazebo.get("reference", "")
    for child in gazebo.iterchildren("*"):
        line, what = child.sourceline or 0, f"gazebo {child.tag} of {link}" if link else f"gazebo {child.tag}"
        if child.tag != "sensor":
            name = child.get("name") or child.get("filename") or (child.text or "").strip()
            report.dropped(
                line, what, f"there is nothing like it here ({name})" if name else "there is nothing like it here"
            )
        elif link not in poses:
            report.dropped(line, what, f"it is on no link: {link!r}")
        elif (sensor := _sensor(child, link, poses[link])) is None:
            report.dropped(line, what, f"a sensor of type {child.get('type')!r} is not known")
        else:
            model.sensors.append(sensor)
            report.taken(line, f"sensor {sensor.name}", sensor.tag)


def _sensor(element: Element, link: str, pose: Pose) -> RobotSensor | None:
    kind, line = element.get("type", ""), element.sourceline or 0
    name = element.get("name") or f"{link}_{kind}"
    fields = {}
    if rate := element.findtext("update_rate"):
        fields["Frequency"] = rate.strip()
    inner = next(
        iter([*element.iter("camera"), *element.iter("ray"), *element.iter("lidar"), *element.iter("imu")]), None
    )
    place = pose @ _place(element) @ (_place(inner) if inner is not None else Pose())
    made = RobotSensor(name, "", link, from_x_forward(place), fields, line)
    if kind in CAMERAS and inner is not None:
        made.tag = CAMERAS[kind]
        fields["Fov"] = _number(inner, "horizontal_fov", math.pi / 3, degrees=True)
        fields["Width"], fields["Height"] = inner.findtext(".//width") or "320", inner.findtext(".//height") or "240"
    elif kind in SCANNERS and inner is not None:
        made.tag = "LidarSensor"
        low, high = (float(inner.findtext(f".//horizontal/{end}_angle") or 0) for end in ("min", "max"))
        fields["Range"] = inner.findtext(".//range/max") or "30"
        fields["Near"] = inner.findtext(".//range/min") or "0"
        fields["Fov"] = f"{min(max(math.degrees(high - low), 0.1), 360.0):.9g}"
        fields["Beams"] = str(min(max(int(float(inner.findtext(".//horizontal/samples") or 1)), 1), 10_000))
        turn = (low + high) / 2
        made.pose = made.pose @ Pose(np.zeros(3), rotation_xyz((0.0, 0.0, turn)))
    elif kind == "imu":
        made.tag = "ImuSensor"
    elif kind == "contact":
        made.tag = "ContactSensor"
    else:
        return None
    return made


def _number(element: Element, tag: str, default: float, degrees: bool = False) -> str:
    value = float(element.findtext(f".//{tag}") or default)
    return f"{math.degrees(value) if degrees else value:.9g}"


def _place(element: Element) -> Pose:
    words = (element.findtext("pose") or "").split()
    if len(words) != 6:
        return Pose()
    x, y, z, roll, pitch, yaw = map(float, words)
    return Pose(np.array([x, y, z]), rotation_xyz((roll, pitch, yaw)))
