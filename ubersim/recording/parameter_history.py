"""The parameters that programs had declared in a recorded run, and what they were, frame by frame."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator

from ubersim.protocol.json_object import decode_object
from ubersim.protocol.parameters import Declaration, decode_declaration
from ubersim.recording.damage import damage
from ubersim.recording.event import RecordedEvent
from ubersim.recording.file import Schema
from ubersim.recording.log import Log
from ubersim.simulation.parameters import RobotParameters
from ubersim.supervision.commands.set_parameter import SetParameter

TOPIC = "/ubersim/parameters"
SCHEMA = Schema("ubersim.Parameter", "jsonschema", b'{"type":"object"}')
Parameters = dict[str, RobotParameters]
"""By robot."""


def encode_declared(robot: str, made: Declaration) -> bytes:
    """What the file has of a declaration: the program's own words, and whose it was."""
    return json.dumps({"robot": robot, **made.to_json()}).encode()


class ParameterHistory:
    """Declarations are in the file by the frames that programs thought about; changes are supervisors' commands."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._frames: list[int] = []
        self._states: list[Parameters] = []
        now: Parameters = {}
        with damage(log.path, "what programs have declared"):
            for frame, change in sorted(self._changes(), key=lambda found: found[0]):
                now = dict(now)
                _apply(now, change)
                self._frames.append(frame)
                self._states.append(now)

    def at(self, frame: int) -> Parameters:
        """As they were when this frame was answered; frames as the log counts them."""
        place = bisect_right(self._frames, frame)
        return self._states[place - 1] if place else {}

    def declared(self) -> Iterator[tuple[str, Declaration]]:
        """All that programs have declared, as they did last, by robot."""
        found: dict[tuple[str, str], Declaration] = {}
        for state in self._states:
            for robot, parameters in state.items():
                found |= {(robot, name): made for name, made in parameters.declared.items()}
        for (robot, _), made in found.items():
            yield robot, made

    def _changes(self) -> Iterator[tuple[int, _Change]]:
        """By frame; in a frame a program begins before it declares, and declares before that is changed."""
        changes: list[tuple[int, _Change]] = []
        restoring = False
        for item in self._log.items():
            if not isinstance(item, RecordedEvent):
                continue
            restoring = item.kind == "restoring" or (restoring and item.kind != "restored")
            if item.kind == "joined" and not restoring:  # else it is the same program, with a robot made anew
                yield item.frame, item.robot
            elif item.kind == "intervened" and item.label == SetParameter.verb:
                changes.append((item.frame, SetParameter.read(item.arguments)))
        for chunk in dict.fromkeys(chunk for chunk, _ in self._log.places(TOPIC)):
            for topic, frame, data in self._log.messages(chunk):
                if topic == TOPIC:
                    robot = decode_object("a declaration", data).get("robot")
                    yield frame, (str(robot), decode_declaration(data))
        yield from changes


_Change = str | tuple[str, Declaration] | SetParameter
"""A program begins with a robot of that name, declares a parameter, or is told of another value."""


def _apply(now: Parameters, change: _Change) -> None:
    """What becomes of all parameters; those of a robot that change are made anew, for others keep them."""
    if isinstance(change, str):
        now[change] = RobotParameters()
        return
    robot = change.robot if isinstance(change, SetParameter) else change[0]
    before, after = now.get(robot, RobotParameters()), RobotParameters()
    after.declared, after.values = dict(before.declared), dict(before.values)
    now[robot] = after
    if not isinstance(change, SetParameter):
        after.declare(change[1])
    elif change.name in after.declared:  # a log that began later than the program may not have it
        after.values[change.name] = change.value
