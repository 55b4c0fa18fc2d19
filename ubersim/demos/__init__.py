"""Demonstrations of the robots that come along: each with its own program over TCP, a film, plots and a table."""
