"""Who draws, and what happens when nobody can: the same bytes from everybody, and a world that goes on."""

from __future__ import annotations

import io
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.cameras import BALL, ball, camera, play, sled, wall, weightless
from tests.helpers.paths import ROOT
from ubersim.cli.app import render_workers
from ubersim.client import connect
from ubersim.errors import RefusedError, UberSimError
from ubersim.render import Shape, WorkerRenderer, _gl
from ubersim.simulation import Simulation

SHADED = "<Shadows>true</Shadows><Samples>4</Samples><Noise>2</Noise>"
DELAYED = "<Latency>25</Latency><Frequency>100</Frequency>"


def spin(name: str, x: float, elements: str) -> Any:
    """A client that gathers every picture its sled gets."""

    def program(port: int) -> list[tuple[float, bytes]]:
        pictures = []
        with connect(sled(camera(elements), name=name, at=(x, 0.0, 1.0)), port=port, latency=5) as robot:
            for count, frame in enumerate(robot):
                if "Eye" in frame:
                    pictures.append((frame.time, np.asarray(frame["Eye"]).tobytes()))
                if count == 40:
                    robot.set("Eye", "Fov", 0.5)
        return pictures

    return program


def test_inline_and_workers_send_the_same_bytes_and_have_the_same_digest() -> None:
    outcomes = []
    for workers in (0, 1, 2):
        digest = io.StringIO()
        simulation = Simulation(weightless(ball("Ball", *BALL), ground=True), render_workers=workers)
        simulation.objects["Ball"].set_state(linear=(-1.0, 0.0, 0.3))
        pictures = play(simulation, 100, spin("A", 0.0, DELAYED + SHADED), spin("B", 0.6, DELAYED), digest=digest)
        outcomes.append((digest.getvalue(), pictures))
    assert [len(pictures) for pictures in outcomes[0][1]] == [8, 8]
    assert len({bytes_ for _, bytes_ in outcomes[0][1][0]}) == 8
    assert outcomes[1] == outcomes[0]
    assert outcomes[2] == outcomes[0]


def test_render_option() -> None:
    assert [render_workers(text) for text in ("inline", "workers=1", "workers=12")] == [0, 1, 12]
    for nonsense in ("workers", "workers=0", "workers=-1", "workers=1000", "gpu"):
        with pytest.raises(UberSimError, match="inline or workers=N"):
            render_workers(nonsense)


def test_when_drawing_fails_for_good_robots_with_cameras_get_an_error_and_the_world_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker dies, and whoever is to replace it finds no driver any more."""

    def watch(server: Any) -> None:
        if server.simulation.frame == 10:
            for name, value in no_drivers(tmp_path).items():
                monkeypatch.setenv(name, value)
            os.kill(server.simulation.cameras.open().processes[0], signal.SIGKILL)

    def seeing(port: int) -> str:
        pictures = 0
        with connect(sled(camera("<Latency>3</Latency>"), name="Seeing"), port=port) as robot:
            try:
                for frame in robot:
                    pictures += "Eye" in frame
            except RefusedError as error:
                return f"{pictures} {error}"
        return "nothing"

    def blind(port: int) -> str:
        with connect(sled(name="Blind", at=(3.0, 0.0, 1.0)), port=port) as robot:
            return str(sum(1 for _ in robot))

    simulation = Simulation(render_workers=1)
    error, frames = play(simulation, 30, seeing, blind, watch=watch)
    assert frames == "30"
    count, _, reason = error.partition(" ")
    assert 8 <= int(count) <= 11  # those that were ready before it died
    assert reason.startswith("Eye: no usable OpenGL") and "libegl1" in reason


def test_a_robot_whose_first_picture_fails_does_not_join(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Simulation(render_workers=1) as simulation:
        maker = simulation.cameras.open()
        assert isinstance(maker, WorkerRenderer)
        for name, value in no_drivers(tmp_path).items():
            monkeypatch.setenv(name, value)
        os.kill(maker.processes[0], signal.SIGKILL)
        with pytest.raises(UberSimError, match="Eye: no usable OpenGL"):
            simulation.spawn(sled(camera()))
        assert simulation.robots == {} and simulation.world.bodies == []
        simulation.spawn(sled())
        simulation.step(5)


def test_other_threads_get_the_same_pictures_and_leave_the_main_one_its_opengl() -> None:
    def look() -> None:
        with Simulation(weightless(ball("Ball", *BALL))) as simulation:
            pictures.append(np.asarray(simulation.spawn(sled(camera(SHADED))).read("Eye")).tobytes())

    pictures: list[bytes] = []
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    look()
    assert len(pictures) == 2
    assert pictures[0] == pictures[1]


def no_drivers(folder: Path) -> dict[str, str]:
    """Settings with which EGL looks for drivers where there are none."""
    return {
        "__EGL_VENDOR_LIBRARY_FILENAMES": str(folder / "no_vendor.json"),
        "__EGL_VENDOR_LIBRARY_DIRS": str(folder),
    }


WITHOUT_GL = """
import sys
sys.path.insert(0, {tests!r})
from tests.helpers.cameras import camera, sled
from ubersim.errors import RenderError
from ubersim.simulation import Simulation

for workers in (0, 1):
    with Simulation(render_workers=workers) as simulation:
        for sensors in ([camera()], [camera("<Level>objects</Level><Switchable>true</Switchable>")]):
            try:
                simulation.spawn(sled(*sensors))
            except RenderError as error:
                print(error)
            else:
                raise SystemExit("a camera without OpenGL")
        robot = simulation.spawn(sled(camera("<Level>objects</Level>"), name="Blind"))
        simulation.step(10)
        assert list(simulation.robots) == ["Blind"] and robot.read("Eye").shape == (0, 5)
"""


def test_without_opengl_only_robots_that_need_pictures_are_refused_and_told_what_to_install(tmp_path: Path) -> None:
    environment = os.environ | no_drivers(tmp_path)
    program = WITHOUT_GL.format(tests=str(ROOT))
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    reasons = run.stdout.splitlines()
    assert len(reasons) == 4
    assert all("apt-get install libegl1" in reason for reason in reasons)


@pytest.mark.parametrize("workers", [0, 1])
def test_eight_robots_with_cameras_leave_nothing_behind(workers: int) -> None:
    """Pictures come and go, some are lost on the way, robots leave with pictures under way: all of it is freed."""
    lossy = "<Latency model='uniform'><Min>20</Min><Max>60</Max><Loss>0.2</Loss></Latency><Frequency>50</Frequency>"
    with Simulation(weightless(ball("Ball", *BALL), ground=True), render_workers=workers) as simulation:
        documents = [
            sled(camera(lossy + SHADED), camera(lossy, kind="DepthSensor", name="Depth"), name=f"R{i}", at=(i, 0, 1))
            for i in range(8)
        ]

        def live(frames: int) -> tuple[int, int]:
            """Joins, lives and leaves; returns the pictures that are then still held, and the memory in pages."""
            for document in documents:
                simulation.spawn(document)
            simulation.step(frames)
            for name in list(simulation.robots):
                simulation.remove(name)
            return held(simulation.cameras.open()), resource_pages()

        live(300)
        before, pages = live(300)
        for _ in range(3):
            after, pages_after = live(300)
            assert after <= max(before, 1)
        assert (pages_after - pages) * resource.getpagesize() < 24 * 2**20


@pytest.mark.parametrize("workers", [0, 2])
def test_eight_robots_with_cameras_keep_memory_flat(workers: int) -> None:
    eye = "<Width>160</Width><Height>120</Height><Frequency>30</Frequency><Latency>40</Latency>"
    with Simulation(weightless(ball("Ball", *BALL), ground=True), render_workers=workers) as simulation:
        for i in range(8):
            simulation.spawn(sled(camera(eye + (SHADED if i % 2 else "")), name=f"R{i}", at=(i, 0, 1)))
        maker = simulation.cameras.open()
        processes = [os.getpid(), *(maker.processes if isinstance(maker, WorkerRenderer) else [])]
        simulation.step(2_000)
        before = [resource_pages(process) for process in processes]
        simulation.step(6_000)  # 1440 pictures of 75 KiB: 4 % of them would be noticed
        after = [resource_pages(process) for process in processes]
        assert all(np.shape(np.asarray(robot.read("Eye"))) == (120, 160, 4) for robot in simulation.robots.values())
        assert max(np.subtract(after, before)) * resource.getpagesize() < 4 * 2**20
    if not workers:
        assert _gl.device().context.error == "GL_NO_ERROR"


def held(maker: Any) -> int:
    """Pictures that a maker still keeps for somebody: with workers, those that nobody has yet given back."""
    if isinstance(maker, WorkerRenderer):
        arena = maker._workers[0].arena
        taken = arena._end - sum(slot.size for slot in arena._free)
        return int(taken // (160 * 120 * 4))
    return len(maker._pictures)


def resource_pages(process: int | str = "self") -> int:
    """Resident memory of a process."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1])


def test_pictures_and_lists_are_the_same_whoever_came_and_went_before() -> None:
    """What is kept of robots that stay is what would be made anew."""
    world = weightless(ball("Ball", *BALL), wall("Wall", 5.0), ground=True)
    eyes = [camera(), camera("<Level>objects</Level>", name="List"), camera(kind="SegmentationSensor", name="Mask")]
    names = ["A", "B", "C", "D", "E"]
    documents = {name: sled(*eyes, name=name, at=(0.6 * n - 1.0, 0.5 * n, 1.0)) for n, name in enumerate(names)}

    def readings(simulation: Simulation) -> list[bytes]:
        simulation.step()
        robot = simulation.robots["A"]
        return [np.asarray(robot.read(sensor)).tobytes() for sensor in ("Eye", "List", "Mask")]

    with Simulation(world) as busy, Simulation(world) as fresh:
        for name in names:
            busy.spawn(documents[name])
            busy.step()
        busy.remove("B")  # the rows of those after it close up, their numbers stay
        busy.step()
        busy.spawn(documents["B"])
        busy.remove("D")
        for name in ("A", "B", "C", "D", "E"):
            fresh.spawn(documents[name])
        fresh.remove("D")
        assert readings(busy) == readings(fresh)


def test_joining_does_not_make_the_shapes_of_others_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Shape] = []
    monkeypatch.setattr(Shape, "__post_init__", lambda shape: made.append(shape))
    with Simulation(weightless(ball("Ball", *BALL))) as simulation:
        for n in range(6):
            before = len(made)
            simulation.spawn(sled(camera(), name=f"R{n}", at=(float(n), 0.0, 1.0)))
            assert len(made) - before == (3 if n == 0 else 2)  # the ball, and the sled's own two
