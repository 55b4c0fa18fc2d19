"""What the programs of the robots have in common: where the server is, how long they stay, how they end."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

import ubersim
from ubersim.transport.token import token_in

ROBOTS = Path(__file__).resolve().parent.parent / "robots"

Behaviour = Callable[[ubersim.RemoteRobot, Iterator[ubersim.Frame]], str]
"""Lives through the frames, and says in one line what came of it."""


def parser_for(description: str, robot: str) -> argparse.ArgumentParser:
    """A command line that says which server, and how a robot of robots/ appears there."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9040)
    parser.add_argument("--token-file", type=Path, help="file with the server's token, if it has one")
    parser.add_argument("--robot", type=Path, default=ROBOTS / f"{robot}.xml", help="robot file")
    parser.add_argument("--name", help="the robot's name on the server")
    return parser


def arrive(options: argparse.Namespace, latency: float | None = None) -> ubersim.RemoteRobot:
    """Brings the robot to the server that the command line names."""
    token = None if options.token_file is None else token_in(options.token_file)
    return ubersim.connect(options.robot, options.host, options.port, name=options.name, latency=latency, token=token)


def run(description: str, robot: str, behave: Behaviour) -> None:
    """Brings a robot of robots/ to the server that the command line names, and lets it behave."""
    parser = parser_for(description, robot)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="leave after this simulated time")
    options = parser.parse_args()
    try:
        with arrive(options) as alive:
            print(behave(alive, takewhile(lambda frame: frame.time < options.seconds, alive)))
    except (ubersim.UberSimError, OSError) as error:
        sys.exit(f"{parser.prog}: {error}")
    except KeyboardInterrupt:
        pass


def heading_of(quaternion: ArrayLike) -> float:
    """Angle about +z of a quaternion w x y z, 0 along the world's +y [rad]."""
    w, x, y, z = map(float, np.asarray(quaternion))
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
