"""A robot, a pilot, keys and perhaps a gamepad, of a terminal or of the live page, from one frame to the next."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ubersim.client.robot import RemoteRobot
from ubersim.driving.balance_pilot import balance_pilot
from ubersim.driving.gamepad import Gamepad
from ubersim.driving.joint_pilot import joint_pilot
from ubersim.driving.pace import DrivingPace
from ubersim.driving.page_steering import PageSteering
from ubersim.driving.pilot import Pilot, Sticks
from ubersim.driving.twist_pilot import twist_pilot
from ubersim.errors import UberSimError

LOOK = 0.02
"""Simulated time from one look at the keys to the next [s]."""
TELL = 0.2
"""Simulated time from one status to the next [s]."""
QUIT = ("x", "\x1b", "\x04")
"""x, escape, or the end of input."""


def pilot_for(settings: Mapping[str, Any]) -> Pilot:
    """Who can drive the robot of a welcome: by twist, balanced, or joint by joint."""
    for find in (twist_pilot, balance_pilot, joint_pilot):
        if (pilot := find(settings)) is not None:
            return pilot
    raise UberSimError(f"{settings.get('name', 'this robot')} has neither a drive nor joints: there is nothing to move")


def steer(
    robot: RemoteRobot,
    pilot: Pilot,
    pressed: Callable[[], str],
    gamepad: Gamepad | None = None,
    *,
    page: PageSteering | None = None,
    rate: float = 1.0,
    told: Callable[[str], None] = lambda _: None,
) -> None:
    """Until a key ends it, or the server does; not faster than `rate` times real time, 0: as fast as it goes."""
    pace, now, look_at, tell_at = DrivingPace(rate), 0.0, 0.0, 0.0
    for frame in robot:
        time.sleep(pace.ahead(frame.time))  # the server waits for a program that takes its time
        if frame.time < now:  # a supervisor has put time back: nothing is wanted of the robot yet
            pilot, look_at, tell_at = pilot_for(robot.settings), frame.time, frame.time
        now = frame.time
        if frame.time >= look_at:
            look_at = frame.time + LOOK
            while key := pressed():
                if key in QUIT:
                    return
                pilot.press(key)
            if gamepad is not None:
                _attend(["k"] if gamepad.update() else [], gamepad.sticks(), pilot)
            if page is not None:
                _attend(page.pressed(frame.time), page.sticks(), pilot)
        pilot.command(robot, frame.readings)
        if frame.time >= tell_at:
            tell_at = frame.time + TELL
            told(f"{frame.time:7.1f} s  {pilot.status()}{_measured(robot, pilot.slides)}")


def _attend(keys: Iterable[str], sticks: Sticks | None, pilot: Pilot) -> None:
    for key in keys:
        pilot.press(key)
    if sticks is not None:
        pilot.move(sticks)


def _measured(robot: RemoteRobot, slides: bool) -> str:
    """What the robot's odometry says about its motion, if it tells velocities."""
    sensors = robot.settings.get("sensors", {}).items()
    name = next((name for name, about in sensors if about["type"] == "OdometrySensor" and about["shape"] == [6]), "")
    reading = robot.latest.get(name)
    if not isinstance(reading, np.ndarray):
        return ""
    sideways, speed, turn = (float(value) for value in reading[3:])
    return f"; measured {speed:+.2f} m/s, {turn:+.2f} rad/s" + (f", {sideways:+.2f} m/s" if slides else "")
