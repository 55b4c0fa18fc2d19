"""Drives whatever takes a twist: wheels, omni wheels, cars, motion models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ubersim.driving.pilot import Pilot, SteeredRobot, Sticks, WantedTwist

TWIST = frozenset({"Speed", "Turn", "Sideways"})


class TwistPilot(Pilot):
    """Speed and turn of one component, sideways where the robot can; `k` kicks if it can."""

    def __init__(self, drive: str, kicker: str | None = None, *, slides: bool = True) -> None:
        self._drive, self._kicker = drive, kicker
        self._wanted = WantedTwist(slides=slides)
        self.slides = slides
        self.help = "; ".join(
            [
                "arrows or wasd: faster, slower, left, right",
                *(["q e: sideways"] if slides else []),
                "blank: stop",
                "+ -: coarser, finer",
                *(["k: kick"] if kicker else []),
            ]
        )
        self._told: dict[str, float] = {}
        self._kick = False

    def press(self, key: str) -> None:
        self._kick |= key == "k"
        self._wanted.press(key)

    def move(self, sticks: Sticks) -> None:
        self._wanted.move(sticks)

    def command(self, robot: SteeredRobot, readings: Mapping[str, Any]) -> None:
        wanted = self._wanted
        twist = {"Speed": wanted.speed, "Turn": wanted.turn}
        if self.slides:
            twist["Sideways"] = wanted.sideways
        for name, value in twist.items():
            if self._told.get(name) != value:
                robot.set(self._drive, name, value)
        self._told = twist
        if self._kick and self._kicker is not None:
            robot.set(self._kicker, "Kick", 1.0)
        self._kick = False

    def status(self) -> str:
        return str(self._wanted)


def twist_pilot(settings: Mapping[str, Any]) -> TwistPilot | None:
    """For the robot of a welcome; None if it takes no twist."""
    motors = settings.get("motors", {})
    drives = [name for name, about in motors.items() if about["properties"].keys() >= TWIST]
    kickers = [name for name, about in motors.items() if "Kick" in about["properties"]]
    if not drives:
        return None
    slides = "Sideways" not in motors[drives[0]].get("idle", ())
    return TwistPilot(drives[0], kickers[0] if kickers else None, slides=slides)
