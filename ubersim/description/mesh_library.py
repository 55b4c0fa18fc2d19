"""Mesh files with colours, of all formats that trimesh reads; imported when one is needed."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.description.texture import picture_text
from ubersim.files import resolved
from ubersim.geometry import Array

FORMATS = (".stl", ".obj", ".dae", ".glb", ".gltf", ".ply", ".off", ".3mf")
LARGEST_TEXTURE = 1024
"""Edge that pictures are made smaller to [px]."""
MOST_TRIANGLES = 1_000_000
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
    try:
        scene = trimesh.load_scene(str(path), resolver=_resolver(path), skip_materials=False)
        pieces = [piece for piece in scene.dump() if isinstance(piece, trimesh.Trimesh) and len(piece.faces)]
    except Exception as error:  # each of trimesh's readers has errors of its own
        raise ValueError(f"{type(error).__name__}: {error}"[:200]) from None
    if not pieces:
        raise ValueError("there are no triangles in it")
    if sum(len(piece.faces) for piece in pieces) > MOST_TRIANGLES:
        raise ValueError(f"it has more than {MOST_TRIANGLES} triangles")
    found = [_painted(piece) for piece in pieces]
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


def _painted(piece: Any) -> PaintedMesh:
    vertices, triangles = np.asarray(piece.vertices, dtype=float), np.asarray(piece.faces, dtype=np.int64)
    visual = piece.visual
    if visual.kind == "texture":
        image = getattr(visual.material, "image", None) or getattr(visual.material, "baseColorTexture", None)
        if image is not None and visual.uv is not None and len(visual.uv) == len(vertices):
            factor = np.asarray(getattr(visual.material, "baseColorFactor", None) or [255] * 4)
            places = np.nan_to_num(np.asarray(visual.uv, dtype=float))
            if factor.min() >= 250:  # a picture that is tinted as well would need both
                return PaintedMesh(vertices, triangles, texture=_texture(image), places=places)
        color = np.asarray(visual.material.main_color)[:3].astype(np.uint8)
        return PaintedMesh(vertices, triangles, face_colors=np.tile(color, (len(triangles), 1)))
    if visual.kind == "vertex":
        return PaintedMesh(vertices, triangles, vertex_colors=np.asarray(visual.vertex_colors)[:, :3].astype(np.uint8))
    if visual.kind == "face":
        return PaintedMesh(vertices, triangles, face_colors=np.asarray(visual.face_colors)[:, :3].astype(np.uint8))
    return PaintedMesh(vertices, triangles)


def _texture(image: Any) -> str:
    """The picture as a file, no larger than it looks."""
    picture = image.convert("RGB")
    picture.thumbnail((LARGEST_TEXTURE, LARGEST_TEXTURE))
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=88)
    return picture_text(file.getvalue())


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
