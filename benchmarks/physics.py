"""What a step costs, against bare ODE in C: the same scenes, in turns, in one run. Prints a table, asserts nothing."""

from __future__ import annotations

import math
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ubersim.description.materials import Surface
from ubersim.physics import RayBatch, World

STEP = 0.001
ROUNDS = 15
UPRIGHT = np.eye(3)


@dataclass(frozen=True)
class Scene:
    """A scene of both programs."""

    name: str
    """What the C program calls it."""
    count: int
    """How many robots, or boxes; rays are 1080 among so many robots."""
    steps: int
    """Steps per round, so many that a round takes a few hundredths of a second."""
    bar: float | None
    """Largest ratio that the project allows itself."""


SCENES = (
    Scene("robots", 1, 5000, 1.5),
    Scene("robots", 10, 1000, None),
    Scene("robots", 50, 200, None),
    Scene("robots", 200, 60, 1.1),
    Scene("boxes", 200, 30, None),
    Scene("rays", 1, 20, 1.2),
    Scene("rays", 50, 10, 1.2),
)


def add_robot(world: World, owner: int, x: float, y: float) -> None:
    """A Segway-like robot: a box on two wheels with motors, held upright so that every step costs the same."""
    base = world.add_body(owner, mass=50, inertia=np.diag([5.0, 5.0, 3.0]), position=(x, y, 0.6), rotation=UPRIGHT)
    world.add_box(owner, base, 0, (x, y, 0.6), UPRIGHT, (0.4, 0.3, 0.8))
    for side in (-1, 1):
        place = (x + 0.27 * side, y, 0.24)
        wheel = world.add_body(owner, mass=5, inertia=0.1 * np.eye(3), position=place, rotation=UPRIGHT)
        world.add_sphere(owner, wheel, 0, place, UPRIGHT, 0.24)
        hinge = world.add_joint(owner, "hinge", wheel, base, anchor=place, axes=[(1, 0, 0)])
        hinge.set(2, -1.0)
        hinge.set(3, 20.0)
    world.add_joint(owner, "amotor", base, None, axes=[(1, 0, 0)]).set(3, 1000.0)


def add_box(world: World, place: int) -> None:
    """A box of a pile."""
    x = 0.3 * (place % 5) + 0.01 * (place % 7)
    y = 0.3 * (place // 5 % 5) + 0.01 * (place % 3)
    position = (x, y, 0.13 + 0.27 * (place // 25))
    body = world.add_body(0, mass=1, inertia=0.0104 * np.eye(3), position=position, rotation=UPRIGHT)
    world.add_box(0, body, 0, position, UPRIGHT, (0.25, 0.25, 0.25))


def build(scene: Scene) -> World:
    """The scene in our own world."""
    world = World(STEP, surfaces=[[Surface(mu=0.8)]], solver="auto")
    world.add_plane(0, 0, (0, 0, 1), 0)
    columns = math.ceil(math.sqrt(scene.count))
    for place in range(scene.count):
        if scene.name == "boxes":
            add_box(world, place)
        else:
            add_robot(world, place + 1, 2.0 * (place % columns), 2.0 * (place // columns))
    return world


def timed(action: Callable[[], object]) -> float:
    """Seconds that something takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def run_singly(world: World, steps: int) -> None:
    """One call per step, as a simulation does it that looks at every frame."""
    for _ in range(steps):
        world.run()


def scan(world: World, middle: float, turns: int) -> None:
    """A laser scanner's turns: 1080 rays each, from above the middle, slightly downwards."""
    angles = np.arange(1080) * 2 * math.pi / 1080
    directions = np.stack((np.cos(angles), np.sin(angles), np.full(1080, -0.1)), axis=1)
    scanner = world.bodies[0]
    place, turned = scanner.rotation.T @ ((middle, middle, 1.2) - scanner.position), directions @ scanner.rotation
    rays = RayBatch(scanner, place, turned, 30.0)
    for _ in range(turns):
        rays.cast()


def compare(program: Path, scene: Scene) -> tuple[float, float, float]:
    """Median microseconds per step: bare C, ours with one call per step, ours with one call for all."""
    world = build(scene)
    command = [str(program), scene.name, str(scene.count), str(scene.steps)]
    middle = math.ceil(math.sqrt(scene.count)) - 1.0

    def one_by_one() -> None:
        scan(world, middle, scene.steps) if scene.name == "rays" else run_singly(world, scene.steps)

    def all_at_once() -> None:
        scan(world, middle, scene.steps) if scene.name == "rays" else world.run(scene.steps)

    rounds = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as bare:
        assert bare.stdin and bare.stdout
        for _ in range(ROUNDS):
            bare.stdin.write("go\n")
            bare.stdin.flush()
            seconds = float(bare.stdout.readline().split()[0])
            singly = timed(one_by_one)
            rounds.append((seconds, singly, timed(all_at_once)))
        bare.stdin.close()
    scale = 1e6 / scene.steps
    bare_time, singly_time, together_time = (statistics.median(column) * scale for column in zip(*rounds, strict=True))
    return bare_time, singly_time, together_time


def resident_bytes() -> int:
    """Memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def memory_per_robot(count: int = 500) -> float:
    """Kilobytes that one more robot takes, Python's objects and ODE's working memory included."""
    before = resident_bytes()
    world = build(Scene("robots", count, 1, None))
    world.run()
    return (resident_bytes() - before) / count / 1024


def main() -> None:
    """Builds the C program, and prints the table."""
    kilobytes = memory_per_robot()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "bare_ode"
        source = Path(__file__).with_name("bare_ode.c")
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-o", program, source, "-lode", "-lm"], check=True)
        print("us/step".ljust(12), "    bare C   per call  ratio  n per call  ratio  bar")
        for scene in SCENES:
            bare, singly, together = compare(program, scene)
            bar = f"<= {scene.bar}" if scene.bar else ""
            name = f"{scene.count} {scene.name}"
            ratios = f"{singly:10.2f} {singly / bare:6.2f} {together:11.2f} {together / bare:6.2f}"
            print(f"{name:>12} {bare:10.2f} {ratios}  {bar}", flush=True)
    print("bare C solves the robots exactly and the boxes with QuickStep; ours is on auto")
    print(f"memory per robot: {kilobytes:.1f} kB (3 bodies, 3 geoms, 3 joints)")


if __name__ == "__main__":
    main()
