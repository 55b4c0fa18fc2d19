"""Who takes part in camera.py: reads `width height rich frames` lines, answers with the median frame time [ms]."""

from __future__ import annotations

import math
import os
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.camera_bare import bare
from ubersim.geometry import quaternion_from_matrix, rotation_xyz
from ubersim.render import Camera, GroundPlane, InlineRenderer, Job, Scene, Shape

Frame = Callable[[int], None]

COUNT, SNAPSHOTS = 30, 40
FOV = math.radians(60.0)
EYE, TURN = np.array([0.0, -0.5, 0.7]), rotation_xyz((-0.15, 0.0, 0.0))
KINDS = ("box", "sphere", "capsule", "cylinder")
SIZES = {"box": (0.2, 0.15, 0.12), "sphere": (0.1,), "capsule": (0.06, 0.2), "cylinder": (0.1, 0.12)}

rng = np.random.default_rng(1)
KIND = [KINDS[n % 4] for n in range(COUNT)]
COLORS = rng.uniform(0.2, 1.0, (COUNT, 3))
START = np.stack([rng.uniform(-1.2, 1.2, COUNT), rng.uniform(1, 4, COUNT), rng.uniform(0.1, 0.6, COUNT)], axis=1)
WAYS = rng.normal(size=(COUNT, 3)) * 0.02
POSITIONS = [START + WAYS * math.sin(0.3 * n) for n in range(SNAPSHOTS)]
ROTATIONS = [
    np.stack([rotation_xyz((a, 2 * a, 0.1 * n + a)) for a in np.arange(COUNT, dtype=float)]) for n in range(SNAPSHOTS)
]


def ours(width: int, height: int, rich: bool) -> Frame:
    shapes = tuple(
        Shape(kind, SIZES[kind], tuple(color), body=n)  # type: ignore[arg-type]
        for n, (kind, color) in enumerate(zip(KIND, COLORS, strict=True))
    )
    renderer = InlineRenderer(Scene(shapes, GroundPlane()))
    camera = Camera(width, height, FOV, samples=4 if rich else 1, shadows=rich)
    out = np.empty((height, width, 4), np.uint8)

    def frame(n: int) -> None:
        renderer.collect(renderer.submit(Job(camera, EYE, TURN, POSITIONS[n], ROTATIONS[n])), out)

    return frame


def mujoco(width: int, height: int, rich: bool) -> Frame:
    os.environ["MUJOCO_GL"] = "egl"
    import mujoco as mj

    bodies = ""
    for kind, color in zip(KIND, COLORS, strict=True):
        size = SIZES[kind]
        halves = [s / 2 for s in size] if kind == "box" else [size[0], *(s / 2 for s in size[1:])]
        bodies += f'<body mocap="true"><geom type="{kind}" size="{_row(halves)}" rgba="{_row(color)} 1"/></body>'
    vertical = 2 * math.degrees(math.atan(math.tan(FOV / 2) * height / width))
    axes = _row([*TURN[:, 0], *TURN[:, 2]])
    # As coarse as what the others draw: its own default of 28 by 16 would cost it more.
    model = mj.MjModel.from_xml_string(
        f"""<mujoco><visual><global offwidth="{width}" offheight="{height}"/>
        <quality shadowsize="1024" offsamples="{4 if rich else 0}" numslices="20" numstacks="10"/></visual>
        <asset><texture name="t" type="2d" builtin="checker" rgb1=".66 .69 .72" rgb2=".6 .63 .67" width="256"
        height="256"/>
        <texture type="skybox" builtin="gradient" rgb1=".36 .56 .82" rgb2=".84 .89 .94" width="64" height="64"/>
        <material name="t" texture="t" texrepeat="1 1" texuniform="true"/></asset><worldbody>
        <light directional="true" dir="-.45 .55 -1" castshadow="{str(rich).lower()}"/>
        <geom type="plane" size="50 50 1" material="t"/>{bodies}
        <camera name="eye" pos="{_row(EYE)}" xyaxes="{axes}" fovy="{vertical}"/></worldbody></mujoco>"""
    )
    model.vis.headlight.active = 0
    data = mj.MjData(model)
    renderer = mj.Renderer(model, height, width)
    mj.mj_forward(model, data)
    renderer.scene.flags[mj.mjtRndFlag.mjRND_SHADOW] = rich
    renderer.scene.flags[mj.mjtRndFlag.mjRND_REFLECTION] = False
    out = np.empty((height, width, 3), np.uint8)
    quaternions = [np.stack([quaternion_from_matrix(m) for m in snapshot]) for snapshot in ROTATIONS]

    def frame(n: int) -> None:
        data.mocap_pos[:], data.mocap_quat[:] = POSITIONS[n], quaternions[n]
        mj.mj_kinematics(model, data)
        renderer.update_scene(data, "eye")
        renderer.render(out=out)

    return frame


def pybullet(width: int, height: int, rich: bool) -> Frame:
    import pybullet as pb

    if pb.isConnected():
        pb.disconnect()
    pb.connect(pb.DIRECT)
    bodies = []
    for kind, color in zip(KIND, COLORS, strict=True):
        size = SIZES[kind]
        extent: dict[str, object] = dict(zip(("radius", "length"), size, strict=False))
        if kind == "box":
            extent = {"halfExtents": [x / 2 for x in size]}
        shape = pb.createVisualShape(getattr(pb, f"GEOM_{kind.upper()}"), rgbaColor=[*color, 1], **extent)
        bodies.append(pb.createMultiBody(0, -1, shape))
    ground = pb.createVisualShape(pb.GEOM_BOX, halfExtents=[50, 50, 0.01], rgbaColor=[0.66, 0.69, 0.72, 1])
    pb.createMultiBody(0, -1, ground, [0, 0, -0.01])
    vertical = 2 * math.degrees(math.atan(math.tan(FOV / 2) * height / width))
    view = pb.computeViewMatrix(list(EYE), list(EYE + TURN[:, 1]), list(TURN[:, 2]))
    projection = pb.computeProjectionMatrixFOV(vertical, width / height, 0.01, 100)
    quaternions = [[quaternion_from_matrix(m)[[1, 2, 3, 0]].tolist() for m in snapshot] for snapshot in ROTATIONS]

    def frame(n: int) -> None:
        for body, position, quaternion in zip(bodies, POSITIONS[n].tolist(), quaternions[n], strict=True):
            pb.resetBasePositionAndOrientation(body, position, quaternion)
        pb.getCameraImage(width, height, view, projection, shadow=int(rich), renderer=pb.ER_TINY_RENDERER)

    return frame


def bare_frames(width: int, height: int, rich: bool) -> Frame:
    sizes = [SIZES[kind] for kind in KIND]
    draw = bare(width, height, rich, KIND, sizes, COLORS, EYE, TURN, FOV)
    return lambda n: draw(POSITIONS[n], ROTATIONS[n])


def _row(values: object) -> str:
    return " ".join(str(float(value)) for value in np.ravel(values))  # type: ignore[call-overload]


def main(name: str) -> None:
    make = {"ours": ours, "bare": bare_frames, "mujoco": mujoco, "pybullet": pybullet}[name]
    made: dict[str, Frame] = {}
    for line in sys.stdin:
        width, height, rich, frames = map(int, line.split())
        key = f"{width} {height} {rich}"
        if key not in made:
            made[key] = make(width, height, bool(rich))
        times = []
        for n in range(frames):
            start = time.perf_counter()
            made[key](n % SNAPSHOTS)
            times.append(time.perf_counter() - start)
        print(1000 * statistics.median(times), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
