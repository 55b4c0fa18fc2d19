"""A goal finder of five modules with two solutions each: the same for simulator, log and robot, by one word.

    python goal_finder.py --from simulation                 # in this process
    python goal_finder.py --from 127.0.0.1:9040             # ubersim serve --world yard.xml --step 0.004
    python goal_finder.py --from 127.0.0.1:9041             # python fake_robot.py, or a real one
    python goal_finder.py --from run.mcap                   # as it was then

With `--processes 3` perception, behaviour and motion have a process each, with the same bits; with `--free` they run
side by side without waiting for each other.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np
from goal_modules import ONE, REACHED, THREE

from ubersim.control import ControlRun, open_robot
from ubersim.control.program import ProgramRobot
from ubersim.protocol.frames import Frame, Value

HERE = Path(__file__).parent
SWITCHES = {
    2.0: ("look", "BySonar"),
    3.0: ("avoid", "WidestGap"),
    4.0: ("drive", "TurnFirst"),
    4.5: ("aim", "RoundTheLeft"),
    5.0: ("look", "ByLaser"),
    6.0: ("locate", "ByCommands"),
    6.5: ("locate", "ByOdometry"),
}
"""Who takes over which task, and when [s]."""


def main() -> None:
    """Finds its goal, and says how."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="source", default="simulation", help="where the robot is")
    parser.add_argument("--processes", type=int, choices=(1, 3), default=1)
    parser.add_argument("--free", action="store_true", help="no lockstep between processes")
    parser.add_argument("--switch", action="store_true", help="other solutions take over on the way")
    parser.add_argument("--seconds", type=float, default=30.0, help="it gives up then")
    given = parser.parse_args()
    source = f"simulation:{HERE / 'yard.xml'}" if given.source == "simulation" else given.source
    options = {"step": 0.004} if given.source == "simulation" else {}
    robot = open_robot(source, None if source.endswith(".mcap") else "pioneer", **options)
    try:
        layout = THREE if given.processes == 3 else ONE
        with ControlRun(layout, robot, lockstep=not given.free) as control:
            find(control, robot, given.seconds, SWITCHES if given.switch else {})
    finally:
        robot.close()


def find(control: ControlRun, robot: ProgramRobot, seconds: float, switches: dict[float, tuple[str, str]]) -> None:
    """Until the robot is at the goal, or time is over, or there is no more of it."""
    left = dict(switches)
    begin: float | None = None
    frame: Frame | None
    while (frame := control.step()) is not None:
        begin = frame.time if begin is None else begin
        time = frame.time - begin
        for due in [due for due in left if due <= time]:
            task, solution = left.pop(due)
            control.set(task, solution)
            print(f"{time:6.3f} s: {solution} takes over {task}", flush=True)
        odometry = robot.read("Odometry")
        if odometry is not None and odometry_distance(control, odometry) < REACHED:
            print(f"{time:6.3f} s: at the goal", flush=True)
            return
        if time >= seconds:
            print(f"{time:6.3f} s: not at the goal, at {odometry}", flush=True)
            return
    print("no more frames", flush=True)


def odometry_distance(control: ControlRun, odometry: Value) -> float:
    """From where the wheels say that it is to the goal [m]."""
    x, y = np.asarray(odometry)[:2]
    goal = control.parameters
    return math.hypot(float(goal["goal.x"]) - x, float(goal["goal.y"]) - y)


if __name__ == "__main__":
    main()
