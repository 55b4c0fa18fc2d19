"""Sliders that change a running robot: its latency, its motors, its sensors."""

from __future__ import annotations

import math
from collections.abc import Callable

from ubersim.client.supervisor import Supervisor
from ubersim.protocol.properties import on_axis
from ubersim.protocol.quantity import Quantity
from ubersim.viewer.command_worker import CommandWorker
from ubersim.viewer.latency import LatencyChooser
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page
from ubersim.viewer.selection import Selection

_DRIVEN = -5.0, 5.0
"""Of what robots are told in metres per second, not their wheels."""
_JOINT = {"Vel": (-20.0, 20.0), "FMax": (0.0, 100.0)}
_MOTOR = {
    "Target": (-math.pi, math.pi),
    "Speed": (-20.0, 20.0),
    "Voltage": (-24.0, 24.0),
    "Torque": (-50.0, 50.0),
    "Steering": (-1.0, 1.0),
    "Curvature": (-2.0, 2.0),
    "TurnRate": (-6.0, 6.0),
    "SpeedX": _DRIVEN,
    "SpeedY": _DRIVEN,
    "SpeedZ": _DRIVEN,
    "PitchRate": (-6.0, 6.0),
    "RollRate": (-6.0, 6.0),
    "Turn": (-6.0, 6.0),
    "Sideways": _DRIVEN,
    "LeftWheel": (-20.0, 20.0),
    "RightWheel": (-20.0, 20.0),
}
_BOUNDLESS = 1e5
"""Values above this one stand for no bound."""


def _range(value: float) -> tuple[float, float]:
    """Of a slider for a property of which nothing but its value is known."""
    return 0.0, 100.0 if value > _BOUNDLESS else 4.0 * value or 1.0


class Tuning:
    """Adds sliders to the folder that is open. A client that sets the same property all the time overrides them."""

    def __init__(self, page: Page, worker: CommandWorker) -> None:
        self._page = page
        self._worker = worker

    def add(self, model: SceneModel, choice: Selection) -> LatencyChooser | None:
        """What can be changed of a thing: of a robot its latency, of bodies, objects and solids nothing.

        Returns what shows its latency, if it has one.
        """
        robot, name = choice.entity, choice.part
        match choice.kind:
            case "Robot":
                return LatencyChooser(self._page, self._worker, model.parts(robot), robot)
            case "Joints":
                self.joint(model, robot, name)
            case "Motors":
                self.motor(model, robot, name)
            case "Sensors":
                return self.sensor(model, robot, name)
        return None

    def joint(self, model: SceneModel, robot: str, joint: str) -> None:
        """Speed and strength of a joint's own motor."""
        now = model.parts(robot)["joints"].get(joint, {})
        for axis, unit in enumerate(model.interface(robot)["joints"][joint]["units"]):
            for name, limits in _JOINT.items():
                numbered = on_axis(name, axis)
                own = f"{unit}/s" if name == "Vel" else "N" if unit == "m" else "N m"
                if numbered in now:
                    self._property(robot, joint, numbered, limits, now[numbered], own)

    def motor(self, model: SceneModel, robot: str, motor: str) -> None:
        """All properties of a motor."""
        units = model.interface(robot)["motors"][motor].get("units", {})
        for name, value in model.parts(robot)["motors"].get(motor, {"values": {}})["values"].items():
            limits = _MOTOR.get(name) or _range(value)
            if name in _MOTOR and units.get(name) == "m/s":
                limits = _DRIVEN
            self._property(robot, motor, name, limits, value, units.get(name, ""))

    def sensor(self, model: SceneModel, robot: str, sensor: str) -> LatencyChooser:
        """Noise, latency and frequency of a sensor."""
        about = model.parts(robot)["sensors"].get(sensor, {})
        noise = float(about.get("noise", 0.0))
        most = max(4 * noise, 20.0 if about.get("output") == "image" else 0.2)
        self._property(robot, sensor, "Noise", (0.0, most), noise)
        latency = LatencyChooser(self._page, self._worker, model.parts(robot), robot, sensor)
        self._property(robot, sensor, "Frequency", (0.0, 200.0), about.get("frequency") or 0.0, "Hz")
        return latency

    def _property(
        self, robot: str, component: str, name: str, limits: tuple[float, float], value: float = 0.0, unit: str = ""
    ) -> None:
        self._slider(
            str(Quantity(name, unit)), limits, value,
            lambda world, value: world.set(robot, component, name, value), kind=(robot, component, name),
        )  # fmt: skip

    def _slider(
        self,
        label: str,
        limits: tuple[float, float],
        value: float,
        change: Callable[[Supervisor, float], None],
        *,
        kind: object,
        step: float = 0.0,
    ) -> None:
        low, high = limits
        if high < value < _BOUNDLESS:
            high = math.ceil(value)
        slider = self._page.gui.add_slider(label, low, high, step or (high - low) / 1000, min(max(value, low), high))

        def changed(_: object) -> None:
            wanted = float(slider.value)
            self._worker.do(lambda world: change(world, wanted), kind)

        slider.on_update(changed)
