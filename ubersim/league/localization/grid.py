"""All poses on a field: a grid over x, y and heading, and where between its nodes a pose lies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError
from ubersim.geometry import Array

_Axis = tuple[NDArray[np.int64], NDArray[np.int64], Array]
"""Along one axis: the nearest nodes, those on the other side, and how far from the first to the second."""

MOST_POSES = 4_000_000
"""That a grid may have."""


class Cells(NamedTuple):
    """Where poses lie between the nodes."""

    corners: NDArray[np.int64]
    """The eight nodes around each pose, shape (N, 8); the nearest one comes first."""
    shares: Array
    """How much each of them counts, shape (N, 8)."""
    inside: NDArray[np.bool_]
    """Whether a pose is on the grid at all, shape (N,)."""

    def nearest(self) -> Cells:
        """The nearest nodes alone."""
        return Cells(self.corners[:, :1], self.shares[:, :1], self.inside)


@dataclass(frozen=True)
class PoseGrid:
    """Nodes (i, j, k) at x = left + i cell, y = near + j cell, heading = k 2π / headings; counted in that order."""

    left: float
    near: float
    cell: float
    """From node to node [m]."""
    columns: int
    rows: int
    headings: int

    @staticmethod
    def over(area: tuple[float, float, float, float], cell: float, headings: int) -> PoseGrid:
        """Over the rectangle `left near right far` [m]."""
        left, near, right, far = area
        if not (right > left and far > near and math.isfinite(right - left + far - near)):
            raise UberSimError(f"an area is LEFT NEAR RIGHT FAR in metres, the smaller ones first; not {area}")
        if not 0.01 <= cell <= 10 or not 4 <= headings <= 720:
            raise UberSimError("a cell has 0.01 to 10 m, and there are 4 to 720 headings")
        columns, rows = (math.ceil(size / cell - 1e-9) + 1 for size in (right - left, far - near))
        if columns * rows * headings > MOST_POSES:
            raise UberSimError(f"{columns} x {rows} x {headings} poses are too many; allowed are {MOST_POSES}")
        return PoseGrid(left, near, cell, columns, rows, headings)

    def __len__(self) -> int:
        return self.columns * self.rows * self.headings

    @property
    def shape(self) -> tuple[int, int, int]:
        """Columns, rows, headings."""
        return self.columns, self.rows, self.headings

    @property
    def area(self) -> tuple[float, float, float, float]:
        """The first and the last node's places: left, near, right, far [m]."""
        return self.left, self.near, self.left + (self.columns - 1) * self.cell, self.near + (self.rows - 1) * self.cell

    def poses(self) -> Array:
        """Of all nodes: x, y [m] and heading [rad], shape (len, 3)."""
        i, j, k = np.unravel_index(np.arange(len(self)), self.shape)
        x, y = self.left + i * self.cell, self.near + j * self.cell
        return np.stack([x, y, k * (math.tau / self.headings)], axis=1)

    def node(self, pose: Sequence[float] | Array) -> int:
        """The number of the node nearest to a pose."""
        x, y, heading = (float(value) for value in pose)
        column = min(max(round((x - self.left) / self.cell), 0), self.columns - 1)
        row = min(max(round((y - self.near) / self.cell), 0), self.rows - 1)
        return (column * self.rows + row) * self.headings + round(heading * self.headings / math.tau) % self.headings

    def cells(self, poses: Array) -> Cells:
        """Where poses, (N, 3), lie between the nodes; headings may have any number of turns."""
        x, y = (poses[:, 0] - self.left) / self.cell, (poses[:, 1] - self.near) / self.cell
        inside = (x >= -1e-9) & (y >= -1e-9) & (x <= self.columns - 1 + 1e-9) & (y <= self.rows - 1 + 1e-9)
        turn = np.where(inside, poses[:, 2] * (self.headings / math.tau) % self.headings, 0.0)
        axes = []
        for place, count in ((x, self.columns), (y, self.rows), (turn, 0)):
            bounded = np.where(inside, place, 0.0)
            nearest = np.rint(bounded)
            offset = bounded - nearest
            other = nearest + np.where(offset < 0, -1, 1)
            if count:
                nearest, other = np.clip(nearest, 0, count - 1), np.clip(other, 0, count - 1)
            else:
                nearest, other = nearest % self.headings, other % self.headings
            axes.append((nearest.astype(np.int64), other.astype(np.int64), np.abs(offset)))
        return self._corners(axes, inside)

    def _corners(self, axes: list[_Axis], inside: NDArray[np.bool_]) -> Cells:
        corners, shares = [], []
        for which in range(8):
            node, share = np.zeros(len(inside), dtype=np.int64), np.ones(len(inside))
            for bit, ((nearest, other, part), size) in enumerate(zip(axes, self.shape, strict=True)):
                far = which >> bit & 1
                node = node * size + (other if far else nearest)
                share = share * (part if far else 1.0 - part)
            corners.append(node)
            shares.append(share)
        return Cells(np.stack(corners, axis=1), np.stack(shares, axis=1), inside)
