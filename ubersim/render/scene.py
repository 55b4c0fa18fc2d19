"""What there is to see: shapes on bodies, ground, sky and lights. Plain values in SI units; colours are r, g, b."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from ubersim.render.shape_group import PlacedGroup
from ubersim.render.shapes import Color, Radiation, Shape, Vector

MOST_LIGHTS, MOST_SHADOWS = 64, 4
"""Lights in a scene, and those of them that cast shadows."""


@dataclass(frozen=True)
class GroundPlane:
    """A level floor without end."""

    height: float = 0.0
    """World z [m]."""
    color: Color = (0.66, 0.69, 0.72)
    """Every other tile [0..1]."""
    second_color: Color = (0.60, 0.635, 0.67)
    """The tiles between [0..1]."""
    tile: float = 0.5
    """Edge of a tile [m]; 0: no tiles, one colour."""
    line_color: Color = (0.76, 0.785, 0.81)
    """The joints between the tiles [0..1]."""
    line_width: float = 0.008
    """Width of the joints [m]; 0: none."""
    fade: float = 30.0
    """Distance at which the ground has mostly become the horizon's colour [m]; 0: it never does."""
    object_id: int = 0
    """What a segmentation picture says here."""
    radiation: Radiation = ()
    """What it reflects and emits in each of the scene's further classes of radiation [0..1]."""


@dataclass(frozen=True)
class Sky:
    """What is seen where nothing is."""

    zenith: Color = (0.36, 0.56, 0.82)
    """Straight up [0..1]."""
    horizon: Color = (0.84, 0.89, 0.94)
    """Level, and below [0..1]."""
    radiation: tuple[float, ...] = ()
    """How bright it is in each of the scene's further classes of radiation [0..1]."""


@dataclass(frozen=True)
class DirectionalSource:
    """Light from far away, as the sun's."""

    direction: Vector = (-0.45, 0.55, -1.0)
    """Where the light goes to; any length."""
    color: Color = (0.85, 0.83, 0.78)
    """Strength per channel; 1 shows a colour as it is [1]."""
    shadow: bool = True
    """Whether it casts shadows, in cameras that want them."""
    radiation: tuple[float, ...] = ()
    """Strength in each of the scene's further classes of radiation [1]."""


@dataclass(frozen=True)
class PointSource:
    """A lamp that shines into all directions."""

    position: Vector
    """World [m]."""
    color: Color = (1.0, 1.0, 1.0)
    """Strength per channel close to the lamp [1]."""
    reach: float = 5.0
    """Distance at which half of the strength is left; far away it falls with the square [m]."""
    shadow: bool = False
    """Whether it casts shadows, in cameras that want them; they cost six maps, one for each side of a cube."""
    radiation: tuple[float, ...] = ()
    """Strength in each of the scene's further classes of radiation [1]."""
    body: int = -1
    """Row of the body that it hangs on, in whose frame its place and direction then are; -1: the world."""


@dataclass(frozen=True)
class SpotSource:
    """A lamp that shines into a cone."""

    position: Vector
    """World [m]."""
    direction: Vector
    """Where the light goes to; any length."""
    color: Color = (1.0, 1.0, 1.0)
    """Strength per channel close to the lamp [1]."""
    reach: float = 5.0
    """Distance at which half of the strength is left [m]."""
    cone: float = 0.6
    """Angle between the axis and the edge of the light [rad]."""
    soft: float = 0.2
    """Part of the cone over which the light fades to nothing [0..1]."""
    shadow: bool = True
    """Whether it casts shadows, in cameras that want them."""
    radiation: tuple[float, ...] = ()
    """Strength in each of the scene's further classes of radiation [1]."""
    body: int = -1
    """Row of the body that it hangs on, in whose frame its place and direction then are; -1: the world."""


Light = DirectionalSource | PointSource | SpotSource


@dataclass(frozen=True)
class Lights:
    """Everything that shines."""

    sources: tuple[Light, ...] = (DirectionalSource(),)
    """Lamps and suns; at most 64, of which 4 cast shadows."""
    above: Color = (0.34, 0.37, 0.42)
    """Ambient light on what faces up [1]."""
    below: Color = (0.22, 0.20, 0.18)
    """Ambient light on what faces down [1]."""
    radiation: tuple[float, ...] = ()
    """What comes from everywhere in each of the scene's further classes of radiation [1]."""
    gloss: float = 0.0
    """Strength of highlights [0..1]; 0 costs nothing."""
    shadow_size: int = 1024
    """Edge of each shadow map [px]."""
    shadow_softness: int = 0
    """Half width of the smoothing of shadow edges, 0 to 4 [px of the map]."""
    shadow_reach: float = 20.0
    """Radius around the middle of the scene in which the sun's shadows fall [m]."""

    def __post_init__(self) -> None:
        if len(self.sources) > MOST_LIGHTS or sum(light.shadow for light in self.sources) > MOST_SHADOWS:
            raise ValueError(f"lights: at most {MOST_LIGHTS}, of which at most {MOST_SHADOWS} cast shadows")
        largest = 2048 if any(light.shadow and isinstance(light, PointSource) for light in self.sources) else 4096
        if not 16 <= self.shadow_size <= largest or not 0 <= self.shadow_softness <= 4 or not self.shadow_reach > 0:
            raise ValueError(f"lights: shadow_size is 16 to {largest}, shadow_softness 0 to 4, shadow_reach above 0")


@dataclass(frozen=True)
class Scene:
    """Everything to be seen, except where the bodies are at the moment."""

    shapes: tuple[Shape, ...] = ()
    """Shapes, in any order."""
    ground: GroundPlane | None = field(default_factory=GroundPlane)
    """The floor, or none."""
    sky: Sky = field(default_factory=Sky)
    """The background."""
    lights: Lights = field(default_factory=Lights)
    """The light."""
    groups: tuple[PlacedGroup, ...] = ()
    """More shapes, of things that come and go."""
    radiation: tuple[str, ...] = ()
    """Names of the classes of radiation beside visible light."""

    @cached_property
    def bodies(self) -> int:
        """How many rows of poses drawing needs."""
        loose = max((shape.body + 1 for shape in self.shapes), default=0)
        return max([loose, *(placed.first_body + placed.group.bodies for placed in self.groups)])

    def flat(self) -> Scene:
        """The same without groups."""
        return replace(
            self, shapes=(*self.shapes, *(shape for one in self.groups for shape in one.shapes())), groups=()
        )
