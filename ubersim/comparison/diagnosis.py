"""What differs first in a frame of two runs that were the same until then, and what that says about the cause.

Within a frame things happen in this order: the step before has brought bodies somewhere, readings are delivered, events
and commands are executed. Whatever differs first cannot be the consequence of anything else that the logs hold, so it
tells the cause.
"""

from __future__ import annotations

from collections.abc import Iterator

from ubersim.comparison.cause import Cause, Finding
from ubersim.comparison.command_timing import commands_of, timing
from ubersim.comparison.frames import DeliveredReading, ExecutedCommand, FrameRecord
from ubersim.comparison.premises import Premises, first_change
from ubersim.description import RobotDescription
from ubersim.errors import UberSimError
from ubersim.protocol.messages import OWN_PAYLOAD
from ubersim.recording.event import RecordedEvent
from ubersim.timing.latency import Constant, LatencyModel

_COMES_AND_GOES = ("joined", "left")


class Diagnosis:
    """Of one frame; the frames from it on are consumed only if it differs."""

    def __init__(
        self,
        premises: Premises,
        joined: dict[str, RecordedEvent],
        ours: Iterator[FrameRecord],
        theirs: Iterator[FrameRecord],
    ) -> None:
        self._premises = premises
        self._joined = joined
        self._ours, self._theirs = ours, theirs

    def finding(self, a: FrameRecord, b: FrameRecord) -> Finding | None:
        """What differs first in this frame; None if nothing does."""
        if a.state != b.state and a.state and b.state:
            return self._physics(a, b)
        if a.readings != b.readings:
            return self._comings_and_goings(a, b) or self._readings(a, b)
        ours, theirs = map(_essence, a.actions), map(_essence, b.actions)
        for number, (one, other) in enumerate(zip(ours, theirs, strict=False)):
            if one != other:
                return self._actions(a.actions[number], b.actions[number], a)
        if len(a.actions) != len(b.actions):
            longer, shorter = max(a.actions, b.actions, key=len), min(a.actions, b.actions, key=len)
            extra = longer[len(shorter)]
            return self._actions(extra, None, a) if longer is a.actions else self._actions(None, extra, a)
        return None

    # Motion

    def _physics(self, a: FrameRecord, b: FrameRecord) -> Finding:
        bodies = [body for body in a.state if body in b.state and a.state[body] != b.state[body]]
        robot, body = bodies[0] if bodies else next(iter(a.state.keys() ^ b.state.keys()))
        more = f" and {len(bodies) - 1} more" if len(bodies) > 1 else ""
        moved = f"{body}{more} moved otherwise"
        concerned = {name for name, _ in bodies} & self._premises.documents.keys()
        if self._premises.surroundings:
            return Finding("world", f"{self._premises.surroundings}; {moved}", robot, body)
        if concerned or self._premises.documents:
            name = min(concerned or self._premises.documents)
            return Finding("document", f"{self._premises.document(name)}; {moved}", name, body)
        why = self._premises.versions or "the commands are the same, so something that is in no log acted on it"
        return Finding("physics", f"{moved}; {why}", robot, body)

    # Readings

    def _comings_and_goings(self, a: FrameRecord, b: FrameRecord) -> Finding | None:
        """Who is there in one run only, of which the readings that are missing in the other are a consequence."""
        one, other = _presence(a), _presence(b)
        return next(
            (self._event(one.get(who), other.get(who)) for who in one | other if who not in one.keys() & other), None
        )

    def _readings(self, a: FrameRecord, b: FrameRecord) -> Finding:
        one, other = _first_unequal(a.readings, b.readings)
        reading = one or other
        assert reading is not None
        robot, sensor = reading.robot, reading.sensor
        if one and other and (one.robot, one.sensor) == (other.robot, other.sensor):
            what, chance = f"{sensor} read something else of the same state", self._noise(robot, sensor)
        else:
            where = "the first run only" if one else "the second run only"
            what, chance = f"{sensor} delivered in {where}", self._is_random(self._sensor_latency(robot, sensor))
        if robot in self._premises.documents:
            return Finding("document", f"{self._premises.document(robot)}; {what}", robot, sensor)
        if chance:
            return Finding("random draw", f"{what}: {self._because_of_seeds(chance)}", robot, sensor)
        if self._premises.surroundings:
            return Finding("world", f"{self._premises.surroundings}; {what}", robot, sensor)
        return Finding("reading", what, robot, sensor)

    def _noise(self, robot: str, sensor: str) -> str:
        described = self._described(robot)
        found = [one for one in described.sensors if one.name == sensor] if described else []
        noisy = found and any(getattr(found[0], name, 0) for name in ("noise", "bias", "bias_walk", "drift"))
        return "noise" if noisy or self._premises.seeds else ""

    def _sensor_latency(self, robot: str, sensor: str) -> LatencyModel | None:
        described = self._described(robot)
        found = [one for one in described.sensors if one.name == sensor] if described else []
        return found[0].latency if found else None

    # What was done

    def _actions(
        self, a: RecordedEvent | ExecutedCommand | None, b: RecordedEvent | ExecutedCommand | None, now: FrameRecord
    ) -> Finding:
        if isinstance(a, RecordedEvent) or isinstance(b, RecordedEvent):
            one = a if isinstance(a, RecordedEvent) else None
            other = b if isinstance(b, RecordedEvent) else None
            return self._event(one, other)
        command = a or b
        assert command is not None
        return self._command(command, now.number)

    def _event(self, a: RecordedEvent | None, b: RecordedEvent | None) -> Finding:
        event = a or b
        assert event is not None
        if a and b and a.kind == b.kind:
            what = f"in both runs, {_label(event)}, but otherwise: {first_change(_details(a), _details(b))}"
        elif a and b:
            what = f"{_label(a)} in the first run, {_label(b)} in the second"
        else:
            what = f"{_label(event)} in the {'first' if a else 'second'} run only"
        cause: Cause = "robots" if event.kind in _COMES_AND_GOES else "intervention"
        robot, _, body = str(event.arguments.get("body", event.arguments.get("thing", ""))).partition("/")
        return Finding(cause, what, event.robot or str(event.arguments.get("robot", robot)), body)

    def _command(self, command: ExecutedCommand, frame: int) -> Finding:
        """A command that was not executed in both runs alike: another value, another time, or gone."""
        robot, part = command.robot, command.component
        verdict = timing(commands_of(command, self._ours), commands_of(command, self._theirs), frame)
        what = f"{self._property(command)} {verdict.text}"
        latency = self._command_latency(robot)
        if robot in self._premises.documents and not verdict.other_value:
            return Finding("document", f"{self._premises.document(robot)}; {what}", robot, part)
        if not verdict.other_value and (chance := self._is_random(latency)):
            return Finding("random draw", f"{what}: {self._because_of_seeds(chance)}", robot, part)
        return Finding("command", what, robot, part)

    def _property(self, command: ExecutedCommand) -> str:
        if command.number == OWN_PAYLOAD:
            return f"{command.component}.payload"
        return self._joined[command.robot].property_name(command.component, command.number)

    def _command_latency(self, robot: str) -> LatencyModel | None:
        described = self._described(robot)
        return described.settings.latency if described else None

    # Chance

    def _described(self, robot: str) -> RobotDescription | None:
        try:
            return self._premises.description(self._joined[robot])
        except UberSimError:  # it has components of a package that is not installed here
            return None

    def _is_random(self, latency: LatencyModel | None) -> str:
        if latency is None or (isinstance(latency, Constant) and not latency.loss):
            return ""
        return f"{latency.kind} latency" + (f" with loss {latency.loss:g}" if latency.loss else "")

    def _because_of_seeds(self, chance: str) -> str:
        return f"{chance}; {self._premises.seeds}" if self._premises.seeds else chance


def _essence(action: RecordedEvent | ExecutedCommand) -> object:
    """What has to be equal; documents are premises, and count only if something comes of them."""
    if isinstance(action, ExecutedCommand):
        return action
    return action.kind, action.robot, action.position, action.rotation, action.snapshot, action.arguments, action.label


def _presence(frame: FrameRecord) -> dict[tuple[str, str], RecordedEvent]:
    """Which robots came and went in this frame, by kind and name."""
    events = [action for action in frame.actions if isinstance(action, RecordedEvent)]
    return {(event.kind, event.robot): event for event in events if event.kind in _COMES_AND_GOES}


def _details(event: RecordedEvent) -> str:
    if event.kind == "joined":
        return f"at {[round(part, 6) for part in event.position]}"
    return "a snapshot" if event.snapshot else str(event.arguments or event.label)


def _label(event: RecordedEvent) -> str:
    return str(event) if event.kind != "pushed" else f"{event.arguments.get('body', 'a body')} pushed"


def _first_unequal(
    ours: list[DeliveredReading], theirs: list[DeliveredReading]
) -> tuple[DeliveredReading | None, DeliveredReading | None]:
    place = next((n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    one, other = ours[place : place + 1], theirs[place : place + 1]
    if one and other and one[0][:2] != other[0][:2]:  # one of them came in this run only
        return (one[0], None) if one[0][:2] not in [reading[:2] for reading in theirs] else (None, other[0])
    return one[0] if one else None, other[0] if other else None
