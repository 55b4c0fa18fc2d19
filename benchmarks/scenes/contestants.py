"""Those who step the same scene, timed by the processor time that they take: other programs are no part of it."""

from __future__ import annotations

import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Self

from benchmarks.scenes.as_text import save
from benchmarks.scenes.ours import UberSim
from benchmarks.scenes.scene import Scene


class Contestant(ABC):
    """A scene, ready to be stepped."""

    @abstractmethod
    def turn(self, steps: int, seconds: float) -> float:
        """Steps so often, or until so much time has passed; returns the time per step [s]."""


class Ours(Contestant):
    """ÜberSim, one call per step, as a simulation does it that looks at every frame."""

    def __init__(self, scene: Scene) -> None:
        self._world = UberSim(scene).world

    def turn(self, steps: int, seconds: float) -> float:
        start, done, passed = time.process_time(), 0, 0.0
        while done < steps and passed < seconds:
            self._world.run()
            done += 1
            passed = time.process_time() - start
        return passed / done


class InMuJoCo(Contestant):
    """MuJoCo, with its default solver settings."""

    def __init__(self, scene: Scene) -> None:
        import mujoco

        from benchmarks.scenes.in_mujoco import MuJoCo

        engine = MuJoCo(scene, iterations=100, tolerance=1e-8)
        self._step, self._model, self._data = mujoco.mj_step, engine.model, engine.data

    def turn(self, steps: int, seconds: float) -> float:
        start, done, passed = time.process_time(), 0, 0.0
        while done < steps and passed < seconds:
            self._step(self._model, self._data)
            done += 1
            passed = time.process_time() - start
        return passed / done


class Bare(Contestant):
    """bare_ode.c, which is told `exact`, `quick` or `rays`."""

    def __init__(self, program: Path, scene: Scene, how: str, steps: int, seconds: float) -> None:
        file = program.with_suffix(f".{how}.scene")
        save(scene, file)
        command = [str(program), str(file), how, str(steps), str(seconds)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    @staticmethod
    def compiled(folder: Path) -> Path:
        """The program."""
        program, source = folder / "bare_ode", Path(__file__).parents[1] / "bare_ode.c"
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-o", program, source, "-lode", "-lm"], check=True)
        return program

    def turn(self, steps: int, seconds: float) -> float:
        return self.both_times()[0]

    def both_times(self) -> tuple[float, float]:
        """A turn by the processor's time, and by the clock [s per step]."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        done, passed, wall, _ = self._process.stdout.readline().split()
        return float(passed) / int(done), float(wall) / int(done)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
