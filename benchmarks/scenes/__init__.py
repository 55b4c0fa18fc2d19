"""A scene that is said once, and built in ÜberSim, in MuJoCo, in PyBullet, or as text for a program in C."""

from benchmarks.scenes.engine import Engine
from benchmarks.scenes.scene import BodySpec, JointSpec, Scene, Shape

__all__ = ["BodySpec", "Engine", "JointSpec", "Scene", "Shape"]
