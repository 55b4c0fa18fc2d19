"""What there is in a simulation, for those who look at it: cameras, scenes, lists of visible objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ubersim.description import Materials, WorldDescription
from ubersim.physics import Body, World
from ubersim.simulation.object_ids import ObjectIds
from ubersim.simulation.robot import Robot


class WorldView(Protocol):
    """The side of a simulation that can be looked at; the simulation itself has all of it."""

    @property
    def description(self) -> WorldDescription:
        """The world's file."""

    @property
    def materials(self) -> Materials:
        """What things are made of."""

    @property
    def world(self) -> World:
        """Bodies and shapes."""

    @property
    def objects(self) -> Mapping[str, Body]:
        """The world's free objects, by name."""

    @property
    def robots(self) -> Mapping[str, Robot]:
        """By name, in order of joining."""

    @property
    def object_ids(self) -> ObjectIds:
        """Names and numbers of all that can be seen."""
