"""OpenGL: loaded when needed, missed with a clear word, never leaked and never in error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.paths import ROOT
from ubersim.render import Camera, InlineRenderer, Job, Lights, Scene, Shape, Sky, TriangleMesh


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_importing_the_package_loads_no_opengl() -> None:
    done = python("import sys, ubersim.render; sys.exit('moderngl' in sys.modules)")
    assert done.returncode == 0, done.stderr


TRY = """
from ubersim.errors import RenderError
from ubersim.render import InlineRenderer, WorkerRenderer
for make in InlineRenderer, WorkerRenderer:
    try:
        make()
    except RenderError as error:
        print(error)
"""


def test_without_opengl_the_error_names_the_packages() -> None:
    done = python(TRY, __EGL_VENDOR_LIBRARY_FILENAMES="/nowhere.json")
    lines = done.stdout.splitlines()
    assert len(lines) == 2, done.stderr
    for line in lines:
        assert "libegl1" in line and "libgl1-mesa-dri" in line


def test_without_moderngl_the_error_names_the_extra() -> None:
    done = python("import sys; sys.modules['moderngl'] = None\n" + TRY.replace(", WorkerRenderer:", ",:"))
    assert "ubersim[camera]" in done.stdout, done.stderr


def resident() -> int:
    """Memory of this process [bytes]; a CPU's textures are in there."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_many_scenes_leave_nothing_behind(renderer: InlineRenderer) -> None:
    rng = np.random.default_rng(0)
    cameras = (Camera(160, 120, shadows=True, samples=4), Camera(160, 120, fov=2.5, projection="fisheye"))

    def rebuild(number: int) -> None:
        mesh = TriangleMesh(rng.normal(size=(900, 3)), rng.integers(0, 900, (1000, 3)))
        shapes = (Shape("mesh", mesh=mesh, body=0), Shape("sphere", (0.2,), body=1), Shape("box", (1, 1, 1), body=0))
        renderer.set_scene(Scene(shapes, lights=Lights(shadow_size=512)))
        # A field of view that nobody saw before: its map is made, and must be forgotten in time.
        camera = cameras[number % 2]
        camera = Camera(**{**camera.__dict__, "fov": camera.fov + 1e-4 * number})
        job = Job(camera, np.array([0, -5.0, 1]), np.eye(3), rng.normal(size=(2, 3)), np.tile(np.eye(3), (2, 1, 1)))
        renderer.collect(renderer.submit(job))

    for number in range(90):
        rebuild(number)
    settled = resident()
    for number in range(90, 210):
        rebuild(number)
    assert resident() - settled < 6 * 2**20


def test_many_kinds_of_light_are_forgotten_in_time(renderer: InlineRenderer) -> None:
    """Light, ground and sky are compiled in: old programs go, and what comes back looks as before."""
    from ubersim.render import _gl

    camera = Camera(64, 48)
    job = Job(camera, np.array([0, -2.0, 0.5]), np.eye(3), np.zeros((1, 3)), np.eye(3)[None])

    def draw(number: int) -> np.ndarray:
        sky = Sky((number / 100, 0.5, 0.5), (0.5, number / 100, 0.5))
        renderer.set_scene(Scene((Shape("sphere", (0.4,), body=0), Shape("box", (1, 1, 0.1), body=0)), sky=sky))
        return renderer.collect(renderer.submit(job))

    first = draw(0)
    for number in range(1, 60):
        assert not np.array_equal(draw(number), first)
    assert len(_gl.device()._programs) <= _gl.CACHED_PROGRAMS
    assert np.array_equal(draw(0), first)
    assert _gl.device().context.error == "GL_NO_ERROR"


def test_many_picture_sizes_do_not_pile_up(renderer: InlineRenderer) -> None:
    renderer.set_scene(Scene())

    def draw(width: int) -> None:
        camera = Camera(width, 200, samples=4)
        job = Job(camera, np.array([0, 0, 1.0]), np.eye(3), np.zeros((0, 3)), np.zeros((0, 3, 3)))
        renderer.collect(renderer.submit(job))

    for width in range(100, 140):
        draw(width)
    settled = resident()
    for width in range(140, 260):
        draw(width)
    assert resident() - settled < 40 * 2**20


def test_no_error_was_ever_raised_inside_opengl(renderer: InlineRenderer) -> None:
    from ubersim.render import _gl

    shapes = tuple(Shape("sphere", (0.1,), body=0, object_id=1) for _ in range(200))
    renderer.set_scene(Scene(shapes))
    for output in ("image", "depth", "segmentation"):
        for camera in (Camera(), Camera(fov=3.0, projection="fisheye", samples=4, shadows=True, noise=0.1)):
            job = Job(camera, np.zeros(3), np.eye(3), np.array([[0, 2.0, 0]]), np.eye(3)[None], output)
            renderer.collect(renderer.submit(job))
    assert _gl.device().context.error == "GL_NO_ERROR"


def test_poses_that_are_not_finite_do_no_harm(renderer: InlineRenderer) -> None:
    shapes = tuple(Shape("sphere", (0.2,), (1, 0, 0), body=n, object_id=n + 1) for n in range(3))
    renderer.set_scene(Scene(shapes))
    positions = np.array([[0, 2.0, 0.0], [np.nan, 0, 0], [np.inf, 1e300, 0]])
    rotations = np.tile(np.eye(3), (3, 1, 1))
    rotations[1] = np.nan
    camera = Camera(shadows=True)
    job = Job(camera, np.array([0, 0, 0.1]), np.eye(3), positions, rotations, "segmentation")
    with np.errstate(all="ignore"):
        assert set(np.unique(renderer.collect(renderer.submit(job)))) == {0, 1}
        renderer.collect(renderer.submit(Job(camera, np.full(3, np.nan), np.eye(3), positions, rotations)))


def test_a_picture_of_the_wrong_shape_is_refused(renderer: InlineRenderer) -> None:
    from ubersim.errors import RenderError

    renderer.set_scene(Scene())
    job = Job(Camera(), np.zeros(3), np.eye(3), np.zeros((0, 3)), np.zeros((0, 3, 3)))
    with pytest.raises(RenderError, match="shape"):
        renderer._renderer.draw(job, np.zeros((100, 100, 4), np.uint8))
