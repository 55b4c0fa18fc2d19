"""How a robot moves when it is told a velocity, learned from a log of it; `LearnedDrive` uses what is found."""

from ubersim.identification.motion.fit import LearnedMotion, learn_motion
from ubersim.identification.motion.record import MotionRecord

__all__ = ["LearnedMotion", "MotionRecord", "learn_motion"]
