"""Run as a program: draws the common scene with MuJoCo and saves its segmentation, with OpenGL all to itself."""

from __future__ import annotations

import math
import os
import sys

import numpy as np

WIDTH, HEIGHT, FOV = 480, 360, math.radians(65.0)
EYE = (0.3, -1.0, 0.9)
TILT = math.radians(-14.0)
SOLIDS = (
    ("sphere", (0.25,), (-0.6, 1.2, 0.3), (0.0, 0.0, 0.0)),
    ("box", (0.3, 0.5, 0.2), (0.1, 1.0, 0.4), (0.3, 0.5, 0.8)),
    ("capsule", (0.12, 0.5), (0.9, 1.5, 0.6), (0.9, 0.2, 0.0)),
    ("cylinder", (0.2, 0.4), (1.3, 0.9, 0.3), (0.5, -0.8, 0.1)),
    ("sphere", (0.18,), (0.05, 2.2, 1.0), (0.0, 0.0, 0.0)),
    ("box", (0.2, 0.2, 0.9), (-1.1, 2.4, 0.45), (0.0, 0.0, 0.4)),
)
"""Kind, sizes as a Shape has them [m], position [m], turns about x, y, z [rad]."""


def main(path: str) -> None:
    os.environ["MUJOCO_GL"] = "egl"
    import mujoco

    geoms = ""
    for kind, size, position, turns in SOLIDS:
        halves = tuple(s / 2 for s in size) if kind == "box" else (size[0], *(s / 2 for s in size[1:]))
        geoms += f'<geom type="{kind}" size="{_row(halves)}" pos="{_row(position)}" euler="{_row(turns)}"/>'
    down = (0.0, -math.sin(TILT), math.cos(TILT))
    vertical = 2 * math.degrees(math.atan(math.tan(FOV / 2) * HEIGHT / WIDTH))
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><compiler angle="radian" eulerseq="XYZ"/><visual><map znear="0.005"/><global offwidth="{WIDTH}"
        offheight="{HEIGHT}"/><quality numslices="96" numstacks="48"/></visual><worldbody>{geoms}
        <camera name="eye" pos="{_row(EYE)}" xyaxes="1 0 0 {_row(down)}" fovy="{vertical}"/></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    renderer = mujoco.Renderer(model, HEIGHT, WIDTH)
    renderer.enable_segmentation_rendering()
    renderer.update_scene(data, "eye")
    np.save(path, renderer.render()[..., 0] + 1)


def _row(values: tuple[float, ...]) -> str:
    return " ".join(map(repr, values))


if __name__ == "__main__":
    main(sys.argv[1])
