"""Where a program's robot is, as one word: a server, this process, a log, or a real robot at its own address."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ubersim.control.program import ProgramRobot
from ubersim.errors import UberSimError

SIMULATION = "simulation"


def open_robot(source: str, robot: str | Path | None = None, **options: Any) -> ProgramRobot:
    """The robot that a word stands for:

    - `simulation`, or `simulation:WORLD`: in this process, in that world;
    - `run.mcap`: as a log of its run remembers it;
    - `HOST:PORT`, `unix:PATH`: a server, or a real robot behind a `PortServer`.

    `robot` is its document, as a file, as text, or by name; of a log, its name in it. The options are those of
    `ubersim.connect`, whose `protocol` is 2 here, so that parameters can be changed from outside; in this process
    those that a spawn has, and `seed` and `step`.
    """
    if source == SIMULATION or source.startswith(f"{SIMULATION}:"):
        from ubersim.control.simulated_robot import simulated_robot

        return simulated_robot(source[len(SIMULATION) + 1 :] or None, _document(source, robot), **options)
    if Path(source).suffix == ".mcap":
        from ubersim.control.log_robot import LogRobot

        return LogRobot(source, None if robot is None or Path(robot).suffix else str(robot))
    from ubersim.client import connect
    from ubersim.transport.address import Address

    host, port = Address.parse(source)
    return connect(_document(source, robot), host, port, **{"protocol": 2} | options)


def _document(source: str, robot: str | Path | None) -> str | Path:
    if robot is None:
        raise UberSimError(f"{source} needs a robot: its document, or the name of one that comes along")
    return robot
