"""What comes of a demonstration."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ubersim.demos.camera_history import CameraHistory
    from ubersim.demos.demonstration import Demonstration
    from ubersim.demos.film import Film
    from ubersim.demos.outside_view import OutsideView
    from ubersim.demos.trajectory import Trajectory
    from ubersim.simulation import Simulation


@dataclass(frozen=True)
class DemoResult:
    """All that plots and summary are made from."""

    demonstration: Demonstration
    simulation: Simulation
    """As it was in the end."""
    trajectory: Trajectory
    film: Film
    outside: OutsideView
    history: CameraHistory | None
    """Of the camera whose pictures are shown."""
    log: Path
    """What the program wrote about itself, if it does."""
    pictures: Path
    """The folder with the pictures that the program received, if it keeps them."""
    said: str
    """The program's last words, if it has any."""
    wall: float
    """How long it took [s]."""
