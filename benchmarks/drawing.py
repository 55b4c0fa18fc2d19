#!/usr/bin/env python3
"""What drawing a picture takes of one core, by its parts, for the cameras of the robots that come along.

usage: drawing.py [--rounds N]

Processor time of a process that draws in its only thread, the best of rounds in which all ways of drawing take turns
[ms]. Of objects, ground, sky and lens it is what a picture takes less without them; they do not add up, for what one
does not cover, another one has to. `clear` and `read` are what clearing colour and depth and reading back take alone.
`rest` is a picture in which nothing is drawn: these two, and our own Python. `fill` is that with one triangle of one
colour over all of it, and a test of depth: nobody draws a picture in less. Then come whole pictures: with shadows while
one body moves, while all bodies do (`crowd`), while nothing does, with four samples per pixel, and the other outputs.
`around` is how many times as long a picture takes if round shapes around the camera are drawn, too, of which only the
backs are to be seen: the picture has to be the same. Last, hashes of the picture, and of the one with shadows and four
samples.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any, get_args

os.environ["LP_NUM_THREADS"] = "0"  # before OpenGL is loaded

from ubersim.components.sensors.camera import CameraDevice
from ubersim.description.resources import shipped
from ubersim.render import Camera, Job, Picture, _gl, instances
from ubersim.render.camera import Output
from ubersim.render.instances import Records
from ubersim.render.jobs import blank
from ubersim.render.plan import View
from ubersim.render.renderer import Renderer
from ubersim.simulation import Simulation
from ubersim.simulation.scene import SceneBuilder

CASES: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("Segway", "segway", "playground", {}),
    ("Segway", "segway", "playground", {"width": 640, "height": 480}),
    ("AIBO", "aibo", "legged_4x3", {}),
    ("humanoid", "humanoid", "playground", {}),
    ("msl_omni's mirror", "msl_omni", "msl_12x8", {}),
    ("Segway in the office", "segway", "office", {"width": 640, "height": 480}),
)
PICTURES = 4
"""In a turn."""
PARTS = ("objects", "ground", "sky", "lens")
SHADOWS = {"shadows": True}
WHOLE: dict[str, dict[str, Any]] = {
    "picture": {}, "around": {}, "moving": SHADOWS, "crowd": SHADOWS, "still": SHADOWS, "samples": {"samples": 4},
    "depth": {}, "ids": {},
}  # fmt: skip
OUTPUTS: dict[str, Output] = {"depth": "depth", "ids": "segmentation"}
MOVING = {"moving": slice(-1, None), "crowd": slice(None)}
"""Which bodies move by a little before every picture."""
OTHERS = ("clear", "read", "rest", "fill", "moving", "crowd", "still", "samples", "depth", "ids")
COLUMNS = ("picture", *PARTS, *OTHERS, "around")
RICH = {"shadows": True, "samples": 4}
left_out: set[str] = set()


@contextmanager
def drawn_around(wanted: bool) -> Iterator[None]:
    """Shapes around the camera are drawn meanwhile, too, if that is wanted."""
    usual = instances.INSIDE
    instances.INSIDE = 0.0 if wanted else usual
    yield
    instances.INSIDE = usual


class PartialDevice(_gl.GraphicsDevice):
    """Leaves ground, sky or the lens pass out."""

    def draw_bare(self, program: _gl.Program, vertices: int, mode: int = 4) -> None:
        part = "ground" if mode == _gl.TRIANGLE_STRIP else "lens" if "atlas" in program else "sky"
        if part not in left_out:
            super().draw_bare(program, vertices, mode)

    def fill(self) -> None:
        """One triangle over everything."""
        self.context.disable(self.context.CULL_FACE)
        super().draw_bare(self._even, 3)
        self.context.enable(self.context.CULL_FACE)

    @cached_property
    def _even(self) -> _gl.Program:
        version = "#version 330\n"
        even = version + "out vec4 pixel;\nvoid main() { pixel = vec4(0.5); }\n"
        return self.context.program(vertex_shader=version + _gl._source("screen_vertex"), fragment_shader=even)


class PartialRenderer(Renderer):
    """Leaves objects out."""

    def _draw_view(self, job: Job, view: View, switches: dict[str, int], constants: str) -> None:
        super()._draw_view(job, view, switches, constants)
        if "fill" in left_out:
            assert isinstance(self._device, PartialDevice)
            self._device.fill()

    def only(self, way: str, camera: Camera, out: Picture) -> None:
        """Clears what a picture is drawn into, or reads from what it is read from, and nothing else."""
        if way == "read":
            self._read(self._device.target((camera.width, camera.height), "image", depth=False), camera, "image", out)
            return
        target = self._device.target(self._lens.plan(camera, "image").size, "image")
        target.framebuffer.clear(0.0, depth=1.0)
        self._device.context.finish()

    def _draw_group(self, program: _gl.Program, group: int, records: Records) -> None:
        if "objects" not in left_out:
            super()._draw_group(program, group, records)


class Case:
    """One camera, and the best times of its pictures so far."""

    def __init__(self, robot: str, world: str, size: dict[str, Any]) -> None:
        simulation = Simulation(shipped(f"worlds/{world}.xml"))
        sensors = simulation.spawn(shipped(f"robots/{robot}.xml")).sensors.values()
        device = next(each.reader for each in sensors if isinstance(each.reader, CameraDevice))
        at, there = device._mount.pose_in_world(), simulation.world
        camera = replace(device._camera, **size)
        self.job = Job(camera, at.position, at.rotation, there.positions.copy(), there.rotations.copy())
        self._moved = self.job.positions.copy()
        self._renderer = PartialRenderer(SceneBuilder(simulation).scene())
        self._outs = {output: blank(camera, output) for output in get_args(Output)}
        self.best: dict[str, float] = {}

    def digest(self, changes: dict[str, Any]) -> str:
        """Of the picture that the camera takes with these changes."""
        out = self._outs["image"]
        self._renderer.draw(replace(self.job, camera=replace(self.job.camera, **changes)), out)
        return hashlib.blake2b(out.tobytes(), digest_size=4).hexdigest()

    def turn(self, way: str) -> None:
        """Some pictures in this way; keeps the time of one, if it is the shortest so far [ms]."""
        camera = replace(self.job.camera, **WHOLE.get(way, {}))
        positions = self._moved if way in MOVING else self.job.positions
        job = replace(self.job, camera=camera, output=OUTPUTS.get(way, "image"), positions=positions)
        left_out.update({*PARTS, way} if way in ("rest", "fill") else {way} & set(PARTS))
        with drawn_around(way == "around"):
            started = time.process_time()
            for _ in range(PICTURES):
                if way in ("clear", "read"):
                    self._renderer.only(way, job.camera, self._outs["image"])
                    continue
                if way in MOVING:
                    self._moved[MOVING[way], 2] += 1e-6
                self._renderer.draw(job, self._outs[job.output])
            spent = (time.process_time() - started) / PICTURES * 1e3
        left_out.clear()
        self.best[way] = min(spent, self.best.get(way, spent))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    rounds: int = parser.parse_args().rounds
    device = PartialDevice()
    vars(_gl)["device"] = lambda: device
    print(f"{device.renderer}\n{'[ms]':30}" + "".join(f"{column:>8}" for column in COLUMNS))
    differ = False
    for name, robot, world, size in CASES:
        case = Case(robot, world, size)
        plain, rich = case.digest({}), case.digest(RICH)
        for _ in range(rounds):
            for way in (*WHOLE, *PARTS, "clear", "read", "rest", "fill"):
                case.turn(way)
        best, camera = case.best, case.job.camera
        parts = [max(0.0, best["picture"] - best[part]) for part in PARTS]
        times = [best["picture"], *parts, *(best[way] for way in OTHERS), best["around"] / best["picture"]]
        row = f"{name}, {camera.width}x{camera.height}".ljust(30) + "".join(f"{time:8.2f}" for time in times)
        with drawn_around(True):
            same = case.digest({}) == plain
        differ = differ or not same
        print(f"{row}{'  same' if same else ' OTHER'}  {plain} {rich}", flush=True)
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
