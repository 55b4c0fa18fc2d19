"""Logs: what happened in a simulation, written down so that it can be looked at, plotted, and made to happen again."""

from ubersim.recording.log import Log, LogInstant
from ubersim.recording.recorder import Recorder
from ubersim.recording.replay import Difference, replay

__all__ = ["Difference", "Log", "LogInstant", "Recorder", "replay"]
