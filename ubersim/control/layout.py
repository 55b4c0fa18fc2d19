"""Process layouts: which tasks share a process, and how packages go from one to the other.

layout = Layout(
    Process("perception", Solutions("see", NearestPost, WidestGap)),
    Process("behaviour", Solutions("decide", Careful, Bold)),
    Process("motion", Solutions("walk", Smooth, Direct)),
    links=[Link(Target, to="motion", receiver="blocking")],
)
layout.together()                    # the same modules in one process
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ubersim.control.packages import Commands, SensorReading, Tick
from ubersim.control.solutions import Solutions, from_robot, in_order
from ubersim.errors import UberSimError
from ubersim.protocol.suggestion import suggestion

ROBOT = "robot"
"""The robot, as a process that makes readings and takes commands."""
Mode = Literal["blocking", "nonblocking"]


class Process:
    """Tasks that are computed one after the other."""

    def __init__(self, name: str, *tasks: Solutions) -> None:
        self.name = name
        self.tasks = in_order_within(tasks)

    def takes(self) -> set[type]:
        """What it needs from other processes or the robot, for this cycle or the next."""
        wanted = {package for task in self.tasks for package in task.inputs() | task.inputs(last=True)}
        return wanted - self.makes()

    def makes(self) -> set[type]:
        """What its tasks make."""
        return {package for task in self.tasks for package in task.outputs}


@dataclass(frozen=True)
class Link:
    """How one package reaches one process. Without one it goes there all the same, without blocking."""

    package: type
    to: str
    """The process, or `robot`."""
    sender: Mode = "nonblocking"
    """Blocking: the process that makes it computes nothing more before the newest one has been taken."""
    receiver: Mode = "nonblocking"
    """Blocking: the process that takes it computes nothing before there is a new one."""


class Layout:
    """All processes of a robot's program, and the links between them."""

    def __init__(self, *parts: Process | Solutions, links: Sequence[Link] = ()) -> None:
        """Tasks that are given without a process share one, `main`."""
        if not parts:
            raise UberSimError("a layout without tasks drives nothing")
        loose = [part for part in parts if isinstance(part, Solutions)]
        processes = [part for part in parts if isinstance(part, Process)]
        if loose:
            processes.insert(0, Process("main", *loose))
        self.processes = {process.name: process for process in processes}
        """By name, in the order in which they come in a cycle."""
        if len(self.processes) < len(processes) or ROBOT in self.processes:
            raise UberSimError(f"names of processes are unique, and not {ROBOT!r}")
        self.tasks = in_order([task for process in processes for task in process.tasks])
        """Of all processes; each after those whose packages it takes."""
        self.links = {(link.package, link.to): link for link in links}
        for link in links:
            self._check(link)

    def together(self) -> Layout:
        """The same tasks in one process."""
        return Layout(*self.tasks)

    def receivers(self, package: type) -> list[str]:
        """The processes that a package goes to, `robot` among them if it is a command."""
        found = [name for name, process in self.processes.items() if package in process.takes()]
        return [*found, ROBOT] if issubclass(package, Commands) else found

    def blocks(self, receiver: str) -> set[type]:
        """The packages that a process waits for before it computes."""
        return {link.package for link in self.links.values() if link.to == receiver and link.receiver == "blocking"}

    def held_by(self, sender: str) -> set[tuple[type, str]]:
        """Packages that have to be taken, and by whom, before a process computes again."""
        made = self.processes[sender].makes()
        blocking = [link for link in self.links.values() if link.sender == "blocking" and link.package in made]
        return {(link.package, link.to) for link in blocking}

    def sensors(self) -> dict[str, type[SensorReading]]:
        """The sensors that modules want readings of."""
        wanted = {package for process in self.processes.values() for package in process.takes()}
        found: dict[str, type[SensorReading]] = {}
        for package in sorted(wanted, key=lambda package: package.__name__):
            if issubclass(package, SensorReading):
                if package.sensor in found or not package.sensor:
                    raise UberSimError(f"{package.__name__} names no sensor of its own: {package.sensor!r}")
                found[package.sensor] = package
        return found

    def needed_sensors(self) -> list[str]:
        """Those without which some task cannot be solved as it is at first."""
        needed = {package for task in self.tasks for package in task.needed()}
        return [sensor for sensor, package in self.sensors().items() if package in needed]

    def ticking(self) -> list[str]:
        """The processes with a module that runs in every frame."""
        return [name for name, process in self.processes.items() if Tick in process.takes()]

    def levels(self) -> list[list[str]]:
        """Processes in the order in which a cycle has them; those of one level do not wait for each other.

        What a process takes from one that comes later reaches it in the next cycle.
        """
        sources = {name: self._sources(process) for name, process in self.processes.items()}
        level: dict[str, int] = {}
        while left := [name for name in self.processes if name not in level]:
            name = next((name for name in left if sources[name] <= level.keys()), left[0])
            level[name] = 1 + max((level[source] for source in sources[name] & level.keys()), default=-1)
        return [[name for name in level if level[name] == number] for number in range(1 + max(level.values()))]

    def _sources(self, process: Process) -> set[str]:
        """The other processes from which one takes packages of the same cycle."""
        inputs = {package for task in process.tasks for package in task.inputs()}
        return {name for name, other in self.processes.items() if other is not process and other.makes() & inputs}

    def _check(self, link: Link) -> None:
        name = link.package.__name__
        for mode in (link.sender, link.receiver):
            if mode not in get_args(Mode):
                raise UberSimError(f"{name} to {link.to}: a link is {' or '.join(get_args(Mode))}, not {mode!r}")
        if link.to != ROBOT and link.to not in self.processes:
            raise UberSimError(f"{name} goes to {link.to!r}; {suggestion(link.to, [*self.processes, ROBOT])}")
        if link.to not in self.receivers(link.package):
            raise UberSimError(f"{name} is linked to {link.to}, which does not take it")
        if link.sender == "blocking" and from_robot(link.package):
            raise UberSimError(f"{name} comes from the robot, which waits for nothing")


def in_order_within(tasks: Sequence[Solutions]) -> list[Solutions]:
    """The order of tasks in one process; what comes from other processes is there already."""
    made = {package for task in tasks for package in task.outputs}
    done: set[type] = set()
    ordered: list[Solutions] = []
    left = list(tasks)
    while left:
        ready = next((task for task in left if task.inputs() & made <= done), left[0])
        ordered.append(ready)
        done |= set(ready.outputs)
        left.remove(ready)
    return ordered
