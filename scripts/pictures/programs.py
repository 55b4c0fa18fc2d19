"""Programs of robots that pictures are taken of, beside those of clients/."""

from __future__ import annotations

import importlib
import math
import sys
from pathlib import Path

import ubersim
from ubersim.control.balancer import BALANCE, Balancer

EXAMPLES = Path(__file__).parents[2] / "examples"


def balance(robot: ubersim.RemoteRobot) -> None:
    """The Segway stands, and does nothing else."""
    balancer = Balancer()
    for frame in robot:
        if "Tilt" in frame:
            _drive(robot, balancer.update(float(frame["Tilt"])))


def balance_and_tell(robot: ubersim.RemoteRobot) -> None:
    """The Segway stands, has parameters, and says how it does: as words, as a curve, as an arrow of its speed."""
    lean = robot.parameter("lean", 0.0, low=-5, high=5)
    turn = robot.parameter("turn", "straight", choices=("straight", "left", "right"))
    draws = robot.parameter("arrow", True)
    robot.parameter("note", "on the playground")
    balancer, said = Balancer(), 0.0
    for frame in robot:
        if "Tilt" not in frame:
            continue
        tilt = float(frame["Tilt"])
        balancer.lean = math.radians(float(lean.value))
        speed = balancer.update(tilt)
        _drive(robot, speed, 0.5 * ((turn.value == "right") - (turn.value == "left")))
        robot.log("speed", speed)
        if draws.value:
            line = [[(0.0, 0.0, 1.1), (0.0, 0.5 * speed, 1.1)]]
            robot.log("heading", {"lines": line, "color": (0.9, 0.2, 0.1), "width": 0.02}, space="MainBody")
        if frame.time >= said:
            said = frame.time + 0.5
            steady = abs(tilt - BALANCE - balancer.lean) < math.radians(1.0)
            words = f"tilt is {math.degrees(tilt):.1f} degrees"
            robot.log("state", words, level="info" if steady else "warning")


def mark_ball(robot: ubersim.RemoteRobot) -> None:
    """The AIBO marks the ball that it sees."""
    sys.path.insert(0, str(EXAMPLES))
    look = importlib.import_module("mark_ball").look
    for frame in robot:
        look(robot, frame)


def _drive(robot: ubersim.RemoteRobot, speed: float, turn: float = 0.0) -> None:
    robot.set("LMotor", "Vel", speed + turn)
    robot.set("RMotor", "Vel", speed - turn)
