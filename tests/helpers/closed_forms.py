"""What physics says, without a simulator. Angles in radians, SI units."""

from __future__ import annotations

import math

from scipy.integrate import quad
from scipy.special import ellipk

GRAVITY = 9.81


def fallen(time: float) -> float:
    """How far something falls from rest [m]."""
    return 0.5 * GRAVITY * time**2


def apex_after_bounces(height: float, restitution: float, bounces: int) -> float:
    """How high a ball rises after so many bounces [m]."""
    return height * restitution ** (2 * bounces)


def bounce_time(height: float, restitution: float, bounces: int) -> float:
    """When a ball dropped from `height` bounces for the n-th time, n from 1 [s]."""
    first = math.sqrt(2 * height / GRAVITY)
    return first + sum(2 * first * restitution**bounce for bounce in range(1, bounces))


def sliding_acceleration(slope: float, friction: float) -> float:
    """Of a block down a slope [m/s^2]; 0 where friction holds it."""
    return max(0.0, GRAVITY * (math.sin(slope) - friction * math.cos(slope)))


def rolling_acceleration(slope: float, friction: float) -> float:
    """Of a solid sphere down a slope [m/s^2]: it rolls, or slips where friction cannot make it roll."""
    rolling = GRAVITY * math.sin(slope) * 5 / 7
    return max(rolling, sliding_acceleration(slope, friction))


def rolling_deceleration(radius: float, rolling_friction: float) -> float:
    """Of a solid sphere on the level, by rolling friction [m/s^2]."""
    return rolling_friction * GRAVITY / (1.4 * radius)


def stopping_distance(speed: float, deceleration: float) -> float:
    """[m]"""
    return speed**2 / (2 * deceleration)


def rolling_speed_after_sliding(speed: float) -> float:
    """Of a solid sphere that was thrown without spin, once it rolls [m/s]; friction does not matter."""
    return 5 / 7 * speed


def pendulum_period(length: float, amplitude: float) -> float:
    """Of a point on a massless rod [s], for any amplitude."""
    return 4 * math.sqrt(length / GRAVITY) * float(ellipk(math.sin(amplitude / 2) ** 2))


def pendulum_period_by_quadrature(length: float, amplitude: float) -> float:
    """The same by integration, with a substitution that removes the singularity at the turning point."""

    def integrand(u: float) -> float:
        return 1 / math.sqrt(1 - (math.sin(amplitude / 2) * math.sin(u)) ** 2)

    value, _ = quad(integrand, 0, math.pi / 2)
    return 4 * math.sqrt(length / GRAVITY) * float(value)


def motor_speed(torque: float, inertia: float, wanted: float, time: float) -> float:
    """Of a free wheel whose motor gives its all until the wanted speed is reached [rad/s]."""
    return min(wanted, torque / inertia * time)


def precession_rate(mass: float, arm: float, spin: float, axial: float, across: float, tilt: float) -> float:
    """Slow steady precession of a heavy top [rad/s]; `across` is the moment about the fixed point."""
    leading = across * math.cos(tilt)
    momentum = axial * spin
    return (momentum - math.sqrt(momentum**2 - 4 * leading * mass * GRAVITY * arm)) / (2 * leading)


# Friction that has to know what carries the weight


def ladder_friction(angle: float, length: float = 1.0, radius: float = 0.0) -> float:
    """What the ground must have so that a ladder against a smooth wall stays; `angle` is that with the ground.

    Its ends are round: `length` is between their centres.
    """
    return length * math.cos(angle) / (2 * (length * math.sin(angle) + radius))


def rear_drive_acceleration(friction: float, front: float, base: float, height: float) -> float:
    """Of a car whose rear wheels slip [m/s^2]; `front` is how far its centre of mass is behind the front wheels."""
    return friction * GRAVITY * front / (base - friction * height)


def tipping_friction(width: float, height: float) -> float:
    """From which on a box that slides across its width tips."""
    return width / height


def dragged_rod_acceleration(angle: float, friction: float) -> float:
    """Of a rod that slides on its lower end, leaning the other way than it slides, at the first instant [m/s^2]."""
    lever = math.cos(angle) * (math.cos(angle) - friction * math.sin(angle))
    return friction * GRAVITY / (1 + 3 * lever)


def board_with_balls(force: float, mass: float, balls: int, ball_mass: float, friction: float) -> tuple[float, float]:
    """Acceleration of a board that is pulled over the ground, and of the balls that roll on it [m/s^2]."""
    free = force - friction * (mass + balls * ball_mass) * GRAVITY
    on_ball = free / mass / (3.5 / ball_mass + balls / mass)
    return (free - balls * on_ball) / mass, on_ball / ball_mass


# Impacts


def oblique_bounce(
    along: float, down: float, spin: float, radius: float, restitution: float, friction: float
) -> tuple[float, float]:
    """Speed along the ground [m/s] and spin [rad/s] of a solid sphere after a bounce; it rolls if they fit."""
    slip = along - spin * radius
    limit = friction * (1 + restitution) * abs(down)
    change = -math.copysign(min(limit, 2 / 7 * abs(slip)), slip)  # an impulse per mass; two sevenths end the slip
    return along + change, spin - 2.5 * change / radius


# Springs


def damped_oscillation(mass: float, stiffness: float, damping: float, time: float) -> float:
    """Displacement of a mass that is put on a spring with a damper, and let go, where both are at ease [m]."""
    rest = -mass * GRAVITY / stiffness
    decay = damping / (2 * mass)
    rate = math.sqrt(stiffness / mass - decay**2)
    return rest * (1 - math.exp(-decay * time) * (math.cos(rate * time) + decay / rate * math.sin(rate * time)))
