"""The tree of robots, bodies, joints, motors and sensors: pick one to see and to change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from ubersim.errors import UberSimError
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page
from ubersim.viewer.panels import BodyGauge, Gauge, JointGauge, MotorGauge, SensorGauge
from ubersim.viewer.tuning import Tuning

Kind = Literal["Bodies", "Joints", "Motors", "Sensors"]
NOBODY = "nobody"


class Inspector:
    """What is selected: a robot or an object, and one part of it."""

    def __init__(
        self, page: Page, tuning: Tuning | None, refresh: Callable[[SceneModel], None] = lambda _: None
    ) -> None:
        """`refresh` finds out how robots are set now."""
        self.thing = ""
        """The robot or object, if there is any."""
        self.sensor = ""
        """`Robot/Sensor`, if a sensor is selected."""
        self.body = ""
        """The body that is selected, or the first."""
        self._page = page
        self._tuning = tuning
        self._refresh = refresh
        self._cast: SceneModel | None = None
        self._wanted = ""  # what somebody has picked; what is shown otherwise gives way to the first robot that comes
        self._chosen: tuple[Kind, str] | None = None
        self._gauge: Gauge | None = None
        self._who: Any = page.gui.add_dropdown("Robot", (NOBODY,))
        self._who.on_update(lambda event: self._picked(event))
        self._place = page.gui.add_folder(None)
        self._tree: Any = None
        self._detail: Any = None

    def meet(self, cast: SceneModel) -> None:
        """Robots have come or gone."""
        self._cast = cast
        keep = self.thing in cast.things and (self._wanted == self.thing or self.thing in cast.robots)
        thing = self.thing if keep else next(iter(cast.things), "")
        self._who.options = tuple(cast.things) or (NOBODY,)
        if thing != self.thing or self._tree is None:
            self.choose(thing)
        elif self._chosen is not None:
            self._open(*self._chosen)

    def pick(self, thing: str, body: str = "") -> None:
        """Somebody wants to see it."""
        self._wanted = thing
        self.choose(thing, body)

    def choose(self, thing: str, body: str = "") -> None:
        """Shows another robot or object, and perhaps one of its bodies."""
        if thing != self.thing or self._tree is None:
            self.thing = thing
            self._chosen = None
            self._grow()
            self._who.value = thing or NOBODY
        bodies = self._names("Bodies")
        chosen = body if body in bodies else next(iter(bodies), "")
        if chosen and (body or self._chosen is None):
            self._open("Bodies", chosen)

    def show(self, truth: GroundTruth) -> None:
        """Another instant."""
        if self._gauge is not None and self.thing:
            try:
                self._gauge.show(truth)
            except UberSimError:  # it has gone; the next legend says so
                self._gauge = None

    def _picked(self, event: Any) -> None:
        if event.client is not None and self._who.value != self.thing:
            self._page.later(lambda: self.pick(self._who.value))

    def _names(self, kind: Kind) -> list[str]:
        if self._cast is None or not self.thing:
            return []
        if kind == "Bodies":
            names = (self._cast.bodies[row] for row in self._cast.rows(self.thing))
            return [name.partition("/")[2] or name for name in names]
        return list(self._cast.introduced(self.thing)[kind.lower()])

    def _grow(self) -> None:
        """The tree of the thing."""
        for old in (self._tree, self._detail):
            if old is not None:
                old.remove()
        self._detail = self._gauge = None
        with self._place:
            self._tree = self._page.gui.add_folder(self.thing or NOBODY)
        if self._cast is None or not self.thing:
            return
        with self._tree:
            if self.thing in self._cast.robots and self._tuning is not None:
                self._tuning.latency(self._cast, self.thing)
            for kind in ("Bodies", "Joints", "Motors", "Sensors"):
                self._branch(kind)

    def _branch(self, kind: Kind) -> None:
        if names := self._names(kind):
            group = self._page.gui.add_button_group(kind, names)
            group.on_click(lambda _: self._page.later(lambda: self._open(kind, group.value)))

    def _open(self, kind: Kind, name: str) -> None:
        """Shows one part."""
        if self._cast is None or name not in self._names(kind):
            return
        if self._detail is not None:
            self._detail.remove()
        self._refresh(self._cast)
        robot, page = self.thing, self._page
        self._chosen, self.sensor, self._gauge = (kind, name), "", None
        with self._place:
            self._detail = page.gui.add_folder(f"{robot} / {name}")
        with self._detail:
            if kind == "Bodies":
                self.body = f"{robot}/{name}" if f"{robot}/{name}" in self._cast.bodies else name
                self._gauge = BodyGauge(page, self.body)
            elif kind == "Joints":
                axes = self._cast.introduced(robot)["joints"][name]["axes"]
                self._gauge = JointGauge(page, f"{robot}/{name}", axes)
            elif kind == "Motors":
                about = self._cast.parts(robot)["motors"].get(name, {"drives": ()})
                self._gauge = MotorGauge(page, robot, [(joint, axis) for joint, axis in about["drives"]])
            elif kind == "Sensors":
                self.sensor = f"{robot}/{name}"
                self._gauge = SensorGauge(page, self._cast, robot, name)
            if self._tuning is not None:
                self._tuning.part(self._cast, robot, kind, name)
