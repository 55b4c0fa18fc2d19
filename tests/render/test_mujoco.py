"""The same scene, drawn by somebody else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from tests.helpers import mujoco_scene as common
from tests.render.conftest import Shoot
from ubersim.geometry import rotation_xyz
from ubersim.render import Camera, Scene, Shape, rotation_rows


def test_silhouettes_agree_with_mujocos(tmp_path: Path, shoot: Shoot) -> None:
    saved = tmp_path / "mujoco.npy"
    subprocess.run([sys.executable, common.__file__, str(saved)], check=True, timeout=120)
    theirs = np.load(saved)
    shapes = tuple(
        Shape(kind, size, object_id=number + 1, position=position, rotation=rotation_rows(rotation_xyz(turns)))  # type: ignore[arg-type]
        for number, (kind, size, position, turns) in enumerate(common.SOLIDS)
    )
    camera = Camera(common.WIDTH, common.HEIGHT, common.FOV, near=0.01)
    ours = shoot(
        Scene(shapes, ground=None), camera, "segmentation", at=common.EYE, rotation=rotation_xyz((common.TILT, 0, 0))
    )
    for number in range(1, len(shapes) + 1):
        mine, yours = ours == number, theirs == number
        assert yours.sum() > 500
        assert (mine & yours).sum() / (mine | yours).sum() > 0.98, common.SOLIDS[number - 1]
