"""The world, its robots and time; no sockets. What the server, tests and learning environments all use."""

from ubersim.simulation.simulation import Simulation as Simulation
