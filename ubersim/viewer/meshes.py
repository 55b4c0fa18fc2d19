"""Everything that is to be seen, in few nodes of the page: shapes of one form are one, so that moving them is cheap."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.geometry import quaternion_from_matrix
from ubersim.render import geometry
from ubersim.render.shapes import TriangleMesh
from ubersim.viewer.page import Page

Array = NDArray[np.float64]
_PAINT = 0.004
"""Markings lie this high above where they are, or they and the ground would show through each other [m]."""
_ROUND = 4
"""Level of detail of round shapes."""


class SceneMeshes:
    """The shapes of a scene, where their bodies are."""

    def __init__(self, page: Page, picked: Callable[[int], None] | None = None) -> None:
        self._page = page
        self._picked = picked
        self._crowds: list[_Crowd] = []
        self._wireframe = False
        self._hidden: frozenset[int] = frozenset()

    def build(self, scene: Mapping[str, Any]) -> None:
        """Shows another scene."""
        self.clear()
        groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
        for shape in scene["shapes"]:
            groups.setdefault((shape["body"] >= 0, *_form(shape)), []).append(shape)
        for number, (key, shapes) in enumerate(groups.items()):
            name = f"/{'bodies' if key[0] else 'world'}/{number}_{key[1]}"
            self._crowds.append(_Crowd(self._page, name, shapes, self._picked if key[0] else None))
        self._dress()

    def clear(self) -> None:
        """Takes everything away."""
        for crowd in self._crowds:
            crowd.node.remove()
        self._crowds.clear()

    def move(self, positions: Array, quaternions: Array) -> None:
        """Puts the bodies where they are now."""
        for crowd in self._crowds:
            if crowd.moves:
                crowd.move(positions, quaternions)

    def show(self, *, wireframe: bool | None = None, hidden: frozenset[int] | None = None) -> None:
        """How they are drawn, and the rows of bodies that are not."""
        self._wireframe = self._wireframe if wireframe is None else wireframe
        self._hidden = self._hidden if hidden is None else hidden
        self._dress()

    def _dress(self) -> None:
        for crowd in self._crowds:
            crowd.node.wireframe = self._wireframe
            crowd.hide(self._hidden)


class _Crowd:
    """Shapes of one form: one mesh, many places."""

    def __init__(
        self, page: Page, name: str, shapes: Sequence[Mapping[str, Any]], picked: Callable[[int], None] | None
    ) -> None:
        self._bodies = np.array([shape["body"] for shape in shapes])
        self._places = np.array([shape["position"] for shape in shapes], dtype=float)
        self._turns = np.array([quaternion_from_matrix(np.array(shape["rotation"])) for shape in shapes])
        self._scales = np.array([_scale(shape) for shape in shapes], dtype=np.float32)
        flat = shapes[0]["kind"] == "quad"
        if flat:
            self._places[:, 2] += _PAINT
        self.moves = bool(self._bodies[0] >= 0)
        vertices, triangles = _triangles(shapes[0])
        self.node = page.scene.add_batched_meshes_simple(
            name,
            vertices,
            triangles,
            batched_wxyzs=self._turns,
            batched_positions=self._places,
            batched_scales=self._scales,
            batched_colors=np.array([[round(255 * part) for part in shape["color"]] for shape in shapes], np.uint8),
            lod="off",
            cast_shadow=not flat,
        )
        if picked is not None:
            choose = picked

            @self.node.on_click
            def _(event: Any) -> None:
                if event.instance_index is not None:
                    choose(int(self._bodies[event.instance_index]))

    def move(self, positions: Array, quaternions: Array) -> None:
        """Follows the bodies."""
        turns = quaternions[self._bodies]
        places = positions[self._bodies] + rotated(turns, self._places)
        self.node.batched_positions = places.astype(np.float32)
        self.node.batched_wxyzs = multiplied(turns, self._turns).astype(np.float32)

    def hide(self, bodies: frozenset[int]) -> None:
        """What has no size is not seen."""
        gone = np.isin(self._bodies, list(bodies))
        self.node.batched_scales = np.where(gone[:, None], np.float32(0), self._scales)


def _form(shape: Mapping[str, Any]) -> tuple[Any, ...]:
    """What shapes have in common that differ in size at most; a capsule's caps do not bear being stretched."""
    match shape["kind"]:
        case "capsule":
            return "capsule", *shape["size"]
        case "mesh":
            return "mesh", _mesh(shape).digest
        case kind:
            return (kind,)


def _scale(shape: Mapping[str, Any]) -> tuple[float, ...]:
    size = shape["size"]
    match shape["kind"]:
        case "box":
            return tuple(size)
        case "quad":
            return size[0], size[1], 1.0
        case "sphere":
            return size[0], size[0], size[0]
        case "cylinder":
            return size[0], size[0], size[1] / 2
        case _:
            return 1.0, 1.0, 1.0


def _triangles(shape: Mapping[str, Any]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Of the unit shape; edges are sharp where corners are there twice."""
    match shape["kind"]:
        case "box":
            form = geometry.box()
        case "quad":
            form = geometry.quad()
        case "mesh":
            form = geometry.from_mesh(_mesh(shape))
        case kind:
            form = geometry.turned(kind, _ROUND)
    corners = form.vertices[:, :3].copy()
    if shape["kind"] == "capsule":
        radius, height = shape["size"]
        corners *= radius
        corners[:, 2] += form.vertices[:, 3] * height / 2
    return corners, form.indices


def _mesh(shape: Mapping[str, Any]) -> TriangleMesh:
    return TriangleMesh(shape["mesh"]["vertices"], shape["mesh"]["triangles"])


def rotated(quaternions: Array, vectors: Array) -> Array:
    """Each vector, turned by its quaternion (w, x, y, z)."""
    w, axis = quaternions[..., :1], quaternions[..., 1:]
    across = 2 * np.cross(axis, vectors)
    turned: Array = vectors + w * across + np.cross(axis, across)
    return turned


def multiplied(left: Array, right: Array) -> Array:
    """Products of quaternions: first turned by `right`, then by `left`."""
    w, x, y, z = np.moveaxis(left, -1, 0)
    a, b, c, d = np.moveaxis(right, -1, 0)
    parts = (w * a - x * b - y * c - z * d, w * b + x * a + y * d - z * c,
             w * c - x * d + y * a + z * b, w * d + x * c - y * b + z * a)  # fmt: skip
    return np.stack(parts, axis=-1)
