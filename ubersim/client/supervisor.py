"""What a program imports that stands above the robots: it stops time, moves things, and knows everything.

    from ubersim.client.supervisor import supervise

    with supervise() as world:
        world.pause()
        world.teleport("Segway", (0.0, 2.0, 0.0))
        world.step(100)
        print(world.truth()["Segway/MainBody"].position)

Every call returns when the server has done it; with `frame=` at once, and it is done in that very frame, if the
supervisor is there by then. What was scheduled and has failed is raised by the next call that hears of it, or at the
end of the `with`.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ubersim.client.documents import document_of
from ubersim.client.requests import Drawing, LoggedEntry, RequestConnection
from ubersim.protocol.document_settings import latency_text, with_settings
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.timing.latency import LatencyModel
from ubersim.transport.address import DEFAULT_HOST, DEFAULT_PORT
from ubersim.transport.connect import open_connection


def supervise(
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    *,
    name: str = "supervisor",
    token: str | None = None,
    wait: float = 0.0,
) -> Supervisor:
    """Connects to a server, for which `wait` seconds are allowed to start."""
    connection = open_connection(host, port, wait)
    try:
        return Supervisor(connection, name, token)
    except BaseException:
        connection.close()
        raise


class Supervisor:
    """One connection. Its requests are executed in the order of the calls."""

    def __init__(self, connection: socket.socket, name: str, token: str | None = None) -> None:
        self._connection = RequestConnection(connection, name, token)
        self.settings = self._connection.welcome.to_json()
        """All that the server said in its welcome."""
        self.step_size = self._connection.welcome.step
        """Length of a frame [s]."""

    @property
    def frame(self) -> int:
        """The frame of the last answer."""
        return self._connection.frame

    def __enter__(self) -> Supervisor:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with contextlib.closing(self):
            if kind is None:
                self._connection.hear_out()

    def close(self) -> None:
        """Leaves; when the last supervisor has left, time goes on as without one."""
        self._connection.close()

    def ask(self, verb: str, frame: int | None = None, **arguments: Any) -> dict[str, Any]:
        """Any request of the protocol; arguments that are None are left out. Returns what the answer says."""
        given = {name: value for name, value in arguments.items() if value is not None}
        return self._connection.ask(verb, frame, given)

    # Time

    def pause(self, *, frame: int | None = None) -> None:
        """Lets time stand still."""
        self.ask("Pause", frame)

    def resume(self) -> None:
        """Lets time go on, also without robots."""
        self.ask("Resume")

    def step(self, frames: int = 1) -> int:
        """Lets that many frames pass, then stand still; returns the frame that is reached."""
        self.ask("Step", frames=frames)
        return self.frame

    def seek(self, to: int) -> None:
        """Goes to this frame of a log that is replayed, forwards or backwards: `ubersim replay LOG --serve`."""
        self.ask("Seek", to=to)

    def rate(self, rate: float) -> None:
        """Times real time; 0: as fast as it goes."""
        self.ask("Rate", rate=rate)

    def reset(self, *, frame: int | None = None) -> None:
        """Back to frame 0: every robot where it spawned, every object where it started."""
        self.ask("Reset", frame)

    def snapshot(self, label: str, *, frame: int | None = None) -> None:
        """Keeps the state of everything in the server."""
        self.ask("Snapshot", frame, label=label)

    def restore(self, label: str, *, frame: int | None = None) -> None:
        """Goes on from a snapshot."""
        self.ask("Restore", frame, label=label)

    # Things

    def teleport(
        self,
        thing: str,
        position: Sequence[float] | None = None,
        *,
        heading: float | None = None,
        quaternion: Sequence[float] | None = None,
        linear: Sequence[float] = (0.0, 0.0, 0.0),
        angular: Sequence[float] = (0.0, 0.0, 0.0),
        overlap: str = "refuse",
        frame: int | None = None,
    ) -> None:
        """Puts a robot or an object somewhere else [m, rad], at rest, or with a velocity [m/s, rad/s].

        The pose is that of a robot's model, or of an object's centre of mass. `overlap`: what to do if it would be in
        something solid there; `refuse`, `lift` it until it is on top, or `allow`.
        """
        place = {"position": position, "heading": heading, "quaternion": quaternion}
        self.ask("Teleport", frame, thing=thing, **place, linear=linear, angular=angular, overlap=overlap)

    def push(
        self,
        body: str,
        force: Sequence[float],
        seconds: float,
        *,
        point: Sequence[float] = (0.0, 0.0, 0.0),
        frame: int | None = None,
    ) -> None:
        """Lets a force act on `Robot/Body` or an object [N, world axes]; the point is in the body's own axes [m]."""
        self.ask("Push", frame, body=body, force=force, seconds=seconds, point=point)

    def spawn(
        self,
        xml: str | Path,
        *,
        name: str | None = None,
        position: Sequence[float] | None = None,
        heading: float = 0.0,
        latency: float | str | LatencyModel | None = None,
        overlap: str = "refuse",
        frame: int | None = None,
    ) -> str:
        """Brings a robot (`Client`) or an object (`Body`), given as XML, as a file, or by the name of a robot that
        comes along, such as `segway`; returns its name.

        `overlap`: what to do if it would be in something solid there, as for `teleport`.
        """
        text = with_settings(document_of(xml), latency=latency)
        place = {"position": position, "heading": heading, "overlap": overlap}
        answer = self.ask("Spawn", frame, xml=text, name=name, **place)
        return str(answer.get("name", name or ""))

    def remove(self, thing: str, *, frame: int | None = None) -> None:
        """Takes a robot, or an object that was spawned, out of the world."""
        self.ask("Remove", frame, thing=thing)

    def set(self, robot: str, component: str, property_: str | int, value: float, *, frame: int | None = None) -> None:
        """Sets a property of a robot's joint, motor or sensor, without its latency."""
        self.ask("Set", frame, robot=robot, component=component, property=property_, value=value)

    def set_latency(
        self, robot: str, latency: float | str | LatencyModel, *, sensor: str | None = None, frame: int | None = None
    ) -> None:
        """Changes the latency of a robot's commands, or of a sensor: milliseconds, a model, or its element's text."""
        if isinstance(latency, int | float):
            self.ask("Latency", frame, robot=robot, milliseconds=latency, sensor=sensor)
        else:
            self.ask("Latency", frame, robot=robot, model=latency_text(latency), sensor=sensor)

    def parameters(self) -> dict[str, dict[str, Any]]:
        """What robots' programs have declared, by robot and name: kind, value, limits, choices."""
        found: dict[str, dict[str, Any]] = self.ask("Parameters")["parameters"]
        return found

    def set_parameter(self, robot: str, name: str, value: bool | float | str, *, frame: int | None = None) -> None:
        """Tells a robot's program that one of its parameters has another value, with the frame after this one."""
        self.ask("SetParameter", frame, robot=robot, name=name, value=value)

    def event(self, label: str, *, frame: int | None = None) -> None:
        """Gives an instant a name, for the log."""
        self.ask("Event", frame, label=label)

    def referee(
        self, do: str = "status", side: str | None = None, x: float = 0.0, y: float = 0.0, *, frame: int | None = None
    ) -> dict[str, Any]:
        """How the match stands; before that, the referee halts, starts or resets it, puts the ball down, or counts a
        goal.
        """
        found: dict[str, Any] = self.ask("Referee", frame, do=do, side=side, x=x, y=y)["match"]
        return found

    def player(
        self,
        do: str = "list",
        player: str | None = None,
        xml: str | None = None,
        name: str | None = None,
        options: Iterable[str] = (),
        *,
        frame: int | None = None,
    ) -> list[str]:
        """The robots that players inside the server are at, after one was started or stopped."""
        given = {"player": player, "xml": xml, "name": name, "options": list(options)}
        return list(self.ask("Player", frame, do=do, **given)["players"])

    # Looking

    def truth(self, *, sensors: Iterable[str] = (), contacts: bool = False) -> GroundTruth:
        """Everything now; with the newest readings of the sensors that are named as `Robot/Sensor`."""
        self.ask("Truth", sensors=list(sensors), contacts=contacts)
        assert self._connection.picture is not None
        return self._connection.picture

    def watch(
        self,
        *,
        every: int = 0,
        hertz: float = 0.0,
        sensors: Iterable[str] = (),
        contacts: bool = False,
        forces: str = "",
        pushes: bool = False,
        commands: Iterable[str] = (),
        drawings: bool = False,
        logs: bool = False,
    ) -> None:
        """From now on `next_truth` has a picture of every so many frames, or so many per second of real time.

        A program that looks too slowly gets fewer of them, and holds up nothing. Without a number it ends. `forces`
        names a robot or an object whose contact forces are told; `pushes`: those that supervisors let act. `commands`
        names components, `Robot/Component`, whose commands are told, when they were sent and when they are executed.
        `drawings`: `take_drawings` has what clients draw; `logs`: `take_logs` what programs log.
        """
        more: dict[str, Any] = {"contacts": contacts, "forces": forces, "drawings": drawings}
        more |= {"pushes": pushes, "commands": list(commands), "logs": logs}
        self.ask("Watch", every=every, hertz=hertz, sensors=list(sensors), **more)

    def next_truth(self, timeout: float | None = None) -> GroundTruth | None:
        """The next picture of those asked for with `watch`; None if none comes in time [s]."""
        return self._connection.next_picture(timeout)

    def take_drawings(self) -> list[Drawing]:
        """What clients have drawn since the last call: robot, name of the drawing, and what it is.

        They are read by `next_truth`.
        """
        return self._connection.take_drawings()

    def take_logs(self) -> list[LoggedEntry]:
        """What programs have logged since the last call: robot, time [s], and the entry.

        They are read by `next_truth`.
        """
        return self._connection.take_logs()

    def scene(self, robot: str | None = None) -> dict[str, Any]:
        """What there is to see, as plain values: shapes, each with the row of its body, ground, sky and lights.

        `robots` has their latencies, bodies, and sensors with their places; of one `robot`, there is only that.
        """
        scene: dict[str, Any] = self.ask("Scene", robot=robot)["scene"]
        return scene
