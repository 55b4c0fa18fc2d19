"""Demonstrations of the shipped robots: a server, a robot's own program, a film, plots and a table."""
