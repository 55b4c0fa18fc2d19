"""A log as the page needs it: its scene, and the ground truth at any of its times."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ubersim.description import RobotDescription
from ubersim.geometry import Triple
from ubersim.protocol.ground_truth import GroundTruth
from ubersim.protocol.names import VISIBLE
from ubersim.protocol.quantity import to_plain
from ubersim.protocol.supervisor_events import ForwardedLog
from ubersim.protocol.to_json import to_json
from ubersim.recording.block import bodies_of
from ubersim.recording.colors import ColorHistory, places_of_lamps, places_of_shapes
from ubersim.recording.damage import damage
from ubersim.recording.drawn_entries import DrawnEntries
from ubersim.recording.exact_states import ExactStates
from ubersim.recording.log import Log
from ubersim.recording.parameter_history import ParameterHistory
from ubersim.recording.population import populated, robots_of
from ubersim.recording.program_entries import ProgramEntries
from ubersim.recording.readings import Readings
from ubersim.simulation.robot_info import described
from ubersim.simulation.scene import scene_of, solid_names

_OUT = (0.0, 0.0, 0.0)


class LogSource:
    """All robots that were ever in the run are in the scene; those that are not there at a time are hidden then."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.begin, self.end = log.first * log.step, log.last * log.step
        """First and last time [s]."""
        self.step = log.step
        """Length of a frame [s]."""
        self.stamp = "delivered" if "real" in log.facts else "captured"
        """What the times of readings are: who records a real robot knows only when they came."""
        with damage(log.path, "a robot or the world"), populated(log) as simulation:
            self._bodies = bodies_of(simulation)
            scene = scene_of(simulation)
            self.scene: dict[str, Any] = to_json(scene) | {"solids": solid_names(simulation)}
            """As a supervisor would get it from a server."""
            self._shapes = places_of_shapes(simulation)
            sources: Any = scene.lights.sources
            lamps = places_of_lamps(simulation, sources)
            self._lamps = {place: (sources[place].body, *lamp) for place, lamp in lamps.items()}
        robots = robots_of(log)
        self.scene["robots"] = {name: described(robot) for name, robot in robots.items()}
        self._sensors = {f"{name}/{sensor.name}": sensor for name, robot in robots.items() for sensor in robot.sensors}
        self._readings = Readings(log)
        self._exact = ExactStates(log)
        self._colors = ColorHistory(log, robots)
        self._programs = ProgramEntries(log)
        self._drawn = DrawnEntries(log, self._programs)
        self._parameters = ParameterHistory(log)
        self.legend: dict[str, Any] = {
            "number": 1,
            "bodies": [f"{robot}/{body}" if robot else body for robot, body in self._bodies],
            "joints": [],
            "robots": {name: _interface(robot) for name, robot in robots.items()},
        }

    def colors(self, time: float) -> dict[int, Triple]:
        """Those of the scene's shapes, by place, that are ever painted, as they were."""
        colors = self._colors.at(math.floor(time / self.step + 1e-6))
        return {self._shapes[solid]: color for solid, color in colors.items() if solid in self._shapes}

    def lamps(self, time: float, absent: Collection[int]) -> dict[int, Triple]:
        """The light of robots' lamps, by place in the scene; that of robots that were not there is out."""
        colors = self._colors.at(math.floor(time / self.step + 1e-6))
        lit = {}
        for number, (row, robot, light) in self._lamps.items():
            on = row not in absent and VISIBLE in light.radiation
            lamp = replace(light, color=colors.get((robot, light.name), light.color))
            lit[number] = lamp.strength if on else _OUT
        return lit

    def said(self, after: float, until: float) -> list[ForwardedLog]:
        """What programs logged after one time, up to another [s]."""
        first, last = (math.floor(time / self.step + 1e-6) for time in (after, until))
        return self._programs.between(first + 1, last)

    def drawn(self, time: float) -> list[ForwardedLog]:
        """What programs had drawn by a time, the newest of each name; an empty one where there was none yet."""
        return self._drawn.at(math.floor(time / self.step + 1e-6))

    def parameters(self, time: float) -> dict[str, dict[str, Any]]:
        """What programs had declared by a time [s], by robot and name."""
        then = self._parameters.at(math.floor(time / self.step + 1e-6))
        return {robot: parameters.to_json() for robot, parameters in then.items()}

    def at(
        self, time: float, sensors: Iterable[str] = (), *, exact: bool = False
    ) -> tuple[GroundTruth, frozenset[int]]:
        """How it was, or nearly so where poses were not kept, with the newest readings of `Robot/Sensor`.

        Also the rows of the bodies that were not there. With `exact`, what was not kept is simulated again.
        """
        instant = self._log.between(time)
        if exact:
            instant = self._exact.refined(instant)
        states = np.zeros((len(self._bodies), 13))
        states[:, 3] = 1.0
        absent = set()
        for row, name in enumerate(self._bodies):
            if name in instant.states:
                states[row] = instant.states[name]
            else:
                absent.add(row)
        position, turn, linear, angular = np.split(states, (3, 7, 10), axis=1)
        none = np.empty(0)
        truth = GroundTruth(
            instant.time, instant.frame, False, self.legend, position, turn, linear, angular, none, none
        )
        present = {robot for robot, _ in instant.states}
        with damage(self._log.path, f"the readings of frame {instant.frame}"):
            for sensor in sensors:
                if sensor in self._sensors and sensor.partition("/")[0] in present:
                    self._read(truth, sensor, instant.frame)
        return truth, frozenset(absent)

    def _read(self, truth: GroundTruth, name: str, frame: int) -> None:
        robot, _, sensor = name.partition("/")
        about = self._sensors[name]
        found = self._readings.before(frame, robot, sensor)
        if found is not None:
            truth.readings[name] = about.unpacked(found.payload)
            truth.captured[name] = found.captured * self.step


def _interface(robot: RobotDescription) -> dict[str, Any]:
    """What its client was told about it, as far as a log has it."""
    joints = {joint.name: joint for joint in robot.joints}
    sensors = {
        sensor.name: {"shape": list(sensor.shape), "quantities": to_plain(sensor.quantities_on(joints))}
        for sensor in robot.sensors
    }
    return {"sensors": sensors, "joints": {}, "motors": {}}
