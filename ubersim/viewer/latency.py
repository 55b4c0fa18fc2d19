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
        """`about` is what the scene says of the robot."""
        self._page, self._worker = page, worker
        self.robot = robot
        """Whose latency it is."""
        self._sensor = sensor
        self.words: Any = None
        """What it is, in Markdown."""
        self._told: dict[str, Any] = {}
        self._sent: list[dict[str, Any]] = []  # what the controls have chosen since they are there
        self._numbers: dict[str, Any] = {}
        self._place = page.gui.add_folder(None)
        self._controls: Any = None
        self._folder: Any = None
        self._build(self._own(about))

    def show(self, about: Mapping[str, Any]) -> None:
        """How the robot is set now: in words; where somebody else has changed it, the controls follow."""
        own = self._own(about)
        told = _model(own)
        if told != self._told and told not in self._sent:
            self._build(own)
            return
        if self._sent and told == self._sent[-1]:
            self._sent.clear()
        self._told, self.words.content = told, _words(own)

    def _own(self, about: Mapping[str, Any]) -> Mapping[str, Any]:
        """What is said of this latency."""
        own: Mapping[str, Any] = about["sensors"].get(self._sensor, {}) if self._sensor else about
        return own

    def _build(self, own: Mapping[str, Any]) -> None:
        """Words and controls for what the latency is now."""
        if self._controls is not None:
            self._controls.remove()
        self._folder = None
        self._told = told = _model(own)
        self._sent.clear()
        self._loss = float(told["loss"])
        self._known = {name: float(value) for name, value in told.items() if isinstance(value, int | float)}
        gui = self._page.gui
        with self._place:
            self._controls = gui.add_folder(None)
        with self._controls:
            self.words = gui.add_markdown(_words(own))
            kind = told["kind"] if told["kind"] in MODELS else "constant"
            self.model: Any = gui.add_dropdown("Latency", tuple(MODELS), initial_value=kind)
            self.model.on_update(lambda _: self._page.later(self._chosen, self.model))
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
        with self._controls:
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
        numbers: dict[str, Any] = {name: float(slider.value) for name, slider in self._numbers.items()}
        self._loss = numbers.pop("loss") / 100
        self._known |= numbers
        if "max" in numbers:
            numbers["max"] = max(numbers["max"], numbers["min"])
        model = MODELS[self.model.value](**numbers, loss=self._loss, seed=self._told["seed"], order=self._told["order"])
        self._sent.append(model.to_dict())
        self.words.content = f"latency: **{model}**"
        sensor = self._sensor or None
        self._worker.do(
            lambda world: world.set_latency(self.robot, model, sensor=sensor), (self.robot, self._sensor, "latency")
        )


def _model(own: Mapping[str, Any]) -> dict[str, Any]:
    """As plain data."""
    told: dict[str, Any] = own.get("latency_model") or Constant(own.get("latency", 0.0)).to_dict()
    return told


def _words(own: Mapping[str, Any]) -> str:
    """In Markdown: what it is, and how much is under way."""
    under_way = own.get("under_way", 0)
    more = f"; {under_way} under way" if under_way else ""
    return f"latency: **{own.get('latency_words', '0 ms')}**{more}"
