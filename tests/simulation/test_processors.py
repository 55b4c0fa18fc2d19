"""The same bits on another kind of processor, as far as libraries can be made to believe in one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

RUN = """
import hashlib
from ubersim.description.resources import shipped
from ubersim.simulation import Simulation

PICTURES = ("CameraSensor", "DepthSensor", "SegmentationSensor")
for name in ("aibo", "msl_omni", "pioneer", "segway", "ssl", "scout"):
    with Simulation(shipped("worlds/playground.xml"), seed=3) as simulation:
        robot = simulation.spawn(shipped(f"robots/{name}.xml"), position=(0.3, -0.7, 0.0), heading=0.7)
        seen = hashlib.sha256()
        for frame in range(150):
            for joint in list(robot.joints) if frame == 20 else ():
                if "Vel" in robot.joints[joint].properties:
                    robot.command(joint, "Vel", 1.5)
            simulation.step(1)
            seen.update(simulation.digest().encode())
            for sensor, payload in robot.readings:
                if robot.sensors[sensor].description.tag not in PICTURES:
                    seen.update(payload)
        print(name, seen.hexdigest())
"""


def digests(**environment: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", RUN], env=os.environ | environment, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def here() -> str:
    return digests()


@pytest.mark.parametrize(
    "other",
    [
        {"OPENBLAS_CORETYPE": "Haswell"},  # with fused multiply-adds
        {"OPENBLAS_CORETYPE": "Nehalem"},  # without
        {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"},
    ],
    ids=lambda other: next(iter(other.values())).split()[0],
)
def test_another_processor_simulates_the_same(here: str, other: dict[str, str]) -> None:
    assert len(here.splitlines()) == 6
    assert digests(**other) == here
