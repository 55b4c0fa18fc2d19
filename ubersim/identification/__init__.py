"""What a robot's own log says about it: its latencies, and the numbers of its model."""

from ubersim.identification.delay import Delay
from ubersim.identification.identify import Identification, identify

__all__ = ["Delay", "Identification", "identify"]
