"""Where a log has a robot's motion: in our own logs its poses and what its wheels or its drive were told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ubersim.components.drives.differential import DifferentialDrive
from ubersim.components.motors.twist import TwistDrive
from ubersim.components.motors.vehicle import Vehicle
from ubersim.components.sensors.odometry import OdometrySensor
from ubersim.description import RobotDescription, read_robot
from ubersim.description.motors import AxisMotor
from ubersim.errors import UberSimError
from ubersim.geometry import Array
from ubersim.identification.motion.record import MotionRecord, headings_of
from ubersim.recording.event import RecordedEvent
from ubersim.recording.log import Log
from ubersim.recording.tables import Table, collect, topics
from ubersim.signals import Signal, SignalSource, open_signals
from ubersim.signals.ubersim_log import UberSimLog

PLACE = ("x", "y", "heading")
COMMANDS = ("right", "forward", "turn")
NAMES = (("Sideways", "SpeedX"), ("Speed", "SpeedY"), ("Turn", "TurnRate"))
"""What drives call these commands."""
Told = list[Signal | None]


def record_of(path: Path, robot: str, period: float, named: Mapping[str, str]) -> MotionRecord:
    """`named` says which topics are the commands `right`, `forward` and `turn`, and the place `x`, `y` and `heading`.

    Of our own logs the place is known, and the commands as well if the robot has a drive, or two wheels and an
    `OdometrySensor` that tells which they are.
    """
    if not path.is_dir() and path.suffix == ".mcap" and UberSimLog.is_one(path):
        with Log(path) as log:
            return _of_our_log(log, open_signals(path), robot, period, named)
    source = open_signals(path)
    missing = [name for name in PLACE if name not in named]
    if missing or not set(named) & set(COMMANDS):
        raise UberSimError(
            f"{path} is no log of ours: say with --x, --y and --heading where the robot was, and with --forward, "
            "--turn or --right what it was told"
        )
    return MotionRecord.of([source.signal(named[name]) for name in PLACE], _named(source, named), period)


def _named(source: SignalSource, named: Mapping[str, str]) -> Told:
    return [source.signal(named[name]) if name in named else None for name in COMMANDS]


def _of_our_log(log: Log, source: SignalSource, robot: str, period: float, named: Mapping[str, str]) -> MotionRecord:
    joined = {item.robot: item for item in log.items() if isinstance(item, RecordedEvent) and item.kind == "joined"}
    if not robot and len(joined) == 1:
        robot = next(iter(joined))
    if robot not in joined:
        raise UberSimError(f"there is no robot {robot!r} in {log.path}; say --robot {' or '.join(joined) or 'none'}")
    description = read_robot(joined[robot].document)
    first = description.bodies[0]
    topic = f"/{robot}/{first.name}/pose"
    place, velocity = _carried(collect(log, [topic])[topic], first.mass_properties().center, log.step)
    if set(named) & set(COMMANDS):
        return MotionRecord.of(place, _named(source, named), period, velocity)
    return MotionRecord.of(place, _told(log, robot, description), period, velocity)


def _carried(table: Table, center: Array, step: float) -> tuple[list[Signal], list[Signal]]:
    """Place and velocity of the model's origin, on the ground, from those of the first body's centre of mass."""
    values, times = table.values, table.frames.astype(np.float64) * step
    heading = headings_of(values[:, 3:7])
    cosine, sine = np.cos(heading), np.sin(heading)
    right, ahead = -center[0], -center[1]
    arm = np.stack([cosine * right - sine * ahead, sine * right + cosine * ahead], axis=1)
    turn = values[:, 12]
    signals = {
        "x": values[:, 0] + arm[:, 0],
        "y": values[:, 1] + arm[:, 1],
        "heading": heading,
        "vx": values[:, 7] - turn * arm[:, 1],
        "vy": values[:, 8] + turn * arm[:, 0],
        "turn": turn,
    }
    kept = np.diff(times, prepend=-np.inf) > 0  # where bodies came or went, a frame is there twice
    made = [Signal(f"{table.topic}.{name}", times[kept], value[kept]) for name, value in signals.items()]
    return made[:3], made[3:]


def _told(log: Log, robot: str, description: RobotDescription) -> Told:
    """What its drive, or its wheels, were told."""
    known = topics(log)

    def signal(component: str, name: str) -> Signal | None:
        topic = f"/{robot}/{component}/{name}"
        if topic not in known:
            return None
        table = collect(log, [topic])[topic]
        return Signal.of(topic, table.frames.astype(np.float64) * log.step, table.values[:, 0])

    drives = [*description.entity.motion, *(one for one in description.motors if isinstance(one, TwistDrive | Vehicle))]
    for drive in drives:
        twist = [_merged([signal(drive.name, name) for name in names]) for names in NAMES]
        if any(twist):
            return twist
        wheels = signal(drive.name, "LeftWheel"), signal(drive.name, "RightWheel")
        if isinstance(drive, DifferentialDrive) and any(wheels):
            return _rolled(wheels, drive.wheel_radius, drive.wheel_distance)
    motors = {motor.joint: motor.name for motor in description.motors if isinstance(motor, AxisMotor)}
    for sensor in description.sensors:
        if isinstance(sensor, OdometrySensor) and sensor.left_wheel and sensor.right_wheel:
            joints = sensor.left_wheel, sensor.right_wheel
            left, right = (
                signal(motors[joint], "Speed") if joint in motors else signal(joint, "Vel") for joint in joints
            )
            if (left or right) and sensor.wheel_radius is not None and sensor.track is not None:
                return _rolled((left, right), sensor.wheel_radius, sensor.track)
    raise UberSimError(
        f"{robot} has neither a drive nor two wheels that an OdometrySensor names and that were told a speed: say with "
        "--forward, --turn or --right which topics say what it was told"
    )


def _merged(signals: list[Signal | None]) -> Signal | None:
    """One command that goes by several names: whatever was told last holds."""
    given = [signal for signal in signals if signal is not None]
    if len(given) < 2:
        return given[0] if given else None
    times, values = (np.concatenate([getattr(signal, part) for signal in given]) for part in ("times", "values"))
    return Signal.of(given[0].name, times, values)


def _rolled(wheels: tuple[Signal | None, Signal | None], radius: float, track: float) -> Told:
    """Forward and turning, of the rates of a left and a right wheel."""
    times = np.unique(np.concatenate([wheel.times for wheel in wheels if wheel is not None]))
    left, right = (
        np.zeros(len(times)) if wheel is None else np.where(times < wheel.times[0], 0.0, wheel.at(times, hold=True))
        for wheel in wheels
    )
    forward = Signal("forward", times, radius * (left + right) / 2)
    return [None, forward, Signal("turn", times, radius * (right - left) / track)]
