"""What robots' programs have declared: sliders, switches, menus and texts that change them while they run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ubersim.protocol.inputs import INPUTS
from ubersim.viewer.command_worker import CommandWorker
from ubersim.viewer.inputs import PageInputs
from ubersim.viewer.page import Page, sendable

EVERY = 0.5
"""How often the server is asked what is declared [s]."""
_STEPS = 1000
"""Of a slider."""
_DIGITS = 6
"""After the point, of what is shown and typed; a field would have as many as the first value, none for 12.0."""

Declared = dict[str, dict[str, Any]]
"""By robot and name: kind, value, limits, choices."""


class ParameterPanel:
    """Follows what programs declare; what is set by another supervisor is shown as well."""

    def __init__(
        self, page: Page, worker: CommandWorker | None, ask: Callable[[], Declared], inputs: PageInputs | None = None
    ) -> None:
        """`ask` says what is declared now; `inputs` are told what programs want of the browser.

        Without a worker, as of a log, they are only shown.
        """
        self._page = page
        self._worker = worker
        self._ask = ask
        self._inputs = inputs
        self._next = 0.0
        self._forms: Declared = {}
        self._shown: dict[tuple[str, str], Any] = {}
        self._values: dict[tuple[str, str], Any] = {}
        self._moved: dict[tuple[str, str], float] = {}  # when it was set here last, which takes a while to come back
        self._place = page.gui.add_folder("Parameters of programs", visible=False)
        self._content: list[Any] = []

    def catch_up(self) -> None:
        """Looks whether there is something new, now and then."""
        if self._inputs is not None:
            self._inputs.catch_up()
        now = time.monotonic()
        if now >= self._next and self._page.get_clients():
            self._next = now + EVERY
            self.show(self._ask())

    def show(self, declared: Declared) -> None:
        """Controls for all of these."""
        if self._inputs is not None:
            self._inputs.show(declared)
        if self._worker is not None:  # what the browser itself sets; of a log, it shows what was held
            declared = {
                robot: {name: about for name, about in these.items() if name not in INPUTS}
                for robot, these in declared.items()
            }
        declared = {robot: parameters for robot, parameters in declared.items() if parameters}
        forms = {robot: {name: _form(about) for name, about in these.items()} for robot, these in declared.items()}
        if forms != self._forms:
            self._forms = forms
            self._build(declared)
        for robot, parameters in declared.items():
            for name, about in parameters.items():
                key = robot, name
                settled = time.monotonic() > self._moved.get(key, 0.0) + 2 * EVERY
                if about["value"] != self._values[key] and settled:  # another supervisor has set it
                    self._values[key] = self._shown[key].value = about["value"]

    def control(self, robot: str, name: str) -> Any:
        """What shows and changes a parameter."""
        return self._shown[robot, name]

    def _build(self, declared: Declared) -> None:
        for old in self._content:
            old.remove()
        self._content, self._shown, self._values = [], {}, {}
        self._place.visible = bool(declared)
        for robot, parameters in declared.items():
            with self._place:
                folder = self._page.gui.add_folder(sendable(robot))
            self._content.append(folder)
            with folder:
                for name, about in parameters.items():
                    self._add(robot, name, about)

    def _add(self, robot: str, name: str, about: dict[str, Any]) -> None:
        control = self._control(name, about)
        self._shown[robot, name], self._values[robot, name] = control, about["value"]

        if (worker := self._worker) is None:
            control.disabled = True
            return

        def changed(event: Any) -> None:
            value = control.value
            if event.client is None or value == self._values.get((robot, name)):  # it was set here
                return
            self._values[robot, name], self._moved[robot, name] = value, time.monotonic()
            worker.do(lambda world: world.set_parameter(robot, name, value), (robot, name))

        control.on_update(changed)

    def _control(self, name: str, about: dict[str, Any]) -> Any:
        gui, value = self._page.gui, about["value"]
        low, high = about.get("low"), about.get("high")
        match about["kind"]:
            case "bool":
                return gui.add_checkbox(name, value)
            case "choice":
                return gui.add_dropdown(name, tuple(map(sendable, about["choices"])), initial_value=sendable(value))
            case "text":
                return gui.add_text(name, sendable(value))
            case _ if low is not None and high is not None and low < high:
                number: Any = gui.add_slider(name, low, high, (high - low) / _STEPS, value)
            case _:
                number = gui.add_number(name, value, min=low, max=high)
        number.precision = _DIGITS
        return number


def _form(about: dict[str, Any]) -> dict[str, Any]:
    """All but the value."""
    return {key: part for key, part in about.items() if key != "value"}
