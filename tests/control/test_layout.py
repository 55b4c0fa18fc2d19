"""Modules, their order, and layouts: one process or several give the same bits; errors say what is missing."""

from __future__ import annotations

import io
import multiprocessing
import signal
import threading
from dataclasses import dataclass
from typing import Any, cast

import pytest

from tests.control import goal_modules as m
from tests.helpers.robots import cart
from ubersim.control import (
    Commands,
    ControlRun,
    Last,
    Layout,
    Link,
    Module,
    Process,
    SensorReading,
    Solutions,
    Tick,
    run,
    workers,
)
from ubersim.control.coordination import Lockstep
from ubersim.control.free_running import FreeRunning
from ubersim.control.mailboxes import Delivery, Mailboxes
from ubersim.control.parameters import DebugTable
from ubersim.control.simulated_robot import simulated_robot
from ubersim.errors import DescriptionError, UberSimError
from ubersim.simulation import Simulation
from ubersim.simulation.digest import DigestWriter
from ubersim.simulation.local_robot import LocalRobot

DOCUMENT = cart(latency="2", sensor="<Frequency>250</Frequency>")


def digests(layout: Layout, frames: int = 60, **options: Any) -> list[str]:
    """Of a run in which solutions are switched at exact frames."""
    digest = io.StringIO()
    with Simulation() as simulation:
        simulation.observers.append(DigestWriter(simulation, digest))
        robot = LocalRobot(simulation, simulation.spawn(DOCUMENT))
        with ControlRun(layout, robot, **options) as control:
            for frame in range(frames):
                if frame == 20:
                    control.set("decide", "Constantly")
                    control.set("see", "Raw")
                if frame == 35:
                    control.set("decide", "Proportional")
                    control.set("move", "Jump")
                if frame == 40:
                    control.set("gain", 7.5)
                control.step()
    return digest.getvalue().splitlines()


def test_one_process_and_three_give_the_same_bits() -> None:
    together = digests(m.spread().together())
    assert together == digests(m.spread())
    assert together == digests(m.spread(), spawn=False)
    assert len({line.split()[1] for line in together}) > 50


def test_the_order_follows_from_inputs_and_outputs() -> None:
    layout = m.spread()
    assert [task.task for task in layout.tasks] == ["see", "decide", "move"]
    assert layout.levels() == [["perception"], ["behaviour"], ["motion"]]
    assert layout.sensors() == {"Tilt": m.Tilt}
    assert layout.receivers(m.Drive) == ["behaviour", "robot"]


def test_what_is_missing_is_named() -> None:
    with pytest.raises(UberSimError, match="move takes Wanted, which nothing makes; tasks make Smoothed, Drive"):
        Layout(m.see, m.move)


@dataclass(frozen=True)
class Egg:
    pass


@dataclass(frozen=True)
class Hen:
    pass


class Tilt2(SensorReading, sensor="Tilt"):
    """The same once more."""


class Again(Module):
    def update(self, tilt: Tilt2) -> Egg:
        return Egg()


class Lay(Module):
    def update(self, hen: Hen) -> Egg:
        return Egg()


class Hatch(Module):
    def update(self, egg: Egg) -> Hen:
        return Hen()


UNTYPED: type[Module] = type("Untyped", (Module,), {"update": lambda self, egg: egg})


class Sleeper(Module):
    def update(self, egg: Last[Egg]) -> Hen:
        return Hen()


class Sender(Module):
    def update(self, number: int) -> Egg:
        return Egg()


class Forward(Module):
    def update(self, egg: Unheard) -> Egg:  # type: ignore[name-defined]  # noqa: F821
        return Egg()


class Wrong(Module):
    def update(self, tilt: m.Tilt) -> Egg:
        return cast("Egg", Hen())


class Forgetful(Module):
    def update(self, tilt: m.Tilt) -> tuple[Egg | None, Hen]:
        return cast("tuple[Egg | None, Hen]", (Egg(),))


class Smell(SensorReading, sensor="Nose"):
    """Of what the cart has not."""


class ByNose(Module):
    def update(self, smell: Smell) -> m.Smoothed:
        raise AssertionError("there is nothing to smell")


class ByNoseIfAny(Module):
    def update(self, tilt: m.Tilt, smell: Smell | None) -> m.Smoothed:
        assert smell is None
        return m.Smoothed(0.0)


def test_what_is_circular_is_named() -> None:
    with pytest.raises(UberSimError, match="circular: lay -> hatch -> lay; one of them has to take Last"):
        Layout(Solutions("lay", Lay), Solutions("hatch", Hatch))


@pytest.mark.parametrize(
    ("module", "words"),
    [
        (UNTYPED, "does not say of what type these are: egg, return"),
        (Sleeper, "takes nothing new"),
        (Sender, r"Sender.update\(number\): modules exchange dataclasses, not <class 'int'>"),
        (Module, "has no method update"),
        (Forward, "a type of Forward.update is not known at the top of its file: name 'Unheard'"),
    ],
)
def test_modules_that_make_no_sense(module: type[Module], words: str) -> None:
    with pytest.raises(UberSimError, match=words):
        Solutions("task", module)


def test_solutions_make_the_same() -> None:
    with pytest.raises(UberSimError, match="Lay and Hatch both solve 'task', but make Egg and Hen"):
        Solutions("task", Lay, Hatch)


def test_a_module_makes_what_it_announces() -> None:
    coordinator = Lockstep(Layout(Solutions("task", Wrong)))
    with pytest.raises(UberSimError, match="made a Hen, which it does not announce"):
        coordinator.cycle([m.Tilt(0.1, 0.0)], {})


def test_a_module_that_forgets_what_it_announces_is_told() -> None:
    """`X | None` may be left out, and nothing else."""
    coordinator = Lockstep(Layout(Solutions("task", Forgetful)))
    with pytest.raises(UberSimError, match=r"Forgetful.update made no Hen; what may be left out is `Hen \| None`"):
        coordinator.cycle([m.Tilt(0.1, 0.0)], {})


def test_a_sensor_that_the_robot_does_not_have_is_named() -> None:
    """Unless the module can do without it, or is not in charge at first."""
    with simulated_robot(None, DOCUMENT) as robot:
        with pytest.raises(UberSimError, match="there is no sensor 'Nose'"):
            ControlRun(Layout(Solutions("see", ByNose)), robot)
        assert run(Layout(Solutions("see", ByNoseIfAny)), robot, seconds=0.01) == 11
        assert run(Layout(Solutions("see", m.Raw, ByNose)), robot, seconds=0.01) == 11


def test_a_layout_has_tasks_and_their_modules_are_classes() -> None:
    with pytest.raises(UberSimError, match="a layout without tasks"):
        Layout()
    with pytest.raises(UberSimError, match=r"'see' is solved by classes of modules, not by <.*Raw"):
        Solutions("see", cast("type[Module]", m.Raw()))


def test_links_are_checked() -> None:
    with pytest.raises(UberSimError, match="Wanted to motion: a link is blocking or nonblocking, not 'sometimes'"):
        Layout(*m.spread().processes.values(), links=[Link(m.Wanted, "motion", receiver=cast("Any", "sometimes"))])
    with pytest.raises(UberSimError, match="Wanted is linked to perception, which does not take it"):
        Layout(*m.spread().processes.values(), links=[Link(m.Wanted, to="perception")])
    with pytest.raises(UberSimError, match="Tilt comes from the robot, which waits for nothing"):
        Layout(*m.spread().processes.values(), links=[Link(m.Tilt, to="perception", sender="blocking")])
    with pytest.raises(UberSimError, match="Wanted goes to 'motoin'"):
        Layout(*m.spread().processes.values(), links=[Link(m.Wanted, to="motoin")])


def test_the_newest_package_wins_and_nothing_queues() -> None:
    boxes = Mailboxes(m.spread())
    boxes.post([m.Wanted(1.0), m.Wanted(2.0)])
    boxes.begin_cycle()
    boxes.post([Tick(0.0, 0.1)])
    assert boxes.take("motion") == Delivery([m.Wanted(2.0)], [Tick(0.0, 0.1)])
    assert boxes.take("motion") == Delivery([], []) and not boxes.may_compute("motion")


def test_blocking_receivers_and_senders() -> None:
    parts = m.spread().processes.values()
    links = [Link(m.Wanted, to="motion", receiver="blocking"), Link(m.Drive, to="robot", sender="blocking")]
    boxes = Mailboxes(Layout(*parts, links=links))
    boxes.post([Tick(0.0, 0.001)])
    assert not boxes.may_compute("motion")  # it ticks, but nothing new is wanted
    boxes.post([m.Wanted(1.0)])
    assert boxes.may_compute("motion")
    boxes.post([m.Drive(1.0)])
    assert not boxes.may_compute("motion")  # the robot has not taken the last one
    boxes.take("robot")
    assert boxes.may_compute("motion")


def test_parameters_are_listed_and_checked() -> None:
    with Simulation() as simulation:
        robot = LocalRobot(simulation, simulation.spawn(DOCUMENT))
        with ControlRun(Layout(m.see, m.decide, m.move), robot) as control:
            assert control.parameters == {"see": "Average", "decide": "Proportional", "gain": 3.0, "move": "Ramp"}
            with pytest.raises(UberSimError, match="see is one of Average, Raw, not 'Cooked'"):
                control.set("see", "Cooked")
            with pytest.raises(UberSimError, match=r"gain is a number from 0 to 50, not 51.0"):
                control.set("gain", 51.0)
            with pytest.raises(UberSimError, match="there is no parameter 'gian'"):
                control.set("gian", 1.0)


def test_what_fails_in_a_process_is_told() -> None:
    layout = Layout(Process("a", m.see, m.decide), Process("b", Solutions("move", m.Failing)))
    with Simulation() as simulation:
        robot = LocalRobot(simulation, simulation.spawn(DOCUMENT))
        with pytest.raises(UberSimError, match=r"in the process b:\n(.|\n)*this module fails"):
            run(layout, robot, seconds=0.05)


def test_names_of_processes_and_sensors_are_unique() -> None:
    with pytest.raises(UberSimError, match="names of processes are unique, and not 'robot'"):
        Layout(Process("robot", m.see))
    with pytest.raises(UberSimError, match="names of processes are unique"):
        Layout(Process("a", m.see), Process("a", m.decide))
    with pytest.raises(UberSimError, match="Tilt2 names no sensor of its own: 'Tilt'"):
        Layout(m.see, Solutions("again", Again)).sensors()


@dataclass(frozen=True)
class Aimless(Commands):
    speed: float


def test_commands_say_what_they_set() -> None:
    with pytest.raises(UberSimError, match=r"Aimless\.speed does not say what it sets"):
        list(Aimless(1.0).settings())


def test_a_parameter_is_declared_twice_if_alike() -> None:
    parameters = DebugTable()
    assert parameters.parameter("gain", 1.0) is parameters.parameter("gain", 1.0)
    with pytest.raises(UberSimError, match="the parameter 'gain' is declared twice, and not alike"):
        parameters.parameter("gain", 1.0, low=0.0)


def test_what_cannot_be_made_is_told_before_the_first_frame() -> None:
    layout = Layout(Process("b", m.see, m.decide, Solutions("move", m.Unborn)))
    with Simulation() as simulation:
        robot = LocalRobot(simulation, simulation.spawn(DOCUMENT))
        with pytest.raises(UberSimError, match="this module cannot be made"):
            ControlRun(layout, robot, lockstep=False)


def test_processes_of_a_layout_that_cannot_be_made_end() -> None:
    """Those that could be made, too: nobody else would end them."""
    layout = Layout(Process("b", m.see, m.decide), Process("c", Solutions("move", m.Unborn)))
    with pytest.raises(UberSimError, match="this module cannot be made") as failure:
        Lockstep(layout)
    assert failure.tb is not None  # which has hold of the pipes
    assert multiprocessing.active_children() == []


def test_a_process_that_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "LONGEST", 0.05)
    worker = workers.ProcessWorker(Process("b", Solutions("move", m.Endless)))
    worker.result()
    worker.begin(Delivery([], [m.Wanted(1.0)]), {})
    worker.close()
    assert worker._process.exitcode == -signal.SIGKILL


class _Fatal:
    """A lock; once packages wait, the process dies while the thread that carries them has hold of it."""

    def __init__(self, free: FreeRunning) -> None:
        self._lock, self._free, self._posted = threading.Lock(), free, False

    def __enter__(self) -> None:
        self._lock.acquire()
        if self._posted and threading.current_thread() is self._free._thread:
            (worker,) = self._free._workers.values()
            worker._process.kill()
            worker._process.join()

    def __exit__(self, *_: object) -> None:
        self._posted |= threading.current_thread() is not self._free._thread
        self._lock.release()


def test_a_process_that_is_gone_when_it_should_begin_ends_the_run() -> None:
    free = FreeRunning(Layout(Process("b", m.see, m.decide, m.move)))
    free._lock = _Fatal(free)  # type: ignore[assignment]
    free.cycle([m.Tilt(0.0, 0.0)], {})
    free._thread.join(60)
    with pytest.raises(UberSimError, match="a process of the layout has ended: "):
        free.cycle([], {})
    free.close()


def test_a_process_that_ends_while_all_run_freely_ends_the_run() -> None:
    layout = Layout(Process("b", m.see, m.decide, Solutions("move", m.Vanishing)))
    with Simulation() as simulation:
        robot = LocalRobot(simulation, simulation.spawn(DOCUMENT))
        with (
            ControlRun(layout, robot, lockstep=False) as control,
            pytest.raises(UberSimError, match=r"the process b has ended by itself|a process of the layout has ended"),
        ):
            while True:
                control.step()


def test_a_world_ends_with_the_robot_that_cannot_be_in_it() -> None:
    with pytest.raises(DescriptionError):
        simulated_robot(None, "<Client/>")


def test_processes_that_run_freely_drive_the_robot() -> None:
    with Simulation() as simulation:
        robot = LocalRobot(simulation, simulation.spawn(DOCUMENT))
        with ControlRun(m.spread(), robot, lockstep=False) as control:
            wheel = robot.robot.joints["Motor"]
            for _ in range(100_000):
                control.step()
                if abs(wheel.rate(0)) > 0.1:
                    return
    raise AssertionError("the wheel never turned")
