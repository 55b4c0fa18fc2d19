"""Numbers over time, from whatever file has them: our logs, ROS 2 bags, CSV."""

from ubersim.signals.opening import open_signals
from ubersim.signals.signal import Signal
from ubersim.signals.source import SignalSource

__all__ = ["Signal", "SignalSource", "open_signals"]
