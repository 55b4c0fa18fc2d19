"""Pictures of a sensor map: what is expected where, and where a robot may be that sees this."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from ubersim.geometry import Array
from ubersim.league.localization.perceptual_model import PerceptualModel
from ubersim.league.localization.sensor_map import SensorMap
from ubersim.plotting import new_figure, save


def plot_map(field: SensorMap, pose: tuple[float, float, float], picture: Path) -> None:
    """Above, the expectation of some features for one heading; below, p(position | what is seen at a pose).

    Darker is a smaller value above, and more probable below, where the best heading counts at each position; the
    cross is the pose.
    """
    shown = [(name, model, feature) for name, model in field.models.items() for feature in _telling(model)]
    columns = max(len(shown), len(field.models) + 1)
    figure = new_figure(2.2 * columns, 7.5)
    heading = round(pose[2] * field.grid.headings / math.tau) % field.grid.headings
    for place, (name, model, feature) in enumerate(shown):
        expected = model.table[:, feature].astype(float).reshape(field.grid.shape)[:, :, heading]
        title = f"{name}:\n{model.features[feature].name}"
        _draw(figure.add_subplot(2, columns, place + 1), field, expected, title, "viridis")
    for place, (title, values) in enumerate(beliefs(field, pose).items()):
        axes = figure.add_subplot(2, columns, columns + place + 1)
        _draw(axes, field, values, title, "Greys")
        axes.plot(*pose[:2], "+", color="tab:red", markersize=10)
    save(figure, picture)


def beliefs(field: SensorMap, pose: tuple[float, float, float]) -> dict[str, Array]:
    """Of each sensor, and of all together, the probability at each position, relative to the best."""
    poses = field.grid.poses()
    found, total = {}, np.zeros(len(poses))
    for name, model in field.models.items():
        model.imagine(np.array(pose))
        logarithms = model.log_probability(field.grid.cells(poses).nearest())
        found[f"p given {name}"] = logarithms
        total += logarithms
    found["p given all"] = total
    return {title: _relative(values.reshape(field.grid.shape)) for title, values in found.items()}


def _relative(logarithms: Array) -> Array:
    """The fourth root, so that more is to be seen, of the best heading's p relative to the best position's."""
    known = np.isfinite(logarithms)
    best = np.where(known, logarithms, -np.inf).max(axis=2)
    relative: Array = np.where(known.any(axis=2), np.exp((best - best.max()) / 4), np.nan)
    return relative


def _telling(model: PerceptualModel) -> list[int]:
    """A few features that stand for all: the distance ahead, or distance and angle of two landmarks."""
    names = [feature.name for feature in model.features]
    if all(feature.unit == "m" for feature in model.features):
        return [len(names) // 2]
    count = len(names) // 2
    return sorted({0, count - 1, count, 2 * count - 1})


def _draw(axes: Any, field: SensorMap, values: Array, title: str, colors: str) -> None:
    left, near, right, far = field.grid.area
    half = field.grid.cell / 2
    extent = left - half, right + half, near - half, far + half
    axes.imshow(np.asarray(values).T, origin="lower", extent=extent, cmap=colors, interpolation="nearest")
    axes.set_title(title, fontsize="small")
    axes.tick_params(labelsize="x-small")
