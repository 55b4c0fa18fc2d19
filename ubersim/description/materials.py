"""Materials and the matrix of their pairs: what a contact between two of them is like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property

from ubersim.description.messages import quoted
from ubersim.description.radiation import RadiationClass
from ubersim.errors import UberSimError
from ubersim.protocol.names import VISIBLE
from ubersim.protocol.suggestion import suggestion


@dataclass(frozen=True, kw_only=True)
class Surface:
    """How two materials meet."""

    mu: float = 1.0
    """Coulomb friction coefficient [-]; where `mu2` is given, that of the direction across it."""
    mu2: float | None = None
    """Friction coefficient along the body's x axis, which is a wheel's axle [-]; None: isotropic, as `mu`."""
    bounce: float = 0.0
    """Restitution [-], from 0 (dead) to 1 (perfectly elastic)."""
    bounce_velocity: float = 0.05
    """Approach speed below which nothing bounces [m/s]; it lets things come to rest."""
    soft_erp: float | None = None
    """Share of the penetration that is corrected per step [-]; None: the world's ERP."""
    soft_cfm: float | None = None
    """Softness of the contact, constraint force mixing [m/(N s)]; None: the world's CFM."""
    stiffness: float | None = None
    """Of every point of contact, which is then a spring [N/m]; None: it is hard."""
    damping: float = 0.0
    """Of that spring [N s/m]."""
    slip: float = 0.0
    """Force-dependent slip [m/(N s)]: the contact creeps by this times the tangential force, as tyres do."""
    slip2: float = 0.0
    """The same in the second direction of friction, that of `mu2` [m/(N s)]."""
    rolling: float = 0.0
    """Rolling friction, a length [m]: a sphere of radius r decelerates by rolling * g / (1.4 * r)."""
    spinning: float = 0.0
    """Friction against turning on the spot about the contact's normal, a length [m]."""


LIMITS: Mapping[str, tuple[float, float]] = {
    "mu": (0.0, 1000.0),
    "mu2": (0.0, 1000.0),
    "bounce": (0.0, 1.0),
    "bounce_velocity": (0.0, 1000.0),
    "soft_erp": (0.0, 1.0),
    "soft_cfm": (0.0, 1000.0),
    "stiffness": (1e-3, 1e12),
    "damping": (0.0, 1e9),
    "slip": (0.0, 1000.0),
    "slip2": (0.0, 1000.0),
    "rolling": (0.0, 10.0),
    "spinning": (0.0, 10.0),
}
"""Smallest and largest value of each property of a surface."""

assert set(LIMITS) == {entry.name for entry in fields(Surface)}


@dataclass(frozen=True)
class Materials:
    """The materials that a server knows, and how each pair of them meets."""

    names: tuple[str, ...]
    """The materials in the order of the file; a material's place here is its index in the matrix."""
    default: Surface = field(default_factory=Surface)
    """How pairs meet that are not listed."""
    pairs: Mapping[tuple[str, str], Surface] = field(default_factory=dict)
    """The pairs that are listed, each in either order."""
    radiation: Mapping[str, RadiationClass] = field(default_factory=dict)
    """Classes of radiation beside visible light, by name: what cameras can be told to see."""
    source_text: str = field(default="", compare=False, repr=False)
    """The file that says so."""

    def __contains__(self, name: object) -> bool:
        return name in self._indices

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def index(self, name: str) -> int:
        """The row and column of a material in the matrix; robots may have been read with other materials."""
        try:
            return self._indices[name]
        except KeyError:
            raise UberSimError(f"{self.unknown(name)}; the materials have to have it") from None

    def surface(self, one: str, other: str) -> Surface:
        """How two materials meet, in whichever order they are named."""
        return self.pairs.get((one, other)) or self.pairs.get((other, one)) or self.default

    def matrix(self) -> tuple[tuple[Surface, ...], ...]:
        """The surfaces of all pairs, by index."""
        return tuple(tuple(self.surface(one, other) for other in self.names) for one in self.names)

    def unknown(self, name: str) -> str:
        """The complaint about a name that is no material."""
        return f"unknown material {quoted(name)}; {suggestion(name, self.names)}"

    def unknown_radiation(self, name: str) -> str:
        """The complaint about a name that is no class of radiation."""
        return f"unknown radiation {quoted(name)}; {suggestion(name, [VISIBLE, *self.radiation])}"

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}
