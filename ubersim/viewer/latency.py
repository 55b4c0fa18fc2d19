"""A latency as what it is, and what lets one choose another: its model, and the model's numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ubersim.timing.latency import Constant, LatencyModel
from ubersim.timing.normal import Normal
from ubersim.timing.uniform import Uniform
from ubersim.viewer.command_worker import CommandWorker
from ubersim.viewer.page import Page

LONGEST = 300.0
"""Of the latencies that a slider offers [ms]."""
MODELS: dict[str, type[LatencyModel]] = {"constant": Constant, "uniform": Uniform, "normal": Normal}
_NUMBERS = {
    "constant": {"value": "Latency [ms]"},
    "uniform": {"min": "Least [ms]", "max": "Longest [ms]"},
    "normal": {"mean": "Mean [ms]", "sigma": "Spread [ms]", "min": "Least [ms]"},
}
"""Fields of the models, and what their sliders are called."""


class LatencyChooser:
    """Of a robot's commands, or of a sensor's readings; in the folder that is open."""

    def __init__(
        self, page: Page, worker: CommandWorker, about: Mapping[str, Any], robot: str, sensor: str = ""
    ) -> None:
        """`about` is what the scene says of the robot or of the sensor."""
        self._page, self._worker = page, worker
        self._robot, self._sensor = robot, sensor
        told = about.get("latency_model", {"kind": "constant", "value": about.get("latency", 0.0)})
        self._loss = float(told.get("loss", 0.0))
        self._kept = {name: told[name] for name in ("seed", "order") if name in told}
        under_way = about.get("under_way", 0)
        more = f"; {under_way} under way when it was chosen" if under_way else ""
        gui = page.gui
        self.words = gui.add_markdown(f"latency: **{about.get('latency_words', '0 ms')}**{more}")
        kind = told["kind"] if told["kind"] in MODELS else "constant"
        self.model: Any = gui.add_dropdown("Latency", tuple(MODELS), initial_value=kind)
        self.model.on_update(lambda _: page.later(self._chosen, self.model))
        self._place = gui.add_folder(None)
        self._numbers: dict[str, Any] = {}
        self._folder: Any = None
        self._known = {name: float(value) for name, value in told.items() if isinstance(value, int | float)}
        self._lay_out()

    def _chosen(self) -> None:
        """Another model: it acts at once, with the numbers that its sliders begin with."""
        self._lay_out()
        self._changed()

    def _lay_out(self) -> None:
        """Sliders for what the model takes; numbers that several models have stay."""
        if self._folder is not None:
            self._folder.remove()
        typical = next((self._known[name] for name in ("value", "mean", "max") if name in self._known), 0.0)
        with self._place:
            self._folder = self._page.gui.add_folder(None)
        with self._folder:
            self._numbers = {}
            for name, label in _NUMBERS[self.model.value].items():
                start = self._known.get(name, typical / 5 if name == "sigma" else 0.0 if name == "min" else typical)
                slider = self._page.gui.add_slider(label, 0.0, max(LONGEST, start), 1.0, start)
                slider.on_update(lambda _: self._changed())
                self._numbers[name] = slider
            loss = self._page.gui.add_slider("Loss [%]", 0.0, 100.0, 1.0, round(100 * self._loss))
            loss.on_update(lambda _: self._changed())
            self._numbers["loss"] = loss

    def _changed(self) -> None:
        numbers = {name: float(slider.value) for name, slider in self._numbers.items()}
        self._loss = numbers.pop("loss") / 100
        self._known |= numbers
        if "max" in numbers:
            numbers["max"] = max(numbers["max"], numbers["min"])
        model = MODELS[self.model.value](**numbers, loss=self._loss, **self._kept)  # type: ignore[arg-type]
        self.words.content = f"latency: **{model}**"
        sensor = self._sensor or None
        self._worker.do(
            lambda world: world.set_latency(self._robot, model, sensor=sensor), (self._robot, self._sensor, "latency")
        )
