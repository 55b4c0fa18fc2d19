"""What a list of things in sight says of where the robot is: distance and angle of those that never move."""

from __future__ import annotations

import numpy as np

from ubersim.components.sensors.logical_camera import Objects
from ubersim.components.sensors.perception import Feature, LandmarkNames
from ubersim.geometry import Array, product


def landmark_features(quality: Objects, landmarks: LandmarkNames) -> tuple[Feature, ...]:
    """First the distances of all landmarks, then their angles."""
    names, errors = landmarks.values(), (quality.distance_error, quality.relative_error)
    distances = tuple(Feature(f"{name} distance", "m", *errors) for name in names)
    return distances + tuple(Feature(f"{name} angle", "rad", quality.angle_error) for name in names)


def landmarks_in(rows: Array, mounting: Array, landmarks: LandmarkNames) -> Array:
    """Their values in the rows of a list; not a number for what is not in it.

    Angles are the robot's own, to the left of its forward axis and seen from above, however the camera is mounted: one
    that looks up into a mirror has its own axis where others have their horizon.
    """
    places = {number: place for place, number in enumerate(landmarks)}
    found = np.full((2, len(landmarks)), np.nan)
    listed = [(places[int(row[0])], row) for row in rows if int(row[0]) in places]
    if listed:
        chosen, seen = [place for place, _ in listed], np.array([row for _, row in listed])
        bearing, elevation = seen[:, 1], seen[:, 2]
        ahead = np.cos(elevation)
        directions = np.stack([-np.sin(bearing) * ahead, np.cos(bearing) * ahead, np.sin(elevation)], axis=1)
        x, y, _ = product(directions, mounting.T).T
        found[0, chosen], found[1, chosen] = seen[:, 3], np.arctan2(-x, y)
    return found.ravel()
