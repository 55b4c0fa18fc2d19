"""The geoms of MJCF bodies: what they collide as, and what they look like."""

from __future__ import annotations

from typing import Any

import numpy as np

from ubersim.description.mesh_library import PaintedMesh
from ubersim.description.texture import picture_text
from ubersim.geometry import Pose, Triple
from ubersim.importers.mjcf_lines import Lines
from ubersim.importers.model import LinkShape, RobotLink
from ubersim.importers.report import ImportReport
from ubersim.png import encode_png

SHOWN_GROUPS = 3
"""MuJoCo's viewer shows the groups below this one."""
LARGEST_TEXTURE = 1024
UNSAID = (0.5, 0.5, 0.5, 1.0)
"""The colour of a geom that says nothing."""
_ROUNDS, _RINGS = 16, 9
"""Corners of what stands for an ellipsoid."""


class GeomReader:
    """Reads the geoms of one model."""

    def __init__(self, mujoco: Any, compiled: Any, data: Any, lines: Lines, report: ImportReport) -> None:
        self._mujoco, self._m, self._data, self._lines, self._report = mujoco, compiled, data, lines, report
        self._types = {int(value): name[7:].lower() for name, value in mujoco.mjtGeom.__members__.items()}

    def read(self, body: int, link: RobotLink) -> None:
        """Adds a body's geoms to a link."""
        m = self._m
        for geom in range(m.body_geomadr[body], m.body_geomadr[body] + m.body_geomnum[body]):
            shape = self._shape(geom)
            if shape is None:
                continue
            shape.color = self._color(geom)
            shown = m.geom_group[geom] < SHOWN_GROUPS and m.geom_rgba[geom, 3] > 0
            touches = self._touches(geom)
            if shown:
                link.visuals.append(shape)
                self._tell_of_texture(geom, shape)
            if touches:
                link.collisions.append(shape)
            if not shown and not touches:
                self._report.dropped(
                    shape.line, f"geom {self._lines.name('geom', geom)}", "it is neither seen nor touched"
                )

    def _touches(self, geom: int) -> bool:
        """Whether it would collide with any geom of another body, by MuJoCo's masks."""
        m = self._m
        others = m.geom_bodyid != m.geom_bodyid[geom]
        meets = (m.geom_contype & m.geom_conaffinity[geom]) | (m.geom_conaffinity & m.geom_contype[geom])
        # What is alone in its file would meet what is like everything that says nothing.
        alone = not others.any() and bool(m.geom_contype[geom] or m.geom_conaffinity[geom])
        return alone or bool(meets[others].any())

    def _shape(self, geom: int) -> LinkShape | None:
        m, line = self._m, self._lines.of("geom", geom)
        pose = Pose(self._data.geom_xpos[geom].copy(), self._data.geom_xmat[geom].reshape(3, 3).copy())
        size, kind = [float(part) for part in m.geom_size[geom]], self._types[int(m.geom_type[geom])]
        what = f"geom {self._lines.name('geom', geom)}"
        match kind:
            case "sphere":
                return LinkShape("sphere", pose, (size[0],), line=line)
            case "capsule" | "cylinder":
                return LinkShape(kind, pose, (size[0], 2 * size[1]), line=line)
            case "box":
                return LinkShape("box", pose, (2 * size[0], 2 * size[1], 2 * size[2]), line=line)
            case "ellipsoid":
                self._report.changed(line, what, f"an ellipsoid is a mesh of {_ROUNDS * (_RINGS - 2) + 2} corners")
                return LinkShape("mesh", pose, meshes=[_ellipsoid(size)], line=line)
            case "mesh" | "sdf":
                return LinkShape("mesh", pose, meshes=[self._mesh(geom)], line=line)
        why = "the world has its own ground" if kind == "plane" else "there is nothing like it here"
        self._report.dropped(line, what, f"{kind}: {why}")
        return None

    def _color(self, geom: int) -> Triple:
        rgba, material = self._m.geom_rgba[geom], self._m.geom_matid[geom]
        if material >= 0 and np.allclose(rgba, UNSAID):
            rgba = self._m.mat_rgba[material]
        red, green, blue = (float(part) for part in np.clip(rgba[:3], 0, 1))
        return red, green, blue

    def _mesh(self, geom: int) -> PaintedMesh:
        m, mesh = self._m, int(self._m.geom_dataid[geom])
        first, count = m.mesh_vertadr[mesh], m.mesh_vertnum[mesh]
        vertices = m.mesh_vert[first : first + count].astype(float)
        faces = slice(m.mesh_faceadr[mesh], m.mesh_faceadr[mesh] + m.mesh_facenum[mesh])
        triangles = m.mesh_face[faces].astype(np.int64)
        texture = self._texture(geom)
        if not texture or m.mesh_texcoordadr[mesh] < 0:
            return PaintedMesh(vertices, triangles)
        start = m.mesh_texcoordadr[mesh]
        places = m.mesh_texcoord[start : start + m.mesh_texcoordnum[mesh]].astype(float)
        pairs = np.stack([triangles.ravel(), m.mesh_facetexcoord[faces].astype(np.int64).ravel()], axis=1)
        corners, numbers = np.unique(pairs, axis=0, return_inverse=True)
        # MuJoCo counts v downwards, from the first row of the picture.
        points = places[corners[:, 1]] * [1, -1] + [0, 1]
        return PaintedMesh(vertices[corners[:, 0]], numbers.reshape(-1, 3), texture=texture, places=points)

    def _tell_of_texture(self, geom: int, shape: LinkShape) -> None:
        if self._texture_number(geom) >= 0 and not any(mesh.texture for mesh in shape.meshes):
            why = "only a mesh with places in a texture of type 2d has one here"
            self._report.dropped(shape.line, f"texture of geom {self._lines.name('geom', geom)}", why)

    def _texture_number(self, geom: int) -> int:
        """-1: it has none."""
        m, material = self._m, self._m.geom_matid[geom]
        role = int(self._mujoco.mjtTextureRole.mjTEXROLE_RGB)
        return -1 if material < 0 else int(m.mat_texid[material, role])

    def _texture(self, geom: int) -> str:
        m, texture = self._m, self._texture_number(geom)
        if texture < 0 or int(m.tex_type[texture]) != int(self._mujoco.mjtTexture.mjTEXTURE_2D):
            return ""
        height, width, channels = m.tex_height[texture], m.tex_width[texture], m.tex_nchannel[texture]
        start = m.tex_adr[texture]
        pixels = np.asarray(m.tex_data[start : start + height * width * channels]).reshape(height, width, channels)
        step = int(np.ceil(max(height, width) / LARGEST_TEXTURE))
        tinted = np.round(pixels[::step, ::step, :3] * np.array(self._color(geom)))
        return picture_text(encode_png(np.ascontiguousarray(tinted.astype(np.uint8))))


def _ellipsoid(radii: list[float]) -> PaintedMesh:
    """A sphere of rings and poles, stretched."""
    polar = np.linspace(0, np.pi, _RINGS)[1:-1]
    turn = 2 * np.pi * np.arange(_ROUNDS) / _ROUNDS
    rings = np.stack(
        [
            np.outer(np.sin(polar), np.cos(turn)),
            np.outer(np.sin(polar), np.sin(turn)),
            np.outer(np.cos(polar), np.ones(_ROUNDS)),
        ],
        axis=-1,
    ).reshape(-1, 3)
    vertices = np.concatenate([rings, [[0, 0, 1], [0, 0, -1]]]) * radii
    top, bottom, last = len(rings), len(rings) + 1, len(rings) - _ROUNDS
    triangles = []
    for one in range(_ROUNDS):
        two = (one + 1) % _ROUNDS
        triangles += [[top, one, two], [bottom, last + two, last + one]]
        for start in range(0, last, _ROUNDS):
            a, b, c, d = start + one, start + two, start + _ROUNDS + one, start + _ROUNDS + two
            triangles += [[a, c, d], [a, d, b]]
    return PaintedMesh(vertices, np.array(triangles, dtype=np.int64))
