"""What a program drew in the pixels of a camera, as a log has it, for pictures that are drawn from the log."""

from __future__ import annotations

from functools import lru_cache

from ubersim.protocol.log_entries import DRAWING, LogEntry
from ubersim.recording.drawn_entries import DrawnEntries
from ubersim.recording.log import Log
from ubersim.recording.population import robots_of
from ubersim.recording.program_entries import ProgramEntries
from ubersim.render.annotations import Annotation, Picture, annotated, read_annotation
from ubersim.timing.latency import frames_in


class LoggedMarks:
    """Of one camera, `Robot/Camera`.

    A picture that is drawn from a log shows the frame in which it was taken. Its program got it later by the camera's
    latency, and drew then: so much later is looked for what belongs to the picture.
    """

    def __init__(self, log: Log, camera: str) -> None:
        robot, _, self._camera = camera.partition("/")
        self._robot, self._last = robot, log.last
        self._drawn = DrawnEntries(log, ProgramEntries(log))
        sensors = {sensor.name: sensor for sensor in robots_of(log)[robot].sensors}
        self._late = frames_in(sensors[self._camera].latency.minimum, log.step)
        self._read = lru_cache(maxsize=64)(_annotation)

    def over(self, picture: Picture, frame: int, size: tuple[int, int]) -> Picture:
        """The camera's picture of a frame with what is drawn in it; `size` is that of the camera's own [px]."""
        said = (one.entry for one in self._drawn.at(min(frame + self._late, self._last)) if one.robot == self._robot)
        found = [self._read(entry) for entry in said if entry.kind == DRAWING and entry.space == self._camera]
        marks = [one for one in found if one is not None]
        return annotated(picture, marks, size) if marks else picture


def _annotation(entry: LogEntry) -> Annotation | None:
    try:
        return read_annotation(entry.value)
    except Exception:  # a program may say anything; what cannot be drawn is left out
        return None
