"""What the programs of the robots have in common: where the server is, how long they stay, and how they end."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path

from ubersim.client import Frame, Robot, connect
from ubersim.errors import UberSimError

ROBOTS = Path(__file__).resolve().parent.parent / "robots"

Behaviour = Callable[[Robot, Iterator[Frame]], str]
"""Lives through the frames, and says in one line what came of it."""


def run(description: str, robot: str, behave: Behaviour) -> None:
    """Brings a robot of robots/ to the server that the command line names, and lets it behave."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9040)
    parser.add_argument("--robot", type=Path, default=ROBOTS / f"{robot}.xml", help="robot file")
    parser.add_argument("--name", help="the robot's name on the server")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="leave after this simulated time")
    options = parser.parse_args()
    try:
        with connect(options.robot, options.host, options.port, name=options.name) as alive:
            print(behave(alive, takewhile(lambda frame: frame.time < options.seconds, alive)))
    except (UberSimError, OSError) as error:
        sys.exit(f"{parser.prog}: {error}")
    except KeyboardInterrupt:
        pass
