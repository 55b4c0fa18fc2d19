"""Everything that is to be seen, in few nodes of the page: shapes of one form are one, so that moving them is cheap."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.geometry import quaternion_from_matrix
from ubersim.render import geometry
from ubersim.render.glb import glb
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
        self._batches: list[MeshBatch] = []
        self._scene: Sequence[Mapping[str, Any]] = ()
        self._wireframe = False
        self._hidden: frozenset[int] = frozenset()

    def build(self, scene: Mapping[str, Any]) -> None:
        """Shows another scene."""
        self.clear()
        self._scene = scene["shapes"]
        groups: dict[tuple[Any, ...], dict[int, Mapping[str, Any]]] = {}
        for place, shape in enumerate(scene["shapes"]):
            groups.setdefault((shape["body"] >= 0, *form(shape)), {})[place] = shape
        for number, (key, shapes) in enumerate(groups.items()):
            name = f"/{'bodies' if key[0] else 'world'}/{number}_{key[1]}"
            batch = _ModelBatch if key[1] == "model" else MeshBatch
            self._batches.append(batch(self._page, name, shapes, self._picked if key[0] else None))
        self._apply_looks()

    def clear(self) -> None:
        """Takes everything away."""
        for batch in self._batches:
            batch.node.remove()
        self._batches.clear()

    def move(self, positions: Array, quaternions: Array) -> None:
        """Puts the bodies where they are now."""
        for batch in self._batches:
            if batch.moves:
                batch.move(positions, quaternions)

    def repaint(self, scene: Mapping[str, Any]) -> bool:
        """Shows a scene that differs from the last in its colours alone; False: it differs in more."""
        colorless = [[{**shape, "color": None} for shape in shapes] for shapes in (self._scene, scene["shapes"])]
        if colorless[0] != colorless[1]:
            return False
        self.paint({place: shape["color"] for place, shape in enumerate(scene["shapes"])})
        return True

    def paint(self, colors: Mapping[int, Sequence[float]]) -> None:
        """Gives shapes, by their places in the scene, other colours."""
        for batch in self._batches:
            batch.paint(colors)

    def show(self, *, wireframe: bool | None = None, hidden: frozenset[int] | None = None) -> None:
        """How they are drawn, and the rows of bodies that are not."""
        self._wireframe = self._wireframe if wireframe is None else wireframe
        self._hidden = self._hidden if hidden is None else hidden
        self._apply_looks()

    def _apply_looks(self) -> None:
        for batch in self._batches:
            batch.show_edges(self._wireframe)
            batch.hide(self._hidden)


class MeshBatch:
    """Shapes of one form: one mesh, many places."""

    def __init__(
        self, page: Page, name: str, places: Mapping[int, Mapping[str, Any]], picked: Callable[[int], None] | None
    ) -> None:
        shapes = list(places.values())
        self._shapes = {place: row for row, place in enumerate(places)}
        self._colors = np.array([_bytes(shape["color"]) for shape in shapes], np.uint8)
        self._bodies = np.array([shape["body"] for shape in shapes])
        self._places = np.array([shape["position"] for shape in shapes], dtype=float)
        self._turns = np.array([quaternion_from_matrix(np.array(shape["rotation"])) for shape in shapes])
        self._scales = np.array([_scale(shape) for shape in shapes], dtype=np.float32)
        flat = shapes[0]["kind"] == "quad"
        if flat:
            self._places[:, 2] += _PAINT
        self.moves = bool(self._bodies[0] >= 0)
        self.node = self._add(page, name, shapes[0])
        if picked is not None:
            choose = picked

            def clicked(event: Any) -> None:
                if event.instance_index is not None:
                    choose(int(self._bodies[event.instance_index]))

            self.node.on_click(clicked)

    def _add(self, page: Page, name: str, shape: Mapping[str, Any]) -> Any:
        """The page's node."""
        return self._add_meshes(page, name, shape, batched_colors=self._colors, cast_shadow=shape["kind"] != "quad")

    def _add_meshes(self, page: Page, name: str, shape: Mapping[str, Any], **looks: Any) -> Any:
        """A node with a mesh in each place."""
        vertices, triangles = triangles_of(shape)
        return page.scene.add_batched_meshes_simple(
            name,
            vertices,
            triangles,
            batched_wxyzs=self._turns,
            batched_positions=self._places,
            batched_scales=self._scales,
            lod="off",
            **looks,
        )

    def show_edges(self, only: bool) -> None:
        """Draws edges only, or faces."""
        self.node.wireframe = only

    def move(self, positions: Array, quaternions: Array) -> None:
        """Follows the bodies."""
        turns = quaternions[self._bodies]
        places = positions[self._bodies] + rotated(turns, self._places)
        self.node.batched_positions = places.astype(np.float32)
        self.node.batched_wxyzs = multiplied(turns, self._turns).astype(np.float32)

    def paint(self, colors: Mapping[int, Sequence[float]]) -> None:
        """Changes the colours of those of its shapes that are named."""
        painted = self._colors.copy()
        for place in self._shapes.keys() & colors.keys():
            painted[self._shapes[place]] = _bytes(colors[place])
        if (painted != self._colors).any():
            self._colors = painted
            self.node.batched_colors = painted

    def hide(self, bodies: frozenset[int]) -> None:
        """What has no size is not seen."""
        gone = np.isin(self._bodies, list(bodies))
        self.node.batched_scales = np.where(gone[:, None], np.float32(0), self._scales)


class _ModelBatch(MeshBatch):
    """Meshes of many colours: files whose materials the page does not change, but for being hidden."""

    def _add(self, page: Page, name: str, shape: Mapping[str, Any]) -> Any:
        red, green, blue = shape["color"]
        return page.scene.add_batched_glb(
            name,
            glb(_mesh(shape), (red, green, blue)),
            batched_wxyzs=self._turns,
            batched_positions=self._places,
            batched_scales=self._scales,
            lod="off",
        )

    def show_edges(self, only: bool) -> None:
        """A model keeps its faces."""

    def paint(self, colors: Mapping[int, Sequence[float]]) -> None:
        """A model keeps the colours that it came with."""


def _bytes(color: Sequence[float]) -> list[int]:
    """0..1 -> 0..255."""
    return [round(255 * part) for part in color]


def form(shape: Mapping[str, Any]) -> tuple[Any, ...]:
    """What shapes have in common that differ in size at most; a capsule's caps do not bear being stretched."""
    match shape["kind"]:
        case "capsule":
            return "capsule", *shape["size"]
        case "mesh":
            painted = shape["mesh"].get("tints") is not None or shape["mesh"].get("texture")
            return ("model", _mesh(shape).digest, *shape["color"]) if painted else ("mesh", _mesh(shape).digest)
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


def triangles_of(shape: Mapping[str, Any]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
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
    mesh = shape["mesh"]
    colors = {name: mesh[name] for name in ("tints", "places", "texture") if name in mesh}
    return TriangleMesh(mesh["vertices"], mesh["triangles"], **colors)


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
