"""World files: root `World`, with the ground, what stands and lies on it, the lights, and where robots enter."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Literal

from ubersim.description.base import Light, Solid
from ubersim.description.component import Component, Flaw, component
from ubersim.description.fields import choice, color, identifier, integer, listing, material, nested, number, vector
from ubersim.description.include import Include
from ubersim.description.markings import Marking
from ubersim.description.robot import BodyDescription, SpawnSettings
from ubersim.geometry import Triple

GRAVITY = (0.0, 0.0, -9.81)
MOST_LIGHTS, MOST_SHADOWS = 8, 4
"""That are drawn: those that shine from somewhere, and those that cast shadows."""


@component
class WorldSettings(Component, tag="Settings"):
    """How the world is simulated."""

    gravity: Triple = vector("acceleration of everything", unit="m/s^2", high=1000.0, default=GRAVITY)
    step: float | None = number(
        "time from frame to frame; without it, the server's", unit="s", low=1e-5, high=0.1, default=None
    )
    solver: Literal["exact", "quick", "auto"] = choice(
        "`auto` solves all but very large heaps directly, `exact` these too, `quick` nothing: it iterates",
        "exact",
        "quick",
        "auto",
        default="auto",
    )
    erp: float = number("share of joint errors that is corrected per step", tag="ERP", low=0, high=1, default=0.2)
    cfm: float = number("softness of all contacts and stops (force mixing)", tag="CFM", low=0, high=1, default=0.0)
    iterations: int = integer("iterations of the quick solver", low=1, high=1000, default=20)


@component
class Ground(Component):
    """The plane z = 0; a world without this element has none, and things fall."""

    material: str = material("what it is made of", default="Ground")
    color: Triple = color("what it looks like", default=(0.42, 0.45, 0.4))
    tile: float = number("edge of the tiles that are drawn on it; 0: none", unit="m", low=0, high=1000, default=0.5)


@component
class Field(Component):
    """A field to play on, its middle at the origin and its goals at both ends of y, and the league whose rules hold."""

    league: str = identifier("whose rules a referee applies, such as `msl`")
    length: float = number("along y, from goal line to goal line", unit="m", low=0.1, high=1000)
    width: float = number("along x, from touch line to touch line", unit="m", low=0.1, high=1000)
    goal_width: float = number("between the posts", unit="m", low=0.01, high=100)
    goal_height: float = number("below the bar", unit="m", low=0.01, high=100)
    area_length: float = number("of a penalty area, along y", unit="m", low=0, high=100)
    area_width: float = number("of a penalty area, along x", unit="m", low=0, high=1000)
    penalty_mark: float = number("distance of the penalty mark from the goal line", unit="m", low=0, high=500)
    ball: str = identifier("name of the object that is played with", default="Ball")


@component
class SpawnPoint(SpawnSettings):
    """A place for a robot without `Spawn`: `Position` is where its lowest point stands, below its model's origin."""


@component
class WorldDescription(Component, tag="World"):
    """The surroundings of the robots."""

    settings: WorldSettings = nested("how the world is simulated", WorldSettings, default=WorldSettings())
    ground: Ground | None = nested("the plane z = 0", Ground, default=None)
    field: Field | None = nested("what a referee has to know of it", Field, default=None)
    static: tuple[Solid, ...] = listing(
        "solids that never move; they have no Mass", Solid, at_most=10_000, omit=("mass",), default=()
    )
    objects: tuple[BodyDescription, ...] = listing(
        "bodies that move freely, such as a ball", BodyDescription, default=()
    )
    markings: tuple[Marking, ...] = listing("what is painted on the ground, to be seen only", Marking, default=())
    lights: tuple[Light, ...] = listing("what illuminates it; without any, a sun and a bright sky", Light, default=())
    sky: Triple = color("colour of the background", default=(0.6, 0.75, 0.95))
    parts: tuple[Include, ...] = listing("parts from other files", Include, default=())
    spawn_points: tuple[SpawnPoint, ...] = listing("where robots enter, in this order", SpawnPoint, default=())
    source_text: str = dataclasses.field(default="", compare=False, repr=False)
    title: str = dataclasses.field(default="", compare=False, repr=False)

    def flaws(self) -> Iterator[Flaw]:
        sources = [source for light in self.lights for source in light.sources()]
        casting = sum(source.shadow for source in sources)
        if len(sources) > MOST_LIGHTS or casting > MOST_SHADOWS:
            yield Flaw(
                f"{len(sources)} lights with a direction or a place, {casting} with shadows; "
                f"allowed are {MOST_LIGHTS}, and {MOST_SHADOWS} with shadows",
                "lights",
            )
        for body in self.objects:
            if body.sensors:
                yield Flaw(
                    f"Body {body.name!r} has a sensor, which nobody could read; only robots have sensors", "objects"
                )
