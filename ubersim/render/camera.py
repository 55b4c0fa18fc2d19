"""What a camera is: its picture, projection, lens and sensor. Plain values; the formulas are in projections.py."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from ubersim.protocol.names import VISIBLE
from ubersim.render.pixel_formats import PIXEL_FORMATS, PixelFormat

Projection = Literal["pinhole", "facette", "fisheye", "mirror", "isometric_mirror"]
Output = Literal["image", "depth", "segmentation"]

PROJECTIONS: tuple[Projection, ...] = get_args(Projection)
OUTPUTS: tuple[Output, ...] = get_args(Output)

LARGEST = 4096
"""Largest width and height of a picture [px]."""


@dataclass(frozen=True)
class LensModel:
    """What real glass does to the ideal picture. Distortion is Brown's and Conrady's, with OpenCV's names and signs."""

    k1: float = 0.0
    """Radial distortion, r² term [1]; negative: barrel, positive: pincushion."""
    k2: float = 0.0
    """Radial distortion, r⁴ term [1]."""
    k3: float = 0.0
    """Radial distortion, r⁶ term [1]."""
    p1: float = 0.0
    """Tangential distortion, vertical decentring [1]."""
    p2: float = 0.0
    """Tangential distortion, horizontal decentring [1]."""
    vignetting: float = 0.0
    """Part of the brightness lost in the corners, growing with the squared distance from the centre [0..1]."""
    aperture: float = 0.0
    """Diameter of the opening, for depth of field [m]; 0: everything is sharp. Pinhole projection only."""
    focus: float = 1.0
    """Distance that is sharp, along the optical axis [m]."""

    @property
    def distorts(self) -> bool:
        """Whether straight lines may come out bent."""
        return any((self.k1, self.k2, self.k3, self.p1, self.p2))


@dataclass(frozen=True)
class MirrorModel:
    """A convex hyperboloid s²/a² - r²/b² = 1 in front of the camera, whose pinhole sits in the far focus."""

    a: float = 0.0281
    """Semi-axis along the optical axis [m]."""
    b: float = 0.0234
    """Semi-axis across the optical axis [m]."""
    radius: float = 0.05
    """Rim of the mirror [m]; what the camera sees beyond it is black."""

    @property
    def c(self) -> float:
        """Distance of either focus from the hyperboloid's centre [m]."""
        return math.hypot(self.a, self.b)


@dataclass(frozen=True)
class ShutterModel:
    """How long rows gather light, one after the other; the formulas are in shutter.py."""

    exposure: float = 0.0
    """How long each row gathers light [s]; 0: an instant."""
    readout: float = 0.0
    """How much later than the first row the last one ends [s]; 0: all end at once."""
    instants: int = 8
    """From how many still pictures, evenly over all of that time, the picture is mixed."""

    @property
    def duration(self) -> float:
        """From where the first row begins to where the last one ends [s]."""
        return self.exposure + self.readout


@dataclass(frozen=True)
class Camera:
    """A camera at the origin of its own frame: it looks along +y, +x is right and +z is up in the picture."""

    width: int = 320
    """Columns [px]."""
    height: int = 240
    """Rows [px]."""
    fov: float = math.radians(60.0)
    """Horizontal field of view: the angle between the left and the right edge [rad]."""
    near: float = 0.01
    """Nothing nearer is seen [m]."""
    far: float = 100.0
    """Nothing farther is seen, except the sky [m]."""
    projection: Projection = "pinhole"
    """How directions become places in the picture."""
    lens: LensModel = LensModel()
    """Distortion, vignetting, depth of field."""
    mirror: MirrorModel = MirrorModel()
    """Shape of the mirror; only the projection `mirror` looks into it."""
    shutter: ShutterModel = ShutterModel()
    """Motion blur and rolling shutter."""
    brightness: float = 1.0
    """Factor on the pixels' values, which saturate at 255 [1]."""
    noise: float = 0.0
    """Standard deviation of the Gaussian noise of each pixel and channel, in parts of full scale [0..1]."""
    seed: int = 0
    """Which noise; together with the job's frame number it determines every bit."""
    samples: int = 1
    """Samples per pixel against jagged edges: 1, 2, 4, 8; clipped to what the machine offers."""
    shadows: bool = False
    """Whether lights that cast shadows do so in this camera's pictures."""
    flat: bool = False
    """Whether every triangle of a shape is shaded as the flat face that it is, instead of smoothly."""
    form: PixelFormat = "bgra"
    """What the bytes of a pixel of its image are."""
    radiation: str = VISIBLE
    """What its image shows: visible light, or the intensities of another class of radiation that the scene knows."""

    def __post_init__(self) -> None:
        widest = math.pi if self.projection in ("pinhole", "mirror", "isometric_mirror") else 2 * math.pi + 1e-9
        rules: dict[str, bool] = {
            f"width and height are 1 to {LARGEST}": 1 <= self.width <= LARGEST and 1 <= self.height <= LARGEST,
            f"projection is one of {', '.join(PROJECTIONS)}": self.projection in PROJECTIONS,
            f"fov is above 0 and below {math.degrees(widest):.0f} degrees for this projection": 0 < self.fov < widest,
            "near is above 0 and below far": 0 < self.near < self.far < math.inf,
            "brightness is 0 or more": 0 <= self.brightness < math.inf,
            "noise is 0 or more": 0 <= self.noise < math.inf,
            f"form is one of {', '.join(PIXEL_FORMATS)}": self.form in PIXEL_FORMATS,
            "yuyv needs an even width": self.form != "yuyv" or self.width % 2 == 0,
            "samples is 1, 2, 4 or 8": self.samples in (1, 2, 4, 8),
            "vignetting is 0 to 1": 0 <= self.lens.vignetting <= 1,
            "aperture is 0 or more, focus above 0": self.lens.aperture >= 0 and self.lens.focus > 0,
            "depth of field needs the pinhole projection": self.lens.aperture == 0 or self.projection == "pinhole",
            "exposure and readout are 0 or more": 0 <= min(self.shutter.exposure, self.shutter.readout) < math.inf,
            "instants is 1 or more": self.shutter.instants >= 1,
            "the mirror's a, b and radius are above 0": min(self.mirror.a, self.mirror.b, self.mirror.radius) > 0,
        }
        broken = [rule for rule, holds in rules.items() if not holds]
        if broken:
            raise ValueError("camera: " + "; ".join(broken))

    @property
    def focal(self) -> float:
        """Pixels per unit of the ideal image plane: per tangent for flat projections, per radian for others."""
        if self.projection in ("facette", "fisheye"):
            return self.width / self.fov
        return self.width / 2 / math.tan(self.fov / 2)

    @property
    def needs_lens_pass(self) -> bool:
        """Whether the scene's pixels have to be rearranged or changed after they were drawn."""
        return (
            self.projection != "pinhole"
            or self.lens.distorts
            or self.lens.vignetting > 0
            or self.lens.aperture > 0
            or self.noise > 0
        )
