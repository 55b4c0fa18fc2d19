"""Which way things look: in most formats along +x, in cameras of MJCF along -z; here along +y, with +z up."""

from __future__ import annotations

import numpy as np

from ubersim.geometry import Pose

_X_FORWARD = Pose(np.zeros(3), np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
"""Our axes seen from a frame with x ahead and z up: our y is its x, our x its -y."""
_INTO_SCREEN = Pose(np.zeros(3), np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]))
"""Our axes seen from a camera with x to the right and y up that looks along -z."""


def from_x_forward(pose: Pose) -> Pose:
    """A sensor's frame whose +x looks ahead, as ours."""
    return pose @ _X_FORWARD


def from_into_screen(pose: Pose) -> Pose:
    """A camera's frame that looks along -z, with +y up, as ours."""
    return pose @ _INTO_SCREEN
