"""Everything that can be shown of one thing: words, and a drawing: curves, a scan, a list, a picture."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ubersim.protocol.ground_truth import GroundTruth
from ubersim.protocol.quantity import from_plain, of_each
from ubersim.viewer.charts import MOST_CURVES, PolarPlot, RowList, UnitCurves
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page
from ubersim.viewer.picture_drawings import PictureDrawings
from ubersim.viewer.pictures import picture
from ubersim.viewer.probes import BodyProbe, JointProbe, MotorProbe, Probe
from ubersim.viewer.selection import Selection
from ubersim.viewer.traces import Traces


class PartView(Protocol):
    """Is in the folder that was open when it was made, and is removed with it."""

    sensors: tuple[str, ...]
    """`Robot/Sensor`: whose readings have to be in the truth."""
    commands: tuple[str, ...]
    """`Robot/Component`: whose commands have to be in it."""
    words: str
    """What there is to say now, in Markdown."""
    tabular: bool
    """Whether there is a table of it."""

    def take(self, truth: GroundTruth) -> None:
        """Another instant."""

    def draw(self) -> None:
        """Draws what was taken last."""

    def table(self) -> str:
        """What is drawn, as CSV."""


class TraceView:
    """Curves of what a probe finds."""

    sensors: tuple[str, ...] = ()
    tabular = True

    def __init__(self, page: Page, probe: Probe) -> None:
        self._probe = probe
        self.commands = probe.commands
        self.words = ""
        self.traces = Traces(probe.quantities, probe.steps)
        """What is drawn."""
        self._curves = UnitCurves(page, self.traces)

    def take(self, truth: GroundTruth) -> None:
        self.words = self._probe.words(truth)
        self.traces.at(truth.time)
        self._probe.trace(truth, self.traces)

    def draw(self) -> None:
        self._curves.draw()

    def table(self) -> str:
        return self.traces.table()


class _ReadingView:
    """Of one sensor."""

    commands: tuple[str, ...] = ()
    tabular = True

    def __init__(self, model: SceneModel, choice: Selection) -> None:
        self._name = choice.full_name
        self._stamp = model.stamp
        self.sensors: tuple[str, ...] = (self._name,)
        self.words = "no reading yet"

    def take(self, truth: GroundTruth) -> None:
        """Another instant; without a reading, nothing changes."""
        if self._name in truth.readings:
            time = truth.captured[self._name]
            self.words = f"{self.told(truth.readings[self._name], time, truth.time)}  \n{self._stamp} at {time:.3f} s"

    def told(self, reading: Any, time: float, now: float) -> str:
        """Takes a reading, captured at that time, and says it in words."""
        raise NotImplementedError


class ValuesView(_ReadingView):
    """Some numbers, as curves."""

    def __init__(self, page: Page, model: SceneModel, choice: Selection) -> None:
        super().__init__(model, choice)
        told = model.interface(choice.entity)["sensors"][choice.part]
        self._quantities = of_each(from_plain(told.get("quantities", ())), math.prod(told["shape"]))
        self.traces = Traces(self._quantities)
        self._curves = UnitCurves(page, self.traces)

    def told(self, reading: Any, time: float, now: float) -> str:
        values = np.atleast_1d(np.asarray(reading, dtype=float)).ravel()
        self.traces.at(now)
        for place, value in enumerate(values[: len(self._quantities)]):
            if math.isfinite(value):
                self.traces.add(place, time, float(value))
        said = [
            f"{quantity.name} **{value:.4g}** {quantity.unit}".strip()
            for quantity, value in zip(self._quantities, values, strict=False)
        ]
        return "  \n".join(said)

    def draw(self) -> None:
        self._curves.draw()

    def table(self) -> str:
        return self.traces.table()


class ScanView(_ReadingView):
    """A scanner's distances, around it."""

    def __init__(self, page: Page, model: SceneModel, choice: Selection) -> None:
        super().__init__(model, choice)
        about = model.parts(choice.entity)["sensors"].get(choice.part, {})
        told = model.interface(choice.entity)["sensors"][choice.part]
        count = math.prod(told["shape"])
        angles = np.array(about.get("angles", np.linspace(0, math.tau, count, endpoint=False)), dtype=float)
        unit = next((unit for _, unit in told.get("quantities", ())), "")
        self._plot = PolarPlot(page, angles, float(about.get("range", math.inf)), unit)
        self._unit = unit

    def told(self, reading: Any, time: float, now: float) -> str:
        values = np.atleast_1d(np.asarray(reading, dtype=float)).ravel()
        if len(values) == len(self._plot.values):
            self._plot.values = values
        hits = values[np.isfinite(values)]
        nearest = f"the smallest **{hits.min():.3f}** {self._unit}" if len(hits) else "all beyond its range"
        return f"{len(values)} values, {len(hits)} of them hits, {nearest}"

    def draw(self) -> None:
        self._plot.draw()

    def table(self) -> str:
        return self._plot.table()


class ListView(_ReadingView):
    """Rows of numbers, as many as there are."""

    def __init__(self, page: Page, model: SceneModel, choice: Selection) -> None:
        super().__init__(model, choice)
        told = model.interface(choice.entity)["sensors"][choice.part]
        about = model.parts(choice.entity)["sensors"].get(choice.part, {})
        quantities = from_plain(about.get("listed", told.get("quantities", ())))
        self._list = RowList(page, quantities, model.object_names)

    def show(self, visible: bool) -> None:
        """Hides it, or shows it again."""
        self._list.drawing.visible = visible

    def told(self, reading: Any, time: float, now: float) -> str:
        self._list.rows = np.asarray(reading, dtype=float)
        return f"**{len(self._list.rows)}** in the list"

    def draw(self) -> None:
        self._list.draw()

    def table(self) -> str:
        return self._list.table()


class PictureView(_ReadingView):
    """What a camera sees, and what its robot's program has drawn over it: the newest of both."""

    tabular = False

    def __init__(self, page: Page, model: SceneModel, choice: Selection, drawn: PictureDrawings) -> None:
        super().__init__(model, choice)
        self._choice, self._drawn = choice, drawn
        self._about = model.parts(choice.entity)["sensors"][choice.part]
        blank = np.full((self._about["height"], self._about["width"], 3), 200, np.uint8)
        self._image = page.gui.add_image(blank, format="jpeg")
        self._reading: Any = None
        self._picture: NDArray[np.uint8] | None = None
        self._changes = -1

    def show(self, visible: bool) -> None:
        """Hides it, or shows it again."""
        self._image.visible = visible

    def told(self, reading: Any, time: float, now: float) -> str:
        if reading is not self._reading:
            self._reading, self._picture = reading, None
        return f"{self._about['width']} × {self._about['height']} pixels"

    def draw(self) -> None:
        if self._picture is None and self._reading is not None:
            self._picture, self._changes = picture(self._reading, self._about), -1
        if self._picture is not None and self._changes != self._drawn.changes:
            self._changes = self._drawn.changes
            self._image.image = self._drawn.over(self._picture, self._choice.entity, self._choice.part)

    def table(self) -> str:
        return ""


class SwitchedView(_ReadingView):
    """What a camera tells whose level can be switched: pictures or lists, whichever the newest reading is."""

    def __init__(self, page: Page, model: SceneModel, choice: Selection, drawn: PictureDrawings) -> None:
        super().__init__(model, choice)
        about = model.parts(choice.entity)["sensors"][choice.part]
        self._size = about["height"], about["width"]
        self._picture, self._list = PictureView(page, model, choice, drawn), ListView(page, model, choice)
        self._now: PictureView | ListView = self._picture
        self._list.show(False)

    def told(self, reading: Any, time: float, now: float) -> str:
        self._now = self._picture if np.shape(reading)[:2] == self._size else self._list
        self._picture.show(self._now is self._picture)
        self._list.show(self._now is self._list)
        return self._now.told(reading, time, now)

    def draw(self) -> None:
        self._now.draw()

    def table(self) -> str:
        return self._list.table()


def view_of(page: Page, model: SceneModel, choice: Selection, drawn: PictureDrawings) -> PartView | None:
    """What shows it best, in the folder that is open; None for what does not change."""
    match choice.kind:
        case "Robot":
            return TraceView(page, BodyProbe(model.bodies[model.rows(choice.entity)[0]]))
        case "Object" | "Bodies":
            return TraceView(page, BodyProbe(choice.full_name))
        case "Joints":
            return TraceView(page, JointProbe(model, choice.entity, choice.part))
        case "Motors":
            return TraceView(page, MotorProbe(model, choice.entity, choice.part))
        case "Sensors":
            return _sensor_view(page, model, choice, drawn)
        case _:
            return None


def _sensor_view(page: Page, model: SceneModel, choice: Selection, drawn: PictureDrawings) -> PartView:
    about = model.parts(choice.entity)["sensors"].get(choice.part, {})
    told = model.interface(choice.entity)["sensors"][choice.part]
    named, count = len(told.get("quantities", ())), math.prod(told["shape"])
    if named > 1 and -1 in told["shape"]:
        return ListView(page, model, choice)
    if "listed" in about:
        return SwitchedView(page, model, choice, drawn)
    if about.get("output") is not None:
        return PictureView(page, model, choice, drawn)
    if ("angles" in about and count > 1) or (count > MOST_CURVES and named < count):
        return ScanView(page, model, choice)
    if count > 0:
        return ValuesView(page, model, choice)
    return UnknownView(model, choice)


class UnknownView(_ReadingView):
    """A reading of which nothing is known but its size."""

    tabular = False

    def told(self, reading: Any, time: float, now: float) -> str:
        return f"{np.asarray(reading).size} values"

    def draw(self) -> None:
        """Nothing."""

    def table(self) -> str:
        return ""
