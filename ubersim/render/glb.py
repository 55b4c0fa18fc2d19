"""A coloured mesh as a file that viewers elsewhere draw: binary glTF 2.0."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

import numpy as np

from ubersim.render.geometry import from_mesh
from ubersim.render.shapes import Color, TriangleMesh

_FLOAT, _UNSIGNED = 5126, 5125
_ARRAY, _ELEMENTS = 34962, 34963
_TRIANGLES = 4
_GAMMA = 2.2
"""glTF's factors are linear in light; ours are as a screen shows them."""
_FROM_Y_UP = (-(0.5**0.5), 0.0, 0.0, 0.5**0.5)
"""For viewers that turn every glTF file from y up to z up [x y z w]."""


def glb(mesh: TriangleMesh, color: Color, *, turned: bool = False) -> bytes:
    """The file. `turned`: its reader takes +y for up, and turns it; then this undoes it beforehand."""
    form = from_mesh(mesh)
    corners, columns = form.vertices, form.vertices.shape[1]
    buffers: list[tuple[bytes, int]] = []
    accessors: list[dict[str, Any]] = []

    def store(values: Any, kind: str, component: int = _FLOAT, target: int = _ARRAY, **more: Any) -> int:
        buffers.append((np.ascontiguousarray(values).tobytes(), target))
        accessors.append(
            {"bufferView": len(buffers) - 1, "componentType": component, "count": len(values), "type": kind, **more}
        )
        return len(accessors) - 1

    places = corners[:, :3]
    bounds = {"min": places.min(axis=0).tolist(), "max": places.max(axis=0).tolist()}
    attributes = {"POSITION": store(places, "VEC3", **bounds), "NORMAL": store(corners[:, 4:7], "VEC3")}
    material: dict[str, Any] = {
        "pbrMetallicRoughness": {
            "baseColorFactor": [part**_GAMMA for part in color] + [1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.8,
        },
        "doubleSided": True,
    }
    images: dict[str, Any] = {}
    if mesh.texture:
        # glTF counts v downwards, from the first row.
        attributes["TEXCOORD_0"] = store(np.stack([corners[:, 7], 1 - corners[:, 8]], axis=1), "VEC2")
        picture = base64.b64decode(mesh.texture)
        buffers.append((picture, 0))
        kind = "image/png" if picture.startswith(b"\x89PNG") else "image/jpeg"
        images = {
            "images": [{"bufferView": len(buffers) - 1, "mimeType": kind}],
            "textures": [{"source": 0}],
        }
        material["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
    elif columns == 10:
        attributes["COLOR_0"] = store(corners[:, 7:] ** np.float32(_GAMMA), "VEC3")
    indices = store(form.indices.astype(np.uint32).ravel(), "SCALAR", _UNSIGNED, _ELEMENTS)
    node = {"mesh": 0} | ({"rotation": list(_FROM_Y_UP)} if turned else {})
    primitive = {"attributes": attributes, "indices": indices, "material": 0, "mode": _TRIANGLES}
    head = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [node],
        "meshes": [{"primitives": [primitive]}],
        "materials": [material],
        "accessors": accessors,
        **images,
    }
    return _packed(head, buffers)


def _packed(head: dict[str, Any], buffers: list[tuple[bytes, int]]) -> bytes:
    """The head as JSON, then all buffers, each on a multiple of four bytes."""
    body, views = b"", []
    for data, target in buffers:
        views.append(
            {"buffer": 0, "byteOffset": len(body), "byteLength": len(data)} | ({"target": target} if target else {})
        )
        body += data + bytes(-len(data) % 4)
    head |= {"bufferViews": views, "buffers": [{"byteLength": len(body)}]}
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(body), b"BIN\0") + body
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
