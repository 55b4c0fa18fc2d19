"""What there is to demonstrate: one entry per robot, and nothing about how it is run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ubersim.errors import UberSimError
from ubersim.geometry import Triple
from ubersim.protocol.suggestion import suggestion

PlotKind = Literal["route", "balance", "views"]


@dataclass(frozen=True)
class Demonstration:
    """What a robot's program shows, and how it is filmed and plotted."""

    client: str
    """The program, in clients/."""
    world: str
    """Where it takes place, in worlds/."""
    seconds: float
    """How long it takes, in simulated time."""
    film: tuple[float, float]
    """From when to when it is filmed [s]."""
    film_from: Triple
    """Where the film's camera is, seen from what it looks at [m]."""
    film_target: Triple = (0.0, 0.0, 0.1)
    """What the film's camera looks at, seen from the ground below the robot [m]."""
    plots: tuple[PlotKind, ...] = ("route",)
    """What is plotted in the end."""
    arguments: tuple[str, ...] = ()
    """Of the program; `{log}` is a CSV file and `{pictures}` an empty folder for it to write to."""
    acts: tuple[tuple[float, str], ...] = ()
    """From when on what happens [s], for the progress bar and the views."""
    camera: str = ""
    """The robot's camera, if its pictures are shown: small ones in the film, and those of `views`."""
    views: range = range(0)
    """The seconds of which `views` shows the first picture that the program received."""

    def act(self, time: float) -> str:
        """What happens at a time [s]; empty if there is nothing to be said about it."""
        return next((what for since, what in reversed(self.acts) if since <= time), "")


DEMONSTRATIONS = {
    "segway": Demonstration(
        client="segway_pd.py",
        world="playground.xml",
        seconds=20.0,
        film=(5.5, 14.5),
        film_from=(2.05, -2.05, 0.6),
        film_target=(0.0, 0.45, 0.45),
        plots=("balance", "views"),
        arguments=("--script", "6:4.5,8:-4.5,12:4.5,14:0", "--log", "{log}", "--pictures", "{pictures}"),
        acts=((0.0, "balances"), (6.0, "leans back"), (8.0, "leans forward"), (12.0, "brakes"), (14.0, "balances")),
        camera="Cam",
        views=range(6, 12),
    ),
    "scout": Demonstration("scout_wander.py", "office.xml", 40.0, (4.0, 16.0), (1.6, -2.2, 2.6)),
    "pioneer": Demonstration("pioneer_wall.py", "office.xml", 60.0, (14.0, 28.0), (1.6, -2.2, 2.6)),
    "car": Demonstration("car_eight.py", "ground.xml", 22.0, (0.0, 10.0), (2.2, -2.6, 1.6)),
    "ssl": Demonstration("ssl_kick.py", "ssl_9x6.xml", 6.0, (0.0, 4.5), (1.0, -1.1, 0.7)),
    "msl_omni": Demonstration(
        "msl_square.py", "msl_12x8.xml", 14.0, (0.0, 12.0), (2.6, -2.8, 1.8), film_target=(0.0, 0.0, 0.3)
    ),
    "aibo": Demonstration("aibo_trot.py", "legged_4x3.xml", 6.5, (0.0, 6.0), (0.75, 0.65, 0.35)),
    "humanoid": Demonstration(
        "humanoid_bow.py", "ground.xml", 9.5, (0.0, 9.5), (0.6, 1.1, 0.3), film_target=(0.0, 0.0, 0.27)
    ),
}
"""By the robot's name, which is that of its file in robots/."""


def demonstration_of(robot: str) -> Demonstration:
    """The entry of a robot."""
    if robot not in DEMONSTRATIONS:
        raise UberSimError(f"there is no demonstration of {robot!r}; {suggestion(robot, DEMONSTRATIONS)}")
    return DEMONSTRATIONS[robot]
