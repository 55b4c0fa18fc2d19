"""The ground of the page: tiles without end, and below them a plane that lamps shine on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ubersim.viewer.lights import color_bytes

if TYPE_CHECKING:
    from viser import SceneApi

_FAR = 80.0
"""Where the tiles fade into the sky [m]."""
_EDGE = 1000.0
"""Half of the plane's edge [m]."""
_BELOW = 0.003
"""The plane lies so much lower than the tiles, or they would show through each other [m]."""
_DIMMEST = 0.15
"""What is left of the tiles' joints in the dark, so that motion is seen."""


def set_ground(scene: SceneApi, ground: Mapping[str, Any] | None, day: float) -> None:
    """The tiles look the same in any light; the less there is of it (`day`, 0 to 1), the more of the plane is seen."""
    if ground is None:
        scene.remove_by_name("/ground")
        scene.remove_by_name("/lit_ground")
        return
    color = np.array(ground["color"])
    joints = color_bytes(max(day, _DIMMEST) * np.array(ground["line_color"]))
    tile = ground["tile"] or 1.0
    thickness = 1.0 if ground["line_width"] else 0.0
    scene.add_grid(
        "/ground",
        infinite_grid=True,
        cell_size=tile,
        section_size=4 * tile,
        cell_color=joints,
        section_color=joints,
        cell_thickness=thickness,
        section_thickness=1.6 * thickness,
        plane_color=color_bytes(color),
        plane_opacity=day,
        shadow_opacity=0.5 * day,
        fade_distance=_FAR,
        position=(0.0, 0.0, ground["height"]),
    )
    corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], np.float32) * np.float32(_EDGE)
    scene.add_mesh_simple(
        "/lit_ground",
        corners,
        np.array([(0, 1, 2), (0, 2, 3)], np.int32),
        color=color_bytes(color),
        cast_shadow=False,
        position=(0.0, 0.0, ground["height"] - _BELOW),
        visible=day < 1.0,
    )
