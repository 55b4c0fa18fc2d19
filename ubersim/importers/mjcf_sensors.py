"""The sensors and cameras of MJCF that have a counterpart here."""

from __future__ import annotations

import math
from typing import Any

from ubersim.geometry import Pose
from ubersim.importers.mjcf_lines import Lines
from ubersim.importers.model import RobotModel, RobotSensor
from ubersim.importers.report import ImportReport
from ubersim.importers.viewing_axes import from_into_screen

AT_SITES = {"gyro": "GyroSensor", "accelerometer": "AccelerometerSensor", "touch": "ContactSensor"}
OF_JOINTS = ("jointpos", "jointvel")
WIDTH, HEIGHT = 320, 240
CAMERA_RATE = "10"
"""Pictures per second of a camera whose file gives no rate [Hz]."""


def read_sensors(mujoco: Any, m: Any, data: Any, lines: Lines, model: RobotModel, report: ImportReport) -> None:
    """Adds sensors to a model."""
    kinds = {int(value): name[7:].lower() for name, value in mujoco.mjtSensor.__members__.items()}
    moving = {joint.name: joint for joint in model.joints if joint.kind in ("hinge", "slider")}
    measured: set[str] = set()
    for number in range(m.nsensor):
        kind, name, line = kinds[int(m.sensor_type[number])], lines.name("sensor", number), lines.of("sensor", number)
        target = int(m.sensor_objid[number])
        if kind in AT_SITES:
            body = int(m.site_bodyid[target])
            if body == 0:
                report.dropped(line, f"sensor {name}", "it is on no body")
                continue
            pose = Pose(data.site_xpos[target].copy(), data.site_xmat[target].reshape(3, 3).copy())
            sensor = RobotSensor(name, AT_SITES[kind], lines.name("body", body), pose, line=line)
            if kind == "touch":
                sensor.fields["Radius"] = f"{max(float(max(m.site_size[target])), 1e-3):.6g}"
        elif kind in OF_JOINTS and lines.name("joint", target) in moving:
            joint = moving[lines.name("joint", target)]
            if joint.name in measured:
                report.taken(line, f"sensor {name}", "the other sensor of that joint tells it, too")
                continue
            measured.add(joint.name)
            pose = model.link(joint.child).pose
            sensor = RobotSensor(name, "JointSensor", joint.child, pose, {"Joint": joint.name}, line)
        else:
            report.dropped(line, f"sensor {name}", f"{kind}: there is nothing like it here")
            continue
        model.sensors.append(sensor)
        report.taken(line, f"sensor {name}", sensor.tag)
    for number in range(m.ncam):
        _camera(mujoco, m, data, number, lines, model, report)


def _camera(mujoco: Any, m: Any, data: Any, number: int, lines: Lines, model: RobotModel, report: ImportReport) -> None:
    name, line, body = lines.name("camera", number), lines.of("camera", number), int(m.cam_bodyid[number])
    if body == 0 or int(m.cam_mode[number]) != int(mujoco.mjtCamLight.mjCAMLIGHT_FIXED):
        report.dropped(line, f"camera {name}", "it watches the robot from outside")
        return
    fov = 2 * math.atan(math.tan(math.radians(float(m.cam_fovy[number])) / 2) * WIDTH / HEIGHT)
    pose = Pose(data.cam_xpos[number].copy(), data.cam_xmat[number].reshape(3, 3).copy())
    fields = {"Fov": f"{math.degrees(fov):.9g}", "Frequency": CAMERA_RATE}
    model.sensors.append(
        RobotSensor(name, "CameraSensor", lines.name("body", body), from_into_screen(pose), fields, line)
    )
    report.taken(line, f"camera {name}", f"{WIDTH} x {HEIGHT}, {CAMERA_RATE} Hz")
