"""The camera models as formulas: pixel -> ray and point -> pixel, for every projection, with the lens's distortion.

A pixel (u, v) counts columns from the left edge and rows from the top edge: the first pixel's centre is (0.5, 0.5).
The ideal image plane has x to the right and y down, in units of the focal length. Rays are in the camera's frame (+x
right, +y along the optical axis, +z up). Everything is vectorised over leading dimensions.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ubersim.render.camera import Camera, LensModel

Array = NDArray[np.float64]

NEWTON_STEPS = 20
CONVERGED = 1e-9


def viewpoint(camera: Camera) -> Array:
    """The point in the camera's frame at which all seen rays meet [m]: the pinhole, or a mirror's inner focus."""
    return np.array([0.0, 2 * camera.mirror.c if camera.projection == "mirror" else 0.0, 0.0])


def pixel_rays(camera: Camera) -> Array:
    """Where each pixel's centre looks from the viewpoint, unit vectors (height, width, 3); nan: it sees nothing."""
    columns = (np.arange(camera.width) + 0.5 - camera.width / 2) / camera.focal
    rows = (np.arange(camera.height) + 0.5 - camera.height / 2) / camera.focal
    plane = np.stack(np.broadcast_arrays(columns[None, :], rows[:, None]), axis=-1)
    if camera.lens.distorts:
        plane = undistort(camera.lens, plane)
    rays = _rays(camera, plane)
    unit: Array = rays / np.linalg.norm(rays, axis=-1, keepdims=True)
    return unit


def project(camera: Camera, points: ArrayLike) -> Array:
    """Pixel (u, v) at which points of the camera's frame [m] are seen, (..., 2); nan for what no pixel can see."""
    directions = np.asarray(points, dtype=float) - viewpoint(camera)
    with np.errstate(invalid="ignore", divide="ignore"):
        plane = _plane(camera, directions)
    if camera.lens.distorts:
        plane = distort(camera.lens, plane)
    pixels: Array = plane * camera.focal + np.array([camera.width / 2, camera.height / 2])
    return pixels


def cone(camera: Camera) -> tuple[int, float]:
    """A cone from the viewpoint that holds all that is seen: about +y (1) or -y (-1), and its half angle [rad]."""
    right, top = camera.width / 2 / camera.focal, camera.height / 2 / camera.focal
    if camera.projection == "mirror":  # the rim is seen under the widest angle
        height = camera.mirror.a * math.hypot(1, camera.mirror.radius / camera.mirror.b)
        return -1, math.atan2(camera.mirror.radius, camera.mirror.c - height)
    if camera.lens.distorts:
        return 1, math.pi
    match camera.projection:
        case "facette":
            elevation = min(top, math.pi / 2)
            return 1, min(right, math.pi) if right > math.pi / 2 else math.acos(math.cos(right) * math.cos(elevation))
        case "fisheye":
            return 1, min(math.hypot(right, top), math.pi)
    return -1 if camera.projection == "isometric_mirror" else 1, math.atan(math.hypot(right, top))


def distort(lens: LensModel, plane: Array) -> Array:
    """Where the lens moves a place of the ideal image plane."""
    x, y = plane[..., 0], plane[..., 1]
    r2 = x * x + y * y
    radial = 1 + r2 * (lens.k1 + r2 * (lens.k2 + r2 * lens.k3))
    return np.stack(
        [
            x * radial + 2 * lens.p1 * x * y + lens.p2 * (r2 + 2 * x * x),
            y * radial + lens.p1 * (r2 + 2 * y * y) + 2 * lens.p2 * x * y,
        ],
        axis=-1,
    )


def undistort(lens: LensModel, distorted: Array) -> Array:
    """The inverse of `distort`, by Newton's method; nan where no place of the ideal plane leads here."""
    plane = distorted.copy()
    with np.errstate(all="ignore"):
        for _ in range(NEWTON_STEPS):
            error = distort(lens, plane) - distorted
            if not np.nanmax(np.abs(error), initial=0.0) > CONVERGED:
                break
            (xx, xy), (yx, yy) = _jacobian(lens, plane)
            determinant = xx * yy - xy * yx
            step_x = (yy * error[..., 0] - xy * error[..., 1]) / determinant
            step_y = (xx * error[..., 1] - yx * error[..., 0]) / determinant
            plane = plane - np.stack([step_x, step_y], axis=-1)
        lost = ~(np.abs(distort(lens, plane) - distorted).max(axis=-1) < 1e-6)
        (xx, xy), (yx, yy) = _jacobian(lens, plane)
        # Beyond the fold of a strong barrel distortion Newton finds the mirrored branch, which no light takes.
        folded = ~((xx * yy - xy * yx > 0) & (xx + yy > 0))
    plane[lost | folded] = np.nan
    return plane


def _jacobian(lens: LensModel, plane: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    x, y = plane[..., 0], plane[..., 1]
    r2 = x * x + y * y
    radial = 1 + r2 * (lens.k1 + r2 * (lens.k2 + r2 * lens.k3))
    slope = 2 * (lens.k1 + r2 * (2 * lens.k2 + 3 * r2 * lens.k3))
    mixed = x * y * slope + 2 * lens.p1 * x + 2 * lens.p2 * y
    return (
        (radial + x * x * slope + 2 * lens.p1 * y + 6 * lens.p2 * x, mixed),
        (mixed, radial + y * y * slope + 6 * lens.p1 * y + 2 * lens.p2 * x),
    )


def _rays(camera: Camera, plane: Array) -> Array:
    """From the ideal image plane to (unnormalised) directions from the viewpoint."""
    x, y = plane[..., 0], plane[..., 1]
    match camera.projection:
        case "pinhole":
            return np.stack([x, np.ones_like(x), -y], axis=-1)
        case "isometric_mirror":
            # The mirror shows what lies behind the camera; a floor there keeps its shape.
            return np.stack([x, -np.ones_like(x), -y], axis=-1)
        case "facette":
            rays = np.stack([np.sin(x) * np.cos(y), np.cos(x) * np.cos(y), -np.sin(y)], axis=-1)
            rays[(np.abs(x) > np.pi) | (np.abs(y) > np.pi / 2)] = np.nan
            return rays
        case "fisheye":
            angle = np.hypot(x, y)
            per_radius = np.sinc(angle / np.pi)
            rays = np.stack([x * per_radius, np.cos(angle), -y * per_radius], axis=-1)
            rays[angle > np.pi] = np.nan
            return rays
        case "mirror":
            return _mirror_rays(camera, x, y)


def _mirror_rays(camera: Camera, x: Array, y: Array) -> Array:
    """From the pinhole to the hyperboloid, then on as if straight from its inner focus: that is its reflection."""
    a, b, c = camera.mirror.a, camera.mirror.b, camera.mirror.c
    cosine = 1 / np.sqrt(1 + x * x + y * y)
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = b * b / (c * cosine - a) * cosine
        met = np.stack([x * depth, depth, -y * depth], axis=-1)
        missed = ~((c * cosine > a) & (np.hypot(met[..., 0], met[..., 2]) <= camera.mirror.radius))
    met[missed] = np.nan
    rays: Array = met - viewpoint(camera)
    return rays


def _plane(camera: Camera, directions: Array) -> Array:
    """From directions seen at the viewpoint to the ideal image plane."""
    right, ahead, up = directions[..., 0], directions[..., 1], directions[..., 2]
    match camera.projection:
        case "pinhole":
            depth = np.where(ahead > 0, ahead, np.nan)
            return np.stack([right / depth, -up / depth], axis=-1)
        case "isometric_mirror":
            depth = np.where(ahead < 0, -ahead, np.nan)
            return np.stack([right / depth, -up / depth], axis=-1)
        case "facette":
            return np.stack([np.arctan2(right, ahead), -np.arctan2(up, np.hypot(right, ahead))], axis=-1)
        case "fisheye":
            off_axis = np.hypot(right, up)
            per_length = np.where(off_axis > 0, np.arctan2(off_axis, ahead) / np.where(off_axis > 0, off_axis, 1), 0)
            return np.stack([right * per_length, -up * per_length], axis=-1)
        case "mirror":
            a, b = camera.mirror.a, camera.mirror.b
            distance = np.sqrt(right * right + ahead * ahead + up * up)
            reach = b * b / (a * distance - camera.mirror.c * ahead)
            met = directions * np.where(reach > 0, reach, np.nan)[..., None] + viewpoint(camera)
            met[np.hypot(met[..., 0], met[..., 2]) > camera.mirror.radius] = np.nan
            return np.stack([met[..., 0] / met[..., 1], -met[..., 2] / met[..., 1]], axis=-1)
