"""Cameras: what they are in XML, and the device that has its pictures taken."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ubersim.description.component import Component, Flaw, component
from ubersim.description.fields import angle, choice, flag, integer, nested, number
from ubersim.render import camera as model
from ubersim.sensors.base import Mount, SensorDescription

if TYPE_CHECKING:
    from ubersim.eyes import Glance

MOST_PIXELS = model.LARGEST
"""Along either side of a picture."""
_GREY_LEVELS = 255.0
_NOISE, _FOV, _BRIGHTNESS = 2, 16, 17


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
class Optics(SensorDescription):
    """What all cameras have, whatever they make of the light."""

    properties: ClassVar[Mapping[str, int]] = {**SensorDescription.properties, "Fov": _FOV}
    limits: ClassVar[Mapping[int, tuple[float, float]]] = {
        **SensorDescription.limits,
        _FOV: (math.radians(1), math.radians(360)),
    }
    output: ClassVar[model.Output]

    fov: float = angle("horizontal field of view", low=1, high=360)
    width: int = integer("columns of the picture", unit="pixels", low=1, high=MOST_PIXELS, default=320)
    height: int = integer("rows of the picture", unit="pixels", low=1, high=MOST_PIXELS, default=240)
    near: float = number("nothing nearer is seen", unit="m", low=1e-4, high=1e4, default=0.02)
    far: float = number("nothing farther is seen", unit="m", low=1e-3, high=1e5, default=200.0)
    projection: model.Projection = choice(
        "how directions become places in the picture", *model.PROJECTIONS, default="pinhole"
    )
    mirror: Mirror = nested("the mirror that the projection `mirror` looks into", Mirror, default=Mirror())

    @property
    def shape(self) -> tuple[int, ...]:
        return self.height, self.width

    def camera(self) -> model.Camera:
        """The camera as the renderer knows it."""
        return model.Camera(
            width=self.width,
            height=self.height,
            fov=self.fov,
            near=self.near,
            far=self.far,
            projection=self.projection,
            mirror=model.Mirror(self.mirror.a, self.mirror.b, self.mirror.radius),
        )

    def build(self, mount: Mount, rng: np.random.Generator) -> CameraDevice:
        return CameraDevice(mount, replace(self.camera(), seed=int(rng.integers(2**31))), self.output)

    def flaws(self) -> Iterator[Flaw]:
        yield from super().flaws()
        try:
            self.camera()
        except ValueError as error:
            yield Flaw(str(error), "projection")


@component
class CameraSensor(Optics):
    """A camera; `Noise` is in grey levels, from 0 to 255."""

    dtype = "|u1"
    properties: ClassVar[Mapping[str, int]] = {**Optics.properties, "Brightness": _BRIGHTNESS}
    limits: ClassVar[Mapping[int, tuple[float, float]]] = {**Optics.limits, _BRIGHTNESS: (0.0, 100.0)}
    reading = "Width x Height x 4 bytes BGRA, top row first"
    output = "image"

    lens: Lens = nested("what the glass does", Lens, default=Lens())
    brightness: float = number("factor on the pixels, which saturate at 255", low=0, high=100, default=1.0)
    samples: int = integer("samples per pixel against jagged edges: 1, 2, 4 or 8", low=1, high=8, default=1)
    shadows: bool = flag("whether things cast shadows in the picture", default=False)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.height, self.width, 4

    def camera(self) -> model.Camera:
        glass = self.lens
        return replace(
            super().camera(),
            lens=model.Lens(
                glass.k1, glass.k2, glass.k3, glass.p1, glass.p2, glass.vignetting, glass.aperture, glass.focus
            ),
            brightness=self.brightness,
            noise=self.noise / _GREY_LEVELS,
            samples=self.samples,
            shadows=self.shadows,
        )


@component
class DepthSensor(Optics):
    """Distances along the optical axis; `Noise` is in metres."""

    dtype = "<f4"
    reading = "Width x Height f32 [m], top row first; infinite where nothing is within `Far`"
    output = "depth"


@component
class SegmentationSensor(Optics):
    """Which object is seen in each pixel; `Noise` has no meaning here."""

    dtype = "<u2"
    reading = "Width x Height u16 object ids, top row first; 0 is the background; the welcome has the legend"
    output = "segmentation"


class CameraDevice:
    """Has pictures taken from where the camera is."""

    def __init__(self, mount: Mount, camera: model.Camera, output: model.Output) -> None:
        self._mount = mount
        self._camera = camera
        self._output = output
        mount.surroundings.eyes.open()  # now is the time to find out that there is no OpenGL

    def sample(self) -> Glance:
        """A picture that is being taken."""
        surroundings = self._mount.surroundings
        return surroundings.eyes.look(self._camera, self._mount.pose_in_world(), self._output, surroundings.frame)

    def set(self, property: int, value: float) -> None:
        """Changes the field of view, brightness or noise."""
        changes: dict[int, dict[str, float]] = {
            _NOISE: {"noise": value / _GREY_LEVELS},
            _FOV: {"fov": value},
            _BRIGHTNESS: {"brightness": value},
        }
        self._camera = replace(self._camera, **changes[property])  # type: ignore[arg-type]  # all of them are floats

    def state(self) -> dict[str, Any]:
        """What a snapshot keeps."""
        return {"fov": self._camera.fov, "brightness": self._camera.brightness, "noise": self._camera.noise}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what `state` returned."""
        self._camera = replace(self._camera, **state)
