"""Robots driven by hand: keys and gamepads become commands for a whole robot, or for its joints."""
