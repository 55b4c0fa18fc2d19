"""Environments to learn in, under the latency of the real robot: Gymnasium's API, and PettingZoo's for several robots.

In a program:

    import gymnasium

    env = gymnasium.make("UberSim/SegwayBalance-v0", think=35.0)
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

It needs the extra `learn`.
"""

from __future__ import annotations

try:
    import gymnasium as _gymnasium  # noqa: F401
except ImportError:
    from ubersim.errors import UberSimError

    raise UberSimError("learning environments need gymnasium: pip install 'ubersim[learn]'") from None

from ubersim.learning.environment import UberSimEnv as UberSimEnv
from ubersim.learning.registration import register as register
from ubersim.learning.task import Task as Task

register()
