"""The newest state of what is selected: as text, as a plot, as a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ubersim.protocol.ground_truth import GroundTruth
from ubersim.protocol.properties import on_axis
from ubersim.protocol.quantity import Quantity, from_plain, of_each
from ubersim.viewer.charts import MOST_CURVES, Bars, Curves, UnitCurves
from ubersim.viewer.model import SceneModel
from ubersim.viewer.page import Page
from ubersim.viewer.pictures import picture


class Panel(Protocol):
    """Is in the folder that was open when it was made, and is removed with it."""

    text: Any
    """What it says in words, in Markdown."""

    def show(self, truth: GroundTruth) -> None:
        """Another instant."""


class BodyPanel:
    """Where a body is, and how fast."""

    def __init__(self, page: Page, body: str) -> None:
        self._body = body
        self.text = page.gui.add_markdown("")
        self._curves = UnitCurves(page, (Quantity("speed", "m/s"), Quantity("height", "m")))

    def show(self, truth: GroundTruth) -> None:
        body = truth[self._body]
        forward, up = body.rotation[:, 1], body.rotation[:, 2]
        heading = math.degrees(math.atan2(-forward[0], forward[1]))
        pitch = math.degrees(math.atan2(forward[2], up[2]))
        speed = float(np.linalg.norm(body.linear))
        self.text.content = (
            f"position {_vector(body.position)} m  \nheading {heading:.1f}°, pitch {pitch:.1f}°  \n"
            f"velocity {_vector(body.linear)} m/s  \nturns {_vector(body.angular)} rad/s"
        )
        self._curves.add(truth.time, (speed, float(body.position[2])))


class JointPanel:
    """How far a joint is, and how fast it moves."""

    def __init__(self, page: Page, joint: str, units: Sequence[str]) -> None:
        self._joint, self._units = joint, units
        self.text = page.gui.add_markdown("")
        names = ("position", ""), ("rate", "/s")
        self._curves = UnitCurves(
            page,
            tuple(Quantity(on_axis(name, axis), unit + per) for axis, unit in enumerate(units) for name, per in names),
        )

    def show(self, truth: GroundTruth) -> None:
        pairs = [truth.joint(self._joint, axis) for axis in range(len(self._units))]
        self.text.content = "  \n".join(
            f"position {position:.4f} {unit}, rate {rate:.4f} {unit}/s"
            for (position, rate), unit in zip(pairs, self._units, strict=True)
        )
        self._curves.add(truth.time, [value for pair in pairs for value in pair])


class MotorPanel:
    """How fast everything moves that a motor drives."""

    def __init__(self, page: Page, robot: str, drives: Sequence[tuple[str, int]]) -> None:
        self._axes = [(f"{robot}/{joint}", axis) for joint, axis in drives][:MOST_CURVES]
        self.text = page.gui.add_markdown("")
        names = [f"{joint} {axis + 1}" if axis else joint for joint, axis in drives][:MOST_CURVES]
        self._curves = Curves(page, [f"rate of {name}" for name in names]) if names else None

    def show(self, truth: GroundTruth) -> None:
        pairs = [truth.joint(*axis) for axis in self._axes]
        self.text.content = "  \n".join(
            f"{joint.partition('/')[2]}: position {position:.4f}, rate {rate:.4f} /s"
            for (joint, _), (position, rate) in zip(self._axes, pairs, strict=True)
        )
        if self._curves is not None:
            self._curves.add(truth.time, [rate for _, rate in pairs])


class SensorPanel:
    """The newest reading of a sensor."""

    def __init__(self, page: Page, model: SceneModel, robot: str, sensor: str) -> None:
        self._name = f"{robot}/{sensor}"
        self._stamp = model.stamp
        self._about = model.parts(robot)["sensors"].get(sensor, {})
        self._page = page
        self.text = page.gui.add_markdown("no reading yet")
        self._curves: UnitCurves | None = None
        self._bars: Bars | None = None
        self._picture: Any = None
        told = model.interface(robot)["sensors"][sensor]
        count = math.prod(told["shape"])
        self._quantities = of_each(from_plain(told.get("quantities", ())), count) if count > 0 else ()
        if self._about.get("output") is not None:
            blank = np.full((self._about["height"], self._about["width"], 3), 200, np.uint8)
            self._picture = page.gui.add_image(blank, format="jpeg")
        elif count > MOST_CURVES and len(told.get("quantities", ())) < count:
            angles = self._about.get("angles", range(count))
            unit = "angle [rad]" if "angles" in self._about else "number"
            each = self._quantities[0].unit
            self._bars = Bars(page, np.array(angles, dtype=float), f"{sensor} [{each}]" if each else sensor, unit)
        elif count > 0:
            self._curves = UnitCurves(page, self._quantities)

    def show(self, truth: GroundTruth) -> None:
        reading = truth.readings.get(self._name)
        if reading is None:
            return
        captured = f"{self._stamp} at {truth.captured[self._name]:.3f} s"
        if self._picture is not None:
            drawn = picture(reading, self._about)
            if drawn is not None:
                self._picture.image = drawn
            self.text.content = captured
            return
        values = np.atleast_1d(np.asarray(reading, dtype=float)).ravel()
        if self._bars is not None:
            nearest = values.min() if len(values) else math.inf
            self.text.content = f"{len(values)} values, the smallest {nearest:.3f}; {captured}"
            self._bars.show(values)
        elif self._curves is not None:
            told = zip(self._quantities, values, strict=False)
            said = [f"{quantity.name} **{value:.4g}** {quantity.unit}".strip() for quantity, value in told]
            self.text.content = "  \n".join([*said, captured])
            self._curves.add(truth.captured[self._name], [float(value) for value in values])


def _vector(values: Any) -> str:
    return "(" + ", ".join(f"{value:.3f}" for value in values) + ")"
