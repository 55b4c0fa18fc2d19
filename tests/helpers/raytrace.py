"""An independent oracle: rays per pixel, derived anew for each projection, and intersections with solids. Plain numpy.

A mirror is traced honestly: the pinhole's ray meets the hyperboloid by a quadratic equation, is reflected about the
normal there, and goes on from that point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ubersim.render import Camera

Array = NDArray[np.float64]


def rays(camera: Camera) -> tuple[Array, Array]:
    """Origin and unit direction for each pixel's centre, (height, width, 3), nan where the pixel is dark."""
    u, v = np.meshgrid(np.arange(camera.width) + 0.5, np.arange(camera.height) + 0.5)
    right, up = u - camera.width / 2, camera.height / 2 - v
    origin = np.zeros((camera.height, camera.width, 3))
    half = camera.fov / 2
    match camera.projection:
        case "pinhole":
            across, along = _straightened(camera, right, up)
            direction = np.stack([across, np.ones_like(across), along], -1)
        case "facette":
            azimuth, elevation = right * camera.fov / camera.width, up * camera.fov / camera.width
            level = np.stack([np.sin(azimuth), np.cos(azimuth), 0 * azimuth], -1)
            direction = level * np.cos(elevation)[..., None] + np.sin(elevation)[..., None] * np.array([0, 0, 1.0])
            direction[(np.abs(elevation) > np.pi / 2) | (np.abs(azimuth) > np.pi)] = np.nan
        case "fisheye":
            radius = np.hypot(right, up)
            theta = radius * camera.fov / camera.width
            outward = np.stack([right, 0 * right, up], -1) / np.maximum(radius, 1e-12)[..., None]
            direction = outward * np.sin(theta)[..., None] + np.cos(theta)[..., None] * np.array([0, 1.0, 0])
        case "isometric_mirror":
            # Places of a floor one metre behind the camera are proportional to places in the picture.
            scale = np.tan(half) / (camera.width / 2)
            direction = np.stack([right * scale, -np.ones_like(right), up * scale], -1)
        case "mirror":
            scale = np.tan(half) / (camera.width / 2)
            return _reflected(camera, np.stack([right * scale, np.ones_like(right), up * scale], -1))
    direction[~np.isfinite(direction).all(-1)] = np.nan
    return origin, direction / np.linalg.norm(direction, axis=-1, keepdims=True)


def _straightened(camera: Camera, right: Array, up: Array) -> tuple[Array, Array]:
    """Undoes the lens by plain iteration, which is slow and needs no derivative."""
    lens, scale = camera.lens, np.tan(camera.fov / 2) / (camera.width / 2)
    wanted_x, wanted_y = right * scale, -up * scale
    x, y = wanted_x.copy(), wanted_y.copy()
    for _ in range(60 if lens.distorts else 0):
        r2 = x**2 + y**2
        gain = 1 + lens.k1 * r2 + lens.k2 * r2**2 + lens.k3 * r2**3
        x = (wanted_x - 2 * lens.p1 * x * y - lens.p2 * (r2 + 2 * x**2)) / gain
        y = (wanted_y - lens.p1 * (r2 + 2 * y**2) - 2 * lens.p2 * x * y) / gain
    return x, -y


def _reflected(camera: Camera, direction: Array) -> tuple[Array, Array]:
    mirror = camera.mirror
    a, b = mirror.a, mirror.b
    centre = np.sqrt(a * a + b * b)
    d = direction / np.linalg.norm(direction, axis=-1, keepdims=True)
    # ((t dy - c) / a)² - t² (dx² + dz²) / b² = 1
    across = d[..., 0] ** 2 + d[..., 2] ** 2
    qa = d[..., 1] ** 2 / a**2 - across / b**2
    qb = -2 * centre * d[..., 1] / a**2
    qc = centre**2 / a**2 - 1
    with np.errstate(invalid="ignore"):
        root = np.sqrt(qb**2 - 4 * qa * qc)
        roots = np.stack([(-qb - root) / (2 * qa), (-qb + root) / (2 * qa)], -1)
        far_sheet = (roots > 0) & (roots * d[..., 1:2] > centre)
    t = np.where(far_sheet, roots, np.inf).min(axis=-1)
    hit = np.where(np.isfinite(t), t, np.nan)[..., None] * d
    hit[np.hypot(hit[..., 0], hit[..., 2]) > mirror.radius] = np.nan
    normal = np.stack([-hit[..., 0] / b**2, (hit[..., 1] - centre) / a**2, -hit[..., 2] / b**2], -1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    return hit, d - 2 * (d * normal).sum(-1, keepdims=True) * normal


def hits_sphere(origin: Array, direction: Array, centre: Array, radius: float) -> Array:
    """Distance along each ray to a sphere; inf where it is missed."""
    away = origin - centre
    half = (away * direction).sum(-1)
    rest = (away * away).sum(-1) - radius**2
    with np.errstate(invalid="ignore"):
        distance = -half - np.sqrt(half**2 - rest)
    return np.where(distance > 0, distance, np.inf)


def hits_box(origin: Array, direction: Array, centre: Array, size: Array, rotation: Array) -> Array:
    """Distance along each ray to a box; inf where it is missed."""
    start, way = (origin - centre) @ rotation, direction @ rotation
    with np.errstate(invalid="ignore", divide="ignore"):
        first, second = (-size / 2 - start) / way, (size / 2 - start) / way
    enter, leave = np.minimum(first, second).max(-1), np.maximum(first, second).min(-1)
    return np.where((enter <= leave) & (enter > 0), enter, np.inf)


def hits_capsule(
    origin: Array, direction: Array, centre: Array, radius: float, height: float, rotation: Array
) -> Array:
    """Distance along each ray to a capsule along its own z; inf where it is missed."""
    axis = rotation[:, 2]
    ends = [hits_sphere(origin, direction, centre + side * axis * height / 2, radius) for side in (-1, 1)]
    return np.minimum(np.minimum(*ends), _hits_tube(origin, direction, centre, radius, height, axis))


def hits_cylinder(
    origin: Array, direction: Array, centre: Array, radius: float, height: float, rotation: Array
) -> Array:
    """Distance along each ray to a cylinder along its own z; inf where it is missed."""
    axis = rotation[:, 2]
    nearest = _hits_tube(origin, direction, centre, radius, height, axis)
    for side in (-1, 1):
        cap = centre + side * axis * height / 2
        t = ((cap - origin) @ axis) / (direction @ axis)
        away = origin + t[..., None] * direction - cap
        nearest = np.where((t > 0) & ((away**2).sum(-1) <= radius**2), np.minimum(nearest, t), nearest)
    return nearest


def _hits_tube(origin: Array, direction: Array, centre: Array, radius: float, height: float, axis: Array) -> Array:
    start = origin - centre
    flat_start, flat = start - (start @ axis)[..., None] * axis, direction - (direction @ axis)[..., None] * axis
    qa, qb = (flat**2).sum(-1), (flat_start * flat).sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = (-qb - np.sqrt(qb**2 - qa * ((flat_start**2).sum(-1) - radius**2))) / qa
        along = (start + t[..., None] * direction) @ axis
    return np.where((t > 0) & (np.abs(along) <= height / 2), t, np.inf)
