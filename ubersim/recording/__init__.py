"""Logs: what happened in a simulation, written down so that it can be looked at, plotted, and made to happen again."""

from ubersim.recording.log import Instant, Log
from ubersim.recording.recorder import Recorder
from ubersim.recording.replay import Difference, replay

__all__ = ["Difference", "Instant", "Log", "Recorder", "replay"]
