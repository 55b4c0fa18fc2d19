"""Mesh files with colours, of all formats that trimesh reads; imported when one is needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.description.mesh_colors import as_shown, material_factor, of_triangles, texture
from ubersim.files import resolved
from ubersim.geometry import Array

FORMATS = (".stl", ".obj", ".dae", ".glb", ".gltf", ".ply", ".off", ".3mf")
GLTF = (".glb", ".gltf")
MOST_TRIANGLES = 1_000_000
SAME_PLACE = 1e-8
"""Corners that are no farther apart are one [the file's unit]."""
NEEDED = "this needs trimesh: pip install 'ubersim[import]'"


@dataclass(frozen=True, eq=False)
class PaintedMesh:
    """Triangles of one file that can be drawn as one mesh."""

    vertices: Array
    """Corners [the file's unit], (V, 3)."""
    triangles: NDArray[np.int64]
    """(T, 3)."""
    face_colors: NDArray[np.uint8] | None = None
    """Red, green and blue of each triangle, 0 to 255, (T, 3)."""
    vertex_colors: NDArray[np.uint8] | None = None
    """Of each vertex, (V, 3)."""
    texture: str = ""
    """A picture file as base64."""
    places: Array | None = None
    """Where each vertex is in the texture, (V, 2)."""


def load_meshes(path: Path) -> list[PaintedMesh]:
    """A mesh file: all that has no texture as one mesh, then each piece that has one; a ValueError says why not."""
    try:
        import trimesh
    except ImportError:
        raise ValueError(NEEDED) from None
    gltf = path.suffix.lower() in GLTF
    try:
        scene = trimesh.load_scene(str(path), resolver=_resolver(path), skip_materials=False, process=False)
        for geometry in scene.geometry.values():
            if isinstance(geometry, trimesh.Trimesh):
                (_keep_corners if gltf else _tidy)(geometry)
        pieces = [piece for piece in scene.dump() if isinstance(piece, trimesh.Trimesh) and len(piece.faces)]
    except Exception as error:  # each of trimesh's readers has errors of its own
        raise ValueError(f"{type(error).__name__}: {error}"[:200]) from None
    if not pieces:
        raise ValueError("there are no triangles in it")
    if sum(len(piece.faces) for piece in pieces) > MOST_TRIANGLES:
        raise ValueError(f"it has more than {MOST_TRIANGLES} triangles")
    found = [_painted(piece, gltf) for piece in pieces]
    for one in found:
        if not np.isfinite(one.vertices).all():
            raise ValueError("a vertex is not finite")
    plain = [one for one in found if not one.texture]
    return ([joined(plain)] if plain else []) + [one for one in found if one.texture]


def _resolver(path: Path) -> Any:
    """Where files that the mesh names are looked for: in its own folder, and nowhere above it."""
    from trimesh.resolvers import FilePathResolver

    class Inside(FilePathResolver):  # type: ignore[misc]
        def get(self, name: str) -> bytes:
            found = resolved(Path(self.parent) / name.strip())
            if not found.is_relative_to(resolved(self.parent).parent):
                raise ValueError(f"{name!r} is outside of the mesh's folder")
            return found.read_bytes()

    return Inside(str(path))


def _tidy(geometry: Any) -> None:
    """Corners in one place become one, but where triangles that meet there have different colours."""
    from trimesh.visual import ColorVisuals

    if geometry.visual.kind != "vertex":
        geometry.process()
        return
    geometry.remove_infinite_values()
    colors = np.asarray(geometry.visual.vertex_colors)
    places = np.round(geometry.vertices / SAME_PLACE)
    _, first, merged = _unique(places)
    faces = of_triangles(colors, geometry.faces) if (colors != colors[first][merged]).any() else None
    if faces is not None:
        geometry.visual = ColorVisuals(geometry, face_colors=faces)
    else:
        _, first, merged = _unique(np.column_stack([places, colors]))
    geometry.update_vertices(first, merged)


def _keep_corners(geometry: Any) -> None:
    """Corners of glTF are apart where they have to be; their colours have those of their material as a factor."""
    from trimesh.visual import ColorVisuals
    from trimesh.visual.color import to_rgba

    visual = geometry.visual
    if visual.kind == "texture" and "color" in visual.vertex_attributes and _image(visual) is None:
        corners = to_rgba(visual.vertex_attributes["color"])[:, :3]  # whatever numbers the file has
        colors = np.round(corners * (material_factor(visual.material) / 255)).astype(np.uint8)
        geometry.visual = ColorVisuals(geometry, vertex_colors=colors)


def _unique(rows: Array) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    found, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return found, first, inverse.ravel()


def _painted(piece: Any, gltf: bool) -> PaintedMesh:
    vertices, triangles = np.asarray(piece.vertices, dtype=float), np.asarray(piece.faces, dtype=np.int64)
    visual = piece.visual
    if visual.kind == "texture":
        return _of_material(vertices, triangles, visual, gltf)
    if visual.kind == "vertex":
        colors = np.asarray(visual.vertex_colors)[:, :3]
        return PaintedMesh(vertices, triangles, vertex_colors=as_shown(colors) if gltf else colors.astype(np.uint8))
    if visual.kind == "face":
        return PaintedMesh(vertices, triangles, face_colors=np.asarray(visual.face_colors)[:, :3].astype(np.uint8))
    return PaintedMesh(vertices, triangles)


def _of_material(vertices: Array, triangles: NDArray[np.int64], visual: Any, gltf: bool) -> PaintedMesh:
    material = visual.material
    # In glTF the colour is a factor on the picture; elsewhere it is what stands for the picture.
    factor = material_factor(material) if gltf else None
    image = _image(visual)
    if image is not None and len(visual.uv) == len(vertices):
        places = np.nan_to_num(np.asarray(visual.uv, dtype=float))
        return PaintedMesh(vertices, triangles, texture=texture(image, factor), places=places)
    color = material.main_color if factor is None else as_shown(factor)
    if color is None:
        return PaintedMesh(vertices, triangles)
    return PaintedMesh(vertices, triangles, face_colors=np.tile(np.uint8(color[:3]), (len(triangles), 1)))


def _image(visual: Any) -> Any:
    """The picture that is drawn on it, if it is known where; None: there is none."""
    found = getattr(visual.material, "image", None) or getattr(visual.material, "baseColorTexture", None)
    return None if visual.uv is None else found


def joined(pieces: list[PaintedMesh]) -> PaintedMesh:
    """One mesh of several without textures; colours of vertices become those of triangles if not all have them."""
    offsets = np.cumsum([0, *(len(piece.vertices) for piece in pieces)])
    vertices = np.concatenate([piece.vertices for piece in pieces])
    triangles = np.concatenate([piece.triangles + offset for piece, offset in zip(pieces, offsets, strict=False)])
    if all(piece.face_colors is None and piece.vertex_colors is None for piece in pieces):
        return PaintedMesh(vertices, triangles)
    if all(piece.vertex_colors is not None for piece in pieces):
        colors = np.concatenate([piece.vertex_colors for piece in pieces if piece.vertex_colors is not None])
        return PaintedMesh(vertices, triangles, vertex_colors=colors)
    return PaintedMesh(vertices, triangles, face_colors=np.concatenate([_faces(piece) for piece in pieces]))


def _faces(piece: PaintedMesh) -> NDArray[np.uint8]:
    if piece.face_colors is not None:
        return piece.face_colors
    if piece.vertex_colors is not None:
        means: NDArray[np.uint8] = piece.vertex_colors[piece.triangles].mean(axis=1).astype(np.uint8)
        return means
    return np.full((len(piece.triangles), 3), 178, np.uint8)  # what solids look like that say nothing
