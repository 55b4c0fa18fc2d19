"""Where robots are put: into formation, and out of the way."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ubersim.description.world_file import Field
from ubersim.league.rules import Place

_TURNS = (0, 20, -20, 40, -40, 60, -60, 90, -90, 120, -120, 150, -150, 180)
"""Directions that are tried one after the other [degrees]."""


def formation_places(formation: Sequence[Place], field: Field, number: int, direction: int) -> Place:
    """Where robot `number` of a team stands that plays in this direction; those without a place wait at the line."""
    if number <= len(formation):
        across, along = formation[number - 1]
        return direction * across * field.width / 2, direction * along * field.length / 2
    waiting = number - len(formation)
    return -direction * (field.width / 2 + 0.6), -direction * (0.6 * waiting)


def clear_of(place: Place, ball: Place, distance: float, others: Sequence[Place], radius: float, goal: Place) -> Place:
    """A place so far from the ball, as near as there is one where nobody stands; from the ball itself, to a goal."""
    away = (place[0] - ball[0], place[1] - ball[1])
    if math.hypot(*away) < 1e-3:
        away = (goal[0] - ball[0], goal[1] - ball[1])
    direction = math.atan2(away[1], away[0])
    found = [
        (ball[0] + distance * math.cos(turned), ball[1] + distance * math.sin(turned))
        for turned in (direction + math.radians(turn) for turn in _TURNS)
    ]
    free = (spot for spot in found if all(math.dist(spot, one) > 2 * radius for one in others))
    return next(free, found[0])
