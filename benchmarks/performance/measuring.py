"""All measurements, in turns: of every figure the smallest is kept, for other programs can only make it larger."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from benchmarks.lockstep import HERE, UBERSIM, bare_ode, ping_pong
from benchmarks.performance import documents
from benchmarks.performance.block_server import BLOCK, best_block
from benchmarks.performance.runs import PINNED, Programs, start_up
from benchmarks.scenes.contestants import Bare, InMuJoCo, Ours
from benchmarks.scenes.crowds import segways
from ubersim.simulation import Simulation

Measured = dict[str, float]
Measurement = tuple[str, Callable[[], float]]


def physics_alone(texts: list[str], steps: int) -> float:
    """Microseconds per step of robots that nobody talks to."""
    simulation = Simulation(materials=HERE / "plain.yaml" if "Held" in texts[0] else None)
    for place, text in enumerate(texts):
        simulation.spawn(text, position=(2.0 * (place % 10), 2.0 * (place // 10), 0.0))
    simulation.step(20)
    return best_block(lambda _: simulation.world.run(BLOCK), steps)


def many(count: int, latency: float) -> list[str]:
    return [documents.held(f"Held{index}", latency) for index in range(count)]


def client_work(programs: Programs, frames: int) -> float:
    """Processor time that the plain client takes for a frame, without that of its start [us]."""
    few = 2 * BLOCK
    short, long = (programs.run(programs.plain, many(1, 20.0), count).client * count for count in (few, frames))
    return (long - short) / (frames - few)


def bars(programs: Programs, ode: Path, frames: int) -> Iterator[Measurement]:
    """What the project demands of itself is reckoned from these."""
    run, few = programs.run, max(3 * BLOCK, frames // 20)
    servos = [documents.servos("Servos", 20.0)]
    yield "bare ODE", lambda: min(bare_ode(ode, BLOCK) for _ in range(10))
    yield "ping-pong, asleep", lambda: ping_pong(frames, "asleep", BLOCK)
    yield "ping-pong, looking", lambda: ping_pong(frames, "looking", BLOCK)
    yield "strict, C", lambda: run(programs.c, many(1, 0.0), frames).wall
    yield "strict, plain Python", lambda: run(programs.plain, many(1, 0.0), frames).wall
    yield "strict, plain Python, one core", lambda: run(programs.plain, many(1, 0.0), frames, prefix=PINNED).wall
    yield "20 ms, C", lambda: run(programs.c, many(1, 20.0), frames).wall
    yield "20 ms, plain Python", lambda: run(programs.plain, many(1, 20.0), frames).wall
    yield "work of the plain client", lambda: client_work(programs, frames)
    yield "strict, C, python lane", lambda: run(programs.c, many(1, 0.0), frames, lane="python").wall
    yield "20 ms, C, python lane", lambda: run(programs.c, many(1, 20.0), frames, lane="python").wall
    yield "strict, C, core 0", lambda: run(programs.c, many(1, 0.0), frames, cores="0").wall
    yield "20 ms, C, core 0", lambda: run(programs.c, many(1, 20.0), frames, cores="0").wall
    yield "100 C clients, core 0", lambda: run(programs.c, many(100, 20.0), few, cores="0").wall
    yield "physics of 1", lambda: physics_alone(many(1, 0.0), frames)
    for count in (1, 100):
        yield f"sockets of {count}", partial(_sockets, programs, count, frames, processor=True)
        yield f"sockets of {count}, by the clock", partial(_sockets, programs, count, frames, processor=False)
    yield "physics of 100", lambda: physics_alone(many(100, 0.0), few)
    yield "100 C clients", lambda: run(programs.c, many(100, 20.0), few).wall
    yield "physics of 20 servos", lambda: physics_alone(servos, frames // 4)
    yield "20 servos", lambda: run(programs.servo, servos, frames // 2, plain=False).wall
    yield "Segway, C", lambda: run(programs.c, [documents.balancing(20.0)], frames, plain=False).wall


def _sockets(programs: Programs, count: int, frames: int, *, processor: bool) -> float:
    return programs.sockets(count, max(BLOCK, frames // count))[processor]


def growth(programs: Programs, frames: int) -> Iterator[Measurement]:
    """From one robot to many."""
    for count in (1, 10, 100, 1000):
        yield f"robots/{count}", partial(_step_of, count, max(5, 2000 // count))
    for count in (1, 10, 50, 100, 200):
        yield f"clients/{count}", partial(_frame_of, programs, count, max(3 * BLOCK, frames // count // 2))


def _frame_of(programs: Programs, count: int, frames: int) -> float:
    return programs.run(programs.c, many(count, 20.0), frames).wall


def _step_of(count: int, steps: int) -> float:
    return Ours(segways(count)).turn(steps, 5.0) * 1e6


def peers(ode: Path) -> Iterator[Measurement]:
    """Others, in process, one step of the same robot."""
    yield "peers/ÜberSim's kernel", lambda: _step_of(1, 2000)
    if find_spec("mujoco") is not None:
        yield "peers/MuJoCo", lambda: InMuJoCo(segways(1)).turn(2000, 5.0) * 1e6
    if find_spec("pybullet") is not None:
        from benchmarks.performance.bullet import direct, shared_memory

        yield "peers/PyBullet", lambda: direct(2000)
        yield "peers/PyBullet, shared memory", lambda: shared_memory(2000, look=False)
        yield "peers/the same, and one look per step", lambda: shared_memory(2000, look=True)
    yield "peers/bare ODE", lambda: _bare_step(ode)


def _bare_step(ode: Path) -> float:
    with Bare(ode, segways(1), "exact", 2000, 5.0) as bare:
        return bare.turn(0, 0.0) * 1e6


def beginnings() -> Iterator[Measurement]:
    """How long it takes until something happens, by the processor's time and by the clock [ms]."""
    nothing = [str(UBERSIM), "serve", "--port", "0", "--clients", "0", "--frames", "0"]
    commands = {"import ubersim": [sys.executable, "-c", "import ubersim"], "ubersim --help": [str(UBERSIM), "--help"]}
    for name, command in (commands | {"ubersim serve": nothing}).items():
        yield f"start/{name}", partial(_start_up, command, 1)
        yield f"clock/{name}", partial(_start_up, command, 0)


def _start_up(command: list[str], which: int) -> float:
    return min(start_up(command)[which] for _ in range(3)) * 1e3


def measure(folder: Path, rounds: int, frames: int, tell: Callable[[str], None], only: str = "") -> Measured:
    """All figures whose names have `only` in them, the smallest of each; the growth is measured once."""
    programs, ode = Programs(folder), Bare.compiled(folder)
    found: Measured = {}
    for number in range(rounds):
        again = [*bars(programs, ode, frames), *peers(ode), *beginnings()]
        for name, value in again + ([] if number else list(growth(programs, frames))):
            if only not in name:
                continue
            figure = value()
            found[name] = min(found.get(name, figure), figure)
            tell(f"{number + 1}/{rounds} {name}: {figure:.1f}")
    return found
