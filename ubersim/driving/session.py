"""A robot, a pilot, keys and perhaps a gamepad, of a terminal or of the live page, from one frame to the next."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ubersim.client.robot import Frame, RemoteRobot
from ubersim.driving.balance_pilot import balance_pilot
from ubersim.driving.gamepad import Gamepad
from ubersim.driving.joint_pilot import joint_pilot
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
_TURN, _FORWARD, _SIDEWAYS = 0, 1, 3
"""Axes of a gamepad: the left stick, and the right one across."""


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
    look_at = tell_at = 0.0
    for frame in _paced(robot, rate):
        if frame.time >= look_at:
            look_at = frame.time + LOOK
            while key := pressed():
                if key in QUIT:
                    return
                pilot.press(key)
            if gamepad is not None:
                _attend(gamepad, pilot)
            if page is not None:
                _attend_page(page, pilot, frame.time)
        pilot.command(robot, frame.readings)
        if frame.time >= tell_at:
            tell_at = frame.time + TELL
            told(f"{frame.time:7.1f} s  {pilot.status()}{_measured(robot, pilot.slides)}")


def _attend(gamepad: Gamepad, pilot: Pilot) -> None:
    if gamepad.update():
        pilot.press("k")
    if gamepad.touched:
        pilot.move(Sticks(-gamepad.axis(_FORWARD), -gamepad.axis(_TURN), gamepad.axis(_SIDEWAYS)))


def _attend_page(page: PageSteering, pilot: Pilot, time: float) -> None:
    for key in page.pressed(time):
        pilot.press(key)
    if (sticks := page.sticks()) is not None:
        pilot.move(sticks)


def _paced(robot: RemoteRobot, rate: float) -> Iterator[Frame]:
    """The frames, each at its time: the server waits for a program that takes its time."""
    begun: float | None = None
    for frame in robot:
        now = time.perf_counter()
        begun = now - frame.time / rate if rate and begun is None else begun
        if begun is not None and (early := begun + frame.time / rate - now) > 0:
            time.sleep(early)
        yield frame


def _measured(robot: RemoteRobot, slides: bool) -> str:
    """What the robot's odometry says about its motion, if it tells velocities."""
    sensors = robot.settings.get("sensors", {}).items()
    name = next((name for name, about in sensors if about["type"] == "OdometrySensor" and about["shape"] == [6]), "")
    reading = robot.latest.get(name)
    if not isinstance(reading, np.ndarray):
        return ""
    sideways, speed, turn = (float(value) for value in reading[3:])
    return f"; measured {speed:+.2f} m/s, {turn:+.2f} rad/s" + (f", {sideways:+.2f} m/s" if slides else "")
