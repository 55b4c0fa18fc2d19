"""Markings: what is painted on the ground, such as the lines of a field; seen by cameras, and never touched."""
