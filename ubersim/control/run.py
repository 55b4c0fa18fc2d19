"""A layout drives a robot: frame by frame readings go to its modules, and their commands to the robot.

ubersim.control.run(layout, source="127.0.0.1:9040", robot="robots/pioneer.xml")
"""

from __future__ import annotations

from pathlib import Path

from ubersim.control.coordination import Coordinator, Lockstep
from ubersim.control.free_running import FreeRunning
from ubersim.control.layout import Layout
from ubersim.control.layout_parameters import LayoutParameters
from ubersim.control.packages import Commands, Tick, readings_of
from ubersim.control.program import ProgramRobot
from ubersim.control.sources import open_robot
from ubersim.protocol.frames import Frame
from ubersim.protocol.parameters import ParameterValue


class ControlRun:
    """A layout at work. `step` is a frame; between frames parameters can be changed."""

    def __init__(self, layout: Layout, robot: ProgramRobot, *, lockstep: bool = True, spawn: bool = True) -> None:
        """Without `lockstep` the processes run freely, and a frame is not held up by them.

        `spawn`: whether several processes of the layout are several of the operating system, in lockstep.
        """
        self.robot = robot
        self._sensors = layout.sensors()
        for sensor in layout.needed_sensors():
            robot.read(sensor)  # says so if there is none
        self._ticks = bool(layout.ticking())
        self._coordinator: Coordinator = Lockstep(layout, spawn=spawn) if lockstep else FreeRunning(layout)
        self._tuning = LayoutParameters(robot)
        self._hear()

    def __enter__(self) -> ControlRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the processes; the robot stays."""
        self._coordinator.close()

    @property
    def parameters(self) -> dict[str, ParameterValue]:
        """All that modules have declared, and for each task the name of the module in charge."""
        return self._tuning.values

    def set(self, name: str, value: ParameterValue) -> None:
        """Changes a parameter, or puts another module in charge of a task, from the next frame on."""
        self._tuning.set(name, value)

    def step(self) -> Frame | None:
        """Takes the next frame through all modules, and commands what they want; None: there are no more frames."""
        frame = self.robot.next_frame()
        if frame is not None:
            packages: list[object] = list(readings_of(frame, self._sensors))
            if self._ticks:
                packages.append(Tick(frame.time, self.robot.step))
            for commands in self._coordinator.cycle(packages, self._tuning.changes()):
                if isinstance(commands, Commands):
                    for component, name, value in commands.settings():
                        self.robot.set(component, name, value)
            self._hear()
        return frame

    def _hear(self) -> None:
        declared, logged = self._coordinator.news()
        self._tuning.declare(declared)
        self._tuning.log(logged)


def run(
    layout: Layout,
    source: ProgramRobot | str,
    robot: str | Path | None = None,
    *,
    seconds: float | None = None,
    lockstep: bool = True,
    spawn: bool = True,
) -> int:
    """Lets a layout drive a robot until there are no more frames, or for that long; returns the number of frames.

    The source is a robot, or a word that stands for one, as in `open_robot`; that one is closed in the end.
    """
    if isinstance(source, str):
        opened = open_robot(source, robot)
        try:
            return run(layout, opened, seconds=seconds, lockstep=lockstep, spawn=spawn)
        finally:
            opened.close()
    with ControlRun(layout, source, lockstep=lockstep, spawn=spawn) as control:
        frames = 0
        begin: float | None = None
        while (frame := control.step()) is not None:
            frames += 1
            begin = frame.time if begin is None else begin
            if seconds is not None and frame.time - begin >= seconds - 0.5 * source.step:
                break
    return frames
