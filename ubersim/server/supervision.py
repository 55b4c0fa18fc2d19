"""What supervisors want is done here, in the simulation's thread, within a frame: before its commands and its step."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ubersim.errors import UberSimError
from ubersim.protocol.to_json import to_json
from ubersim.server.real_time import RealTime
from ubersim.server.supervisor_connection import Request, Watch
from ubersim.server.supervisor_io import SupervisorIO
from ubersim.simulation import Simulation
from ubersim.simulation.robot_info import robot_info
from ubersim.simulation.scene import scene_of
from ubersim.supervision import DEEDS, Interventions
from ubersim.supervision.ground_truth import GroundTruthEncoder
from ubersim.timing.latency import NEVER

LONGEST_STEP = 10**9
"""Frames."""
RATES = 1e-3, 1e6
"""Slowest and fastest, times real time; 0 is as fast as it goes."""
FASTEST_PICTURES = 1000.0
"""Per second of real time."""


class Host(Protocol):
    """What a server does for its supervisors."""

    simulation: Simulation
    pace: RealTime

    @property
    def sessions(self) -> Mapping[str, Any]:
        """The robots that have clients, by name."""

    def settle(self) -> None:
        """Waits until every client has answered the current frame."""

    def accommodate(self, *, timeless: bool) -> None:
        """Robots may have come or gone; if it was not timeless, everything may be as in another frame."""


class Supervision:
    """All supervisors of one server."""

    def __init__(self, host: Host, switchboard: SupervisorIO) -> None:
        self.paused = False
        self.driven = False
        """Whether time goes on without robots as well, because somebody said so."""
        self._host = host
        self._simulation = host.simulation
        self._switchboard = switchboard
        self._interventions = Interventions(host.simulation)
        self._truth = GroundTruthEncoder(host.simulation)
        self._until: int | None = None
        self._schedule: list[tuple[int, str, int, Request]] = []
        self._accepted = 0
        self._deeds = 0
        self._controls: Mapping[str, Callable[[Request], dict[str, Any]]] = {
            "Pause": self._pause,
            "Resume": self._resume,
            "Rate": self._rate,
            "Watch": self._watch,
            "Truth": self._show,
            "Scene": self._scene,
        }

    def attend(self) -> None:
        """Does what is due in the current frame."""
        schedule, lines = self._schedule, self._switchboard.lines
        while True:
            self._end_step_if_due()
            if schedule and schedule[0][0] <= self._simulation.frame:
                self._execute_in_time(heapq.heappop(schedule)[-1])
            elif free := next((line for line in list(lines) if line.waiting and line.stepping is None), None):
                self._accept(free.waiting.popleft())
            elif requests := self._switchboard.take():
                for request in requests:
                    self._accept(request)
            else:
                break
        if not lines:  # nobody is left who could ask for time to go on, or to stand still
            self.paused = self.driven = False
            self._until = None
        self._feed()
        for robot in self._unmanned():
            robot.commands.ack(self._simulation.frame)  # nobody else does
        self._switchboard.doze(self._next_frame())

    def stands_still(self, robots: bool) -> bool:
        """Whether time does not go on, with robots or without."""
        return self.paused or not (robots or self.driven or self._until is not None)

    # When

    def _accept(self, request: Request) -> None:
        frame = self._simulation.frame
        if request.line.stepping is not None and request.verb not in ("Pause", "Resume"):
            request.line.waiting.append(request)
        elif request.frame is None or request.frame <= frame:
            self._execute_in_time(request)
        else:
            self._accepted += 1
            heapq.heappush(self._schedule, (request.frame, request.line.name, self._accepted, request))

    def _execute_in_time(self, request: Request) -> None:
        frame = self._simulation.frame
        if request.frame is not None and request.frame < frame:
            request.failed(frame, f"{request.verb}: frame {request.frame} is over, it is {frame}")
        else:
            self._execute(request)

    def _next_frame(self) -> int:
        """The next frame in which there is something to do here, if nothing is asked for until then."""
        frames = [line.next_frame for line in self._switchboard.lines if line.watch is not None and line.watch.every]
        if self._until is not None:
            frames.append(self._until)
        if self._schedule:
            frames.append(self._schedule[0][0])
        if self._unmanned():
            frames.append(self._simulation.frame + 1)
        return min(frames, default=NEVER)

    def _unmanned(self) -> list[Any]:
        """Robots without a client that have commands to execute, left from when there was one."""
        robots = self._simulation.robots
        if len(robots) == len(self._host.sessions):
            return []
        return [
            robot
            for name, robot in robots.items()
            if robot.commands.next_frame < NEVER and name not in self._host.sessions
        ]

    # What

    def _execute(self, request: Request) -> None:
        try:
            if request.verb == "Step":
                self._step(request)  # the answer comes when it is done
                return
            control = self._controls.get(request.verb)
            result = control(request) if control else self._intervene(request)
        except UberSimError as error:
            request.failed(self._simulation.frame, str(error))
        except Exception as error:  # whatever a request does to us, the server lives on
            request.failed(self._simulation.frame, f"the server could not do this: {error!r}")
        else:
            request.done(self._simulation.frame, **result)

    def _intervene(self, request: Request) -> dict[str, Any]:
        if request.verb not in DEEDS:
            known = ", ".join(["Step", *self._controls, *DEEDS])
            raise UberSimError(f"there is no request {request.verb[:80]!r}; there are {known}")
        deed = self._interventions.read(request.verb, request.arguments)
        if deed.settled:
            self._host.settle()
        before = self._simulation.frame
        try:
            return self._interventions.do(deed)
        finally:
            self._deeds += 1
            self._host.accommodate(timeless=deed.timeless)
            if not deed.timeless:
                self._shift(self._simulation.frame - before)

    def _shift(self, frames: int) -> None:
        """The same instant has another frame number now."""
        if self._until is not None:
            self._until += frames
        for line in self._switchboard.lines:
            line.next_frame = self._multiple(line.watch.every if line.watch is not None else 0)

    def _step(self, request: Request) -> None:
        count = _argument(request, "frames", 1, (0, LONGEST_STEP), whole=True)
        self.paused = False
        self._until = self._simulation.frame + int(count)
        request.line.stepping = request

    def _end_step_if_due(self) -> None:
        if self._until is not None and self._simulation.frame >= self._until:
            self.paused = True
            self._end_step()

    def _end_step(self) -> None:
        self._until = None
        for line in self._switchboard.lines:
            if line.stepping is not None:
                line.stepping.done(self._simulation.frame)
                line.stepping = None

    def _pause(self, request: Request) -> dict[str, Any]:
        self.paused = True
        self._end_step()
        return {}

    def _resume(self, request: Request) -> dict[str, Any]:
        self.paused, self.driven = False, True
        self._end_step()
        return {}

    def _rate(self, request: Request) -> dict[str, Any]:
        rate = _argument(request, "rate", 0.0, (0.0, RATES[1]))
        if 0.0 < rate < RATES[0]:
            raise UberSimError(f"Rate: rate is 0, or {RATES[0]:g} to {RATES[1]:g}, not {rate:g}")
        self._host.pace.change(rate)
        return {"rate": rate}

    # Looking

    def _watch(self, request: Request) -> dict[str, Any]:
        every = int(_argument(request, "every", 0, (0, LONGEST_STEP), whole=True))
        hertz = _argument(request, "hertz", 0.0, (0.0, FASTEST_PICTURES))
        if every and hertz:
            raise UberSimError("Watch: every is for simulated time, hertz for real time; one of them")
        sensors, contacts = self._selection(request)
        line = request.line
        forces, drawings = request.arguments.get("forces", ""), bool(request.arguments.get("drawings", False))
        if not isinstance(forces, str) or (forces and not self._truth.bodies_of(forces)):
            raise UberSimError("Watch: forces is the name of a robot or an object")
        line.watch = Watch(every, hertz, sensors, contacts, forces, drawings) if every or hertz else None
        line.next_frame, line.next_picture, line.shown = self._multiple(every), 0.0, (-1, -1)
        self._switchboard.ring()
        return {}

    def _multiple(self, every: int) -> int:
        """The first frame from now on that is a multiple."""
        frame = self._simulation.frame
        return frame + -frame % every if every else frame

    def _show(self, request: Request) -> dict[str, Any]:
        sensors, contacts = self._selection(request)
        picture = self._truth.picture(standing=self._standing, sensors=sensors, contacts=contacts)
        request.line.show(picture, surely=True)
        return {"picture": True}

    def _scene(self, request: Request) -> dict[str, Any]:
        return {"scene": to_json(scene_of(self._simulation)) | {"robots": robot_info(self._simulation)}}

    def _selection(self, request: Request) -> tuple[tuple[str, ...], bool]:
        sensors, contacts = request.arguments.get("sensors", []), request.arguments.get("contacts", False)
        if not isinstance(sensors, list) or not all(isinstance(name, str) for name in sensors) or len(sensors) > 1000:
            raise UberSimError(f"{request.verb}: sensors is a list of up to 1000 names")
        for name in sensors:
            self._truth.channel(name)
        return tuple(sensors), bool(contacts)

    @property
    def _standing(self) -> bool:
        return self.stands_still(bool(self._host.sessions))

    def _feed(self) -> None:
        """Pictures for those who watch."""
        frame = self._simulation.frame
        for line in list(self._switchboard.lines):
            watch = line.watch
            if watch is None or not (frame >= line.next_frame if watch.every else line.wanted):
                continue
            now = frame, self._deeds
            if line.shown != now:
                line.show(
                    self._truth.picture(
                        standing=self._standing,
                        sensors=watch.sensors,
                        contacts=watch.contacts,
                        forces=watch.forces,
                    )
                )
            line.shown, line.wanted = now, False
            if watch.every:
                line.next_frame = frame - frame % watch.every + watch.every


def _argument(
    request: Request, name: str, default: float, limits: tuple[float, float], *, whole: bool = False
) -> float:
    value = request.arguments.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        raise UberSimError(f"{request.verb}: {name} is a {'whole ' if whole else ''}number, not {repr(value)[:80]}")
    if not limits[0] <= value <= limits[1]:
        raise UberSimError(f"{request.verb}: {name} is {limits[0]:g} to {limits[1]:g}, not {str(value)[:20]}")
    return value
