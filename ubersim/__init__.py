"""ÜberSim: a simulation server for dynamic, vision-centric robots."""

__version__ = "0.1.0"
