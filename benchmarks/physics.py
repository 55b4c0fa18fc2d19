"""What a step costs, against bare ODE in C and against MuJoCo: the same scenes, in turns, in one run.

python -m benchmarks.physics                     # all of it
python -m benchmarks.physics --only msl_omni     # the scenes whose name has that in it

Prints a table and asserts nothing. Times are processor time, medians of several turns; a turn is at most 100 steps.
Bare ODE is dWorldStep (exact) and QuickStep (quick) on the same bodies, joints and materials, written as ODE's manual
has it (bare_ode.c).
"""

from __future__ import annotations

import argparse
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.scenes import crowds
from benchmarks.scenes.contestants import Bare, Contestant, InMuJoCo, Ours
from benchmarks.scenes.ours import UberSim
from benchmarks.scenes.scene import CannotBeToldError, Scene
from tests.helpers.robot_programs import document
from ubersim.description import shipped
from ubersim.physics import RayBatch
from ubersim.simulation import Simulation

STEPS, SECONDS, ROUNDS = 100, 0.4, 5
"""Of a turn, at most; and how many turns."""


@dataclass(frozen=True)
class Bar:
    """What the project demands of itself."""

    slower: float | None = None
    """At most so many times bare dWorldStep."""
    faster: float | None = None
    """At least so many times as fast as that."""
    microseconds: float | None = None
    """At most, per step."""

    def __str__(self) -> str:
        if self.slower is not None:
            return f"<= {self.slower} x exact"
        if self.faster is not None:
            return f">= {self.faster} times exact's speed"
        return f"<= {self.microseconds:g} us" if self.microseconds is not None else ""

    def kept(self, ours: float, exact: float) -> str:
        """Whether it is, in a word."""
        checks = [
            self.slower is None or ours <= self.slower * exact,
            self.faster is None or exact >= self.faster * ours,
            self.microseconds is None or ours <= self.microseconds * 1e-6,
        ]
        return "" if self == Bar() else "kept" if all(checks) else "MISSED"


@dataclass(frozen=True)
class Crowd:
    """A line of the table."""

    name: str
    """What it is."""
    make: Callable[[], Scene]
    """The scene, in the state from which it is timed."""
    bar: Bar = Bar()
    """What is demanded of it."""
    mujoco: bool = True
    """Whether the model can be said there."""


def scenes() -> Iterator[Crowd]:
    """All of them."""
    for count, bar in ((1, Bar(slower=1.5)), (10, Bar()), (50, Bar()), (200, Bar(slower=1.05))):
        yield Crowd(f"{count} segway", partial(crowds.segways, count), bar)
    bars = {"1 msl_omni": Bar(faster=8), "1 ssl": Bar(faster=10), "1 humanoid": Bar(faster=1.5)}
    bars |= dict.fromkeys(["12 msl_omni", "12 msl_omni, scrum"], Bar(microseconds=1000))
    for robot, many in (("msl_omni", 12), ("ssl", 12), ("aibo", 8), ("humanoid", 8)):
        for count, scrum in ((1, False), (many, False), (many, True)):
            name = f"{count} {robot}{', scrum' if scrum else ''}"
            yield Crowd(name, partial(crowds.robots, robot, count, scrum), bars.get(name, Bar()))
    yield Crowd("pile of 200", partial(crowds.pile, 200))


def timed(contestant: Contestant) -> Iterator[float]:
    """One turn after the other [s per step]."""
    contestant.turn(3, 0.1)  # warm
    while True:
        yield contestant.turn(STEPS, SECONDS)


def compare(crowd: Crowd, program: Path) -> None:
    """Prints a line."""
    scene = crowd.make()
    with ExitStack() as stack:
        contestants: dict[str, Contestant] = {
            "ours": Ours(scene),
            "exact": stack.enter_context(Bare(program, scene, "exact", STEPS, SECONDS)),
            "quick": stack.enter_context(Bare(program, scene, "quick", STEPS, SECONDS)),
        }
        if crowd.mujoco:
            with suppress(CannotBeToldError):
                contestants["mujoco"] = InMuJoCo(scene)
        turns = {name: timed(contestant) for name, contestant in contestants.items()}
        rounds = [{name: next(turn) for name, turn in turns.items()} for _ in range(ROUNDS)]
    times = {name: statistics.median(each[name] for each in rounds) for name in contestants}
    cells = [
        f"{1e6 * times[name]:10.1f}" if name in times else 10 * " " for name in ("ours", "exact", "quick", "mujoco")
    ]
    ratio = times["ours"] / times["exact"]
    share = f"{ratio:8.2f} x" if ratio >= 0.1 else f"  1/{1 / ratio:.0f} x".rjust(10)
    said = f"{crowd.bar!s:>24} {crowd.bar.kept(times['ours'], times['exact'])}"
    print(f"{crowd.name:>20} {len(scene.bodies):6} {' '.join(cells)} {share} {said}", flush=True)


def growth() -> None:
    """How the cost of robots apart from each other grows with their number."""
    times = {}
    for count in (10, 100, 1000):
        contestant = Ours(crowds.segways(count))
        turns = timed(contestant)
        times[count] = statistics.median(next(turns) for _ in range(ROUNDS))
    exponent = math.log(times[1000] / times[10]) / math.log(100)
    said = ", ".join(f"{count}: {1e6 * spent:.0f} us" for count, spent in times.items())
    print(f"segways apart, {said}: power {exponent:.2f} of their number ({_said('<= 1.1', exponent <= 1.1)})")


def threads() -> None:
    """Whether a second thread pays, by the clock: least of many turns, in turns."""
    makers = {f"{count} segways": partial(crowds.segways, count) for count in (50, 200)}
    makers["12 msl_omni"] = partial(crowds.robots, "msl_omni", 12, False)
    for name, make in makers.items():
        worlds = [UberSim(make()).world for _ in range(2)]
        worlds[1].use_threads(2)
        best = [math.inf, math.inf]
        for _ in range(100):
            for number, world in enumerate(worlds):
                start = time.perf_counter()
                world.run(5)
                best[number] = min(best[number], (time.perf_counter() - start) / 5)
        print(f"{name} apart, one thread {1e6 * best[0]:.0f} us, two {1e6 * best[1]:.0f} (by the clock)")


def sight() -> None:
    """What a reading of the level `objects` costs among twelve robots."""
    with Simulation(shipped("worlds/msl_12x8.xml")) as simulation:
        for number in range(12):
            place = (1.5 * (number % 4) - 2.25, 1.5 * (number // 4) - 3.0, 0.0)
            robot = simulation.spawn(document("msl_omni", cameras=True), name=f"MSL{number}", position=place)
            robot.command("OmniCam", "Frequency", 1e-3)
            robot.command("OmniCam", "Level", 1)
        simulation.step(100)
        device = robot.sensors["OmniCam"].reader
        spent = []
        for _ in range(30):
            start = time.process_time()
            device.sample()
            spent.append(time.process_time() - start)
    middle = statistics.median(spent)
    print(f"a reading of `objects` among 12 robots: {1e3 * middle:.2f} ms ({_said('<= 0.3 ms', middle <= 3e-4)})")


def _said(bar: str, kept: bool) -> str:
    return f"bar: {bar}, {'kept' if kept else 'MISSED'}"


def rays(program: Path) -> None:
    """1080 beams of a laser scanner."""
    angles = np.arange(1080) * 2 * math.pi / 1080
    directions = np.stack((np.cos(angles), np.sin(angles), np.full(1080, -0.1)), axis=1)
    for count in (1, 50):
        scene = crowds.segways(count)
        world, middle = UberSim(scene).world, math.ceil(math.sqrt(count)) - 1.0
        scanner = world.bodies[0]
        place = scanner.rotation.T @ ((middle, middle, 1.2) - scanner.position)
        beams = RayBatch(scanner, place, directions @ scanner.rotation, 30.0)
        own, others = [], []
        with Bare(program, scene, "rays", 10, SECONDS) as bare:
            for _ in range(ROUNDS):
                others.append(bare.turn(10, SECONDS))
                start = time.process_time()
                for _ in range(10):
                    beams.cast()
                own.append((time.process_time() - start) / 10)
        ours, exact = statistics.median(own), statistics.median(others)
        ratio = ours / exact
        said = f"{1e6 * ours:.0f} us, bare C {1e6 * exact:.0f}: {ratio:.2f} x ({_said('<= 1.2 x', ratio <= 1.2)})"
        print(f"1080 rays among {count} segways: {said}")


def memory_per_robot(count: int = 500) -> None:
    """What one more robot takes, Python's objects and the engine's working memory included."""

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    scene = crowds.segways(count)
    before = resident()
    engine = UberSim(scene)
    engine.run()
    print(f"memory per segway: {(resident() - before) / count / 1024:.1f} kB (3 bodies, 3 geoms, 3 joints)")


def main() -> None:
    """Builds the C program, and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.physics", description=__doc__)
    parser.add_argument("--only", default="", help="scenes whose name has this in it")
    wanted = parser.parse_args().only
    with tempfile.TemporaryDirectory() as folder:
        program = Bare.compiled(Path(folder))
        if not wanted:
            memory_per_robot()
        columns = ("scene", "bodies", "ours", "exact C", "quick C", "MuJoCo", "ours/exact", "bar")
        print("{:>20} {:>6} {:>10} {:>10} {:>10} {:>10} {:>10} {:>24}".format(*columns), "  [us per step]")
        for crowd in scenes():
            if wanted in crowd.name:
                compare(crowd, program)
        if not wanted:
            growth()
            threads()
            rays(program)
            sight()


if __name__ == "__main__":
    main()
