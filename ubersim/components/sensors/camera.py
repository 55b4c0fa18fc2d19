"""Cameras: what they are in XML, and the device that has its pictures taken."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ubersim.components.sensors.base import Mount, SensorDescription
from ubersim.components.sensors.landmarks import landmark_features, landmarks_in
from ubersim.components.sensors.logical_camera import LEVELS, Level, Objects, Sight
from ubersim.components.sensors.perception import Feature, LandmarkNames, without_errors
from ubersim.components.sensors.surroundings import Pending
from ubersim.description.component import Component, Flaw, component
from ubersim.description.fields import angle, choice, flag, integer, nested, number, radiation
from ubersim.errors import UberSimError
from ubersim.geometry import Array
from ubersim.physics.visibility import COLUMNS
from ubersim.picture_files import check_format
from ubersim.protocol.names import VISIBLE
from ubersim.protocol.properties import CAMERA_PROPERTIES
from ubersim.protocol.quantity import Quantities, Quantity
from ubersim.render import camera as model
from ubersim.render.pixel_formats import CHANNELS, PIXEL_FORMATS, PixelFormat, picture_shape

MOST_PIXELS = model.LARGEST
"""Along either side of a picture."""
PNG_WEIGHT = 8
"""How many times its size a picture counts that becomes a PNG file: a noisy one takes far longer than to be drawn."""
MOST_SAMPLES = MOST_PIXELS**2
"""Of all pixels of a picture together, as often as it is drawn: nobody waits longer for one."""
MOST_INSTANTS = 64
"""Still pictures that one is mixed from."""
_GREY_LEVELS = 255.0
_FOV, _BRIGHTNESS, _LEVEL = (CAMERA_PROPERTIES[name] for name in ("Fov", "Brightness", "Level"))
_HEADER = struct.Struct("<I")
_MANY_THINGS = 1000
"""To be reckoned with in a list, when memory is."""
_SEEN = (Quantity("number"), *map(Quantity, ("bearing", "elevation", "distance", "size"), ("rad", "rad", "m", "rad")))
_ROW = "rows of 5 f32: number in the legend, bearing (left positive) and elevation [rad], distance [m], size [rad]"


@component
class Lens(Component):
    """What glass does to the ideal picture; distortion is Brown's and Conrady's, with OpenCV's names and signs."""

    k1: float = number("radial distortion, r² term; negative is barrel", tag="K1", low=-10, high=10, default=0.0)
    k2: float = number("radial distortion, r⁴ term", tag="K2", low=-10, high=10, default=0.0)
    k3: float = number("radial distortion, r⁶ term", tag="K3", low=-10, high=10, default=0.0)
    p1: float = number("tangential distortion, vertical", tag="P1", low=-1, high=1, default=0.0)
    p2: float = number("tangential distortion, horizontal", tag="P2", low=-1, high=1, default=0.0)
    vignetting: float = number("part of the light lost in the corners", low=0, high=1, default=0.0)
    aperture: float = number(
        "diameter of the opening, for depth of field; 0: all is sharp", unit="m", low=0, high=1, default=0.0
    )
    focus: float = number("distance that is sharp", unit="m", low=1e-3, high=1e5, default=1.0)


@component
class Mirror(Component):
    """A hyperboloid s²/a² - r²/b² = 1 in front of the camera, whose pinhole sits in its far focus."""

    a: float = number("semi-axis along the optical axis", unit="m", low=1e-4, high=10, default=0.0281)
    b: float = number("semi-axis across it", unit="m", low=1e-4, high=10, default=0.0234)
    radius: float = number("rim of the mirror", unit="m", low=1e-4, high=10, default=0.05)


@component
class Shutter(Component):
    """Motion blur and rolling shutter: how long rows gather light, one after the other, up to the picture's instant."""

    exposure: float = number("how long each row gathers light", unit="s", low=0, high=1, default=0.0)
    readout: float = number("how much later the last row ends than the first", unit="s", low=0, high=1, default=0.0)
    instants: int = integer("still pictures from which it is mixed", low=2, high=MOST_INSTANTS, default=8)


@component
class Optics(SensorDescription, abstract=True):
    """What all cameras have, whatever they make of the light."""

    output: ClassVar[model.Output]
    pixel: ClassVar[str]
    """numpy's name for the type of one value of a picture."""
    pixels: ClassVar[Quantities] = ()
    quantities = _SEEN
    noise_unit: ClassVar[float] = 1.0
    """What the renderer calls 1, in the unit of `Noise`."""

    fov: float = angle("horizontal field of view", low=1, high=360, index="Fov")
    width: int = integer("columns of the picture", unit="pixels", low=1, high=MOST_PIXELS, default=320)
    height: int = integer("rows of the picture", unit="pixels", low=1, high=MOST_PIXELS, default=240)
    near: float = number("nothing nearer is seen", unit="m", low=1e-4, high=1e4, default=0.02)
    far: float = number("nothing farther is seen", unit="m", low=1e-3, high=1e5, default=200.0)
    projection: model.Projection = choice(
        "how directions become places in the picture", *model.PROJECTIONS, default="pinhole"
    )
    mirror: Mirror = nested("the mirror that the projection `mirror` looks into", Mirror, default=Mirror())
    level: Level = choice(
        "what it tells: its picture, a list of what is in sight, or of all", *LEVELS, default="image", index="Level"
    )
    switchable: bool = flag("whether `Level` changes at run time; readings then begin with their level", default=False)
    objects: Objects = nested("how well it sees on the level `objects`", Objects, default=Objects())

    @property
    def picture_shape(self) -> tuple[int, ...]:
        """Shape of a picture."""
        return self.height, self.width

    def form(self, level: Level) -> tuple[str, tuple[int, ...]]:
        """Type of values and shape of a reading of a level."""
        return (self.pixel, self.picture_shape) if level == "image" else ("<f4", (-1, COLUMNS))

    @property
    def dtype(self) -> str:  # type: ignore[override]  # a class's constant elsewhere; here the document decides
        return "|u1" if self.switchable else self.form(self.level)[0]

    @property
    def shape(self) -> tuple[int, ...]:
        return (-1,) if self.switchable else self.form(self.level)[1]

    def quantities_on(self, joints: Mapping[str, Any]) -> Quantities:
        return () if self.switchable else self.pixels if self.level == "image" else self.quantities

    def unpacked(self, reading: bytes) -> NDArray[Any]:
        if not self.switchable:
            return super().unpacked(reading)
        dtype, shape = self.form(LEVELS[_HEADER.unpack_from(reading)[0]])
        return np.frombuffer(reading, dtype, offset=_HEADER.size).reshape(shape)

    @property
    def largest_reading(self) -> int:
        if self.level != "image" and not self.switchable:
            return 4 * COLUMNS * _MANY_THINGS
        header = _HEADER.size if self.switchable else 0
        return math.prod(self.picture_shape) * np.dtype(self.pixel).itemsize + header

    @property
    def sight(self) -> int:
        return 0 if self.level != "image" and not self.switchable else self.largest_reading

    def camera(self) -> model.Camera:
        """The camera as the renderer knows it."""
        return model.Camera(
            width=self.width,
            height=self.height,
            fov=self.fov,
            near=self.near,
            far=self.far,
            projection=self.projection,
            mirror=model.MirrorModel(self.mirror.a, self.mirror.b, self.mirror.radius),
            noise=self.noise / self.noise_unit,
        )

    def build(self, mount: Mount, rng: np.random.Generator) -> CameraDevice:
        return CameraDevice(self, mount, rng)

    def flawless(self) -> Self:
        """What localization learns from: a list of what is in sight, without errors."""
        level: Level = "truth" if self.level == "truth" else "objects"
        return without_errors(self, level=level, switchable=False, objects=Objects(range=self.objects.range))

    def features(self, landmarks: LandmarkNames) -> tuple[Feature, ...]:
        """Distance and angle of everything that never moves; none if it shows nothing but pictures."""
        listing = self.switchable or self.level != "image"
        return landmark_features(self.objects, landmarks) if listing else ()

    def observed(self, reading: Any, landmarks: LandmarkNames) -> Array:
        """Those of what is in a list, seen from above; nothing of a picture."""
        rows = np.asarray(reading, dtype=float)
        listed = rows if rows.ndim == 2 and rows.shape[1] == COLUMNS else np.zeros((0, COLUMNS))
        return landmarks_in(listed, self.pose.rotation, landmarks)

    def refusal(self, number: int, value: float) -> str | None:
        if number == _LEVEL and not self.switchable:
            return "its document does not say that it is switchable"
        if number == _FOV:
            try:
                replace(self.camera(), fov=value)
            except ValueError as error:
                return str(error)
        return super().refusal(number, value)

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        try:
            self.camera()
        except ValueError as error:
            yield Flaw(str(error), "projection")


@component
class CameraSensor(Optics):
    """A camera; `Noise` is in grey levels, from 0 to 255."""

    pixel = "|u1"
    noise_unit = _GREY_LEVELS
    reading = (
        "Width x Height x 4 bytes BGRA, or as `Format` says, top row first; on the levels `objects` and `truth`, "
        f"{_ROW}"
    )
    output = "image"

    lens: Lens = nested("what the glass does", Lens, default=Lens())
    shutter: Shutter = nested("what motion does to its pictures", Shutter, default=Shutter())
    brightness: float = number(
        "factor on the pixels, which saturate at 255", low=0, high=100, default=1.0, index="Brightness"
    )
    samples: int = integer("samples per pixel against jagged edges: 1, 2, 4 or 8", low=1, high=8, default=1)
    shadows: bool = flag("whether things cast shadows in the picture", default=False)
    shading: Literal["smooth", "flat"] = choice(
        "how round things are shaded: smoothly, or face by face", "smooth", "flat", default="smooth"
    )
    radiation: str = radiation("what its pictures show: light, or the intensity of another class", default=VISIBLE)
    format: PixelFormat = choice(
        "bytes of a pixel: blue, green, red, 255; Y, U, V; Y and in turn U or V; grey", *PIXEL_FORMATS, default="bgra"
    )
    compression: Literal["none", "png", "jpeg", "lz4"] = choice(
        "what a picture is for the client: pixels, or the bytes of a file",
        "none",
        "png",
        "jpeg",
        "lz4",
        default="none",
    )

    @property
    def picture_shape(self) -> tuple[int, ...]:
        return picture_shape(self.height, self.width, self.format)

    @property
    def sight(self) -> int:
        pixels = super().sight // CHANNELS[self.format] * CHANNELS["bgra"]
        return pixels * self.samples * self._weight * self._instants

    @property
    def effort(self) -> int:
        return self.largest_reading * self._weight

    @property
    def _weight(self) -> int:
        return PNG_WEIGHT if self.compression == "png" else 1

    @property
    def _instants(self) -> int:
        """How many times it is drawn."""
        return self.shutter.instants if self.shutter_time else 1

    @property
    def shutter_time(self) -> float:
        """How long a picture takes, from where its first row begins to its instant [s]."""
        return self.shutter.exposure + self.shutter.readout

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        if self.compression != "none":
            if self.format != "bgra":
                yield Flaw(f"files have colours of their own; Format {self.format} is for pixels", "format")
            try:
                check_format(self.compression)
            except UberSimError as error:
                yield Flaw(str(error), "compression")
        if (count := self.width * self.height * self.samples * self._instants) > MOST_SAMPLES:
            whose = "shutter" if self._instants > 1 else "samples"
            yield Flaw(f"a picture would have {count} samples; allowed are {MOST_SAMPLES}", whose)

    def camera(self) -> model.Camera:
        glass, shutter = self.lens, self.shutter
        return replace(
            super().camera(),
            lens=model.LensModel(
                glass.k1, glass.k2, glass.k3, glass.p1, glass.p2, glass.vignetting, glass.aperture, glass.focus
            ),
            shutter=model.ShutterModel(shutter.exposure, shutter.readout, shutter.instants),
            brightness=self.brightness,
            samples=self.samples,
            shadows=self.shadows,
            flat=self.shading == "flat",
            form=self.format,
            radiation=self.radiation,
        )


@component
class DepthSensor(Optics):
    """Distances along the optical axis; `Noise` is in metres."""

    pixel = "<f4"
    reading = "Width x Height f32 [m], top row first; infinite where nothing is within `Far`; other levels: as a camera"
    output = "depth"
    pixels = (Quantity("distance", "m"),)


@component
class SegmentationSensor(Optics):
    """Which object is seen in each pixel; `Noise` has no meaning here."""

    pixel = "<u2"
    reading = "Width x Height u16 numbers of the legend, top row first; 0 where nothing is; other levels: as a camera"
    output = "segmentation"


class CameraDevice:
    """Has pictures taken from where the camera is, or tells what is in sight from there."""

    def __init__(self, description: Optics, mount: Mount, rng: np.random.Generator) -> None:
        self._description = description
        self._mount = mount
        self._camera = replace(description.camera(), seed=int(rng.integers(2**31)))
        self._level: Level = description.level
        self._sight = Sight(mount, description.objects, rng)
        if description.switchable or description.level == "image":
            mount.surroundings.cameras.open()  # now is the time to find out that there is no OpenGL

    def sample(self) -> bytes | Pending:
        """What is in sight, or a picture that is being taken."""
        about = self._description
        header = _HEADER.pack(LEVELS.index(self._level)) if about.switchable else b""
        match self._level:
            case "objects":
                return header + self._sight.objects(self._camera)
            case "truth":
                return header + self._sight.truth(self._camera)
        surroundings = self._mount.surroundings
        pose = self._mount.pose_in_world()
        row = self._mount.body.row
        return surroundings.cameras.take(self._camera, pose, about.output, surroundings.frame, header, row)

    @property
    def noise(self) -> float:
        """As it is now, in the unit of the property."""
        return self._camera.noise * self._description.noise_unit

    def introduction(self) -> dict[str, Any]:
        """What a client has to know to understand the readings, beyond their form."""
        about = self._description
        own: dict[str, Any] = {}
        if isinstance(about, CameraSensor):
            # Said only where it is not what cameras have always sent.
            own |= {} if about.format == "bgra" else {"format": about.format}
            own |= {} if about.radiation == VISIBLE else {"radiation": about.radiation}
        if about.switchable:
            forms = {LEVELS.index(level): about.form(level) for level in LEVELS}
            own["levels"] = {str(level): {"dtype": dtype, "shape": shape} for level, (dtype, shape) in forms.items()}
        if about.switchable or about.level != "image" or about.output == "segmentation":
            own["legend"] = {str(number): name for number, name in self._mount.surroundings.object_ids.names().items()}
        return own

    def set(self, number: int, value: float) -> None:
        """Changes the field of view, brightness, noise or level."""
        if number == _LEVEL:
            self._level = LEVELS[int(value)]
        elif number == _FOV:
            self._camera = replace(self._camera, fov=value)
        elif number == _BRIGHTNESS:
            self._camera = replace(self._camera, brightness=value)
        else:
            self._camera = replace(self._camera, noise=value / self._description.noise_unit)

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps."""
        camera = {"fov": self._camera.fov, "brightness": self._camera.brightness, "noise": self._camera.noise}
        return {"camera": camera, "level": self._level, "sight": self._sight.state()}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        self._camera = replace(self._camera, **state["camera"])
        self._level = state["level"]
        self._sight.restore(state["sight"])
