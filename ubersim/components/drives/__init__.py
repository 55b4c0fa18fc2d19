"""Robots that move as they are told: kinematic models, for those that should not be simulated dynamically."""
