#!/usr/bin/env python3
"""What lamps, shutters, other radiation and other formats of pixels add to a picture of 320x240.

The Segway's camera in worlds/playground.xml, drawn in this process. Each turn takes a picture of every contestant, of a
new instant, in an order that rotates; told is the processor time of all threads, in the middle of the turns, and how
many times that of the plain picture of the same turn it is.
"""

from __future__ import annotations

import argparse
import statistics
import time

from lxml import etree

from ubersim.description.resources import shipped
from ubersim.simulation import Simulation

PLACE = "<Position><x>0</x><y>0.3</y><z>0.6</z></Position>"
SPOT = f"<SpotLight name='Lamp'>{PLACE}<Direction><x>0</x><y>1</y><z>-0.3</z></Direction><Cone>50</Cone></SpotLight>"
BULB = f"<PointLight name='Lamp'>{PLACE}<CastsShadow>{{}}</CastsShadow></PointLight>"
SHADOWS = "<Shadows>true</Shadows>"
CONTESTANTS = {
    "plain": ("", ""),
    "a lamp on the robot": ("", BULB.format("false")),
    "shadows of the sun": (SHADOWS, ""),
    "shadows of the sun and of a spot on the robot": (SHADOWS, SPOT),
    "shadows of the sun and of a bulb on the robot": (SHADOWS, BULB.format("true")),
    "exposed, 8 instants": ("<Shutter><Exposure>0.01</Exposure></Shutter>", ""),
    "rolling shutter, 8 instants": ("<Shutter><Readout>0.02</Readout></Shutter>", ""),
    "rolling shutter, 32 instants": ("<Shutter><Readout>0.02</Readout><Instants>32</Instants></Shutter>", ""),
    "infrared": ("<Radiation>infrared</Radiation>", ""),
    "infrared, grey": ("<Radiation>infrared</Radiation><Format>grey</Format>", ""),
    "grey": ("<Format>grey</Format>", ""),
    "yuv": ("<Format>yuv</Format>", ""),
    "yuyv": ("<Format>yuyv</Format>", ""),
}
"""Elements of the camera, and lights of the body that carries it."""


def segway(elements: str, lights: str) -> str:
    """The Segway with such a camera, that takes a picture in every frame."""
    root = etree.parse(shipped("robots/segway.xml"), etree.XMLParser(remove_comments=True)).getroot()
    (camera,) = root.iter("CameraSensor")
    for tag in ("Frequency", "Latency", "Width", "Height"):
        for child in camera.iterchildren(tag):
            camera.remove(child)
    camera.extend(etree.fromstring(f"<x>{elements}</x>"))
    if lights:
        body = camera.getparent()
        assert body is not None
        body.append(etree.fromstring(f"<Lights>{lights}</Lights>"))
    return str(etree.tostring(root, encoding="unicode"))


class Contestant:
    """A simulation of its own, and what its pictures took [s]."""

    def __init__(self, elements: str, lights: str) -> None:
        self._simulation = Simulation(shipped("worlds/playground.xml"))
        robot = self._simulation.spawn(segway(elements, lights))
        (self._camera,) = (robot.sensors[name] for name in robot.sensors if name == "Cam")
        self.times: list[float] = []

    def turn(self) -> None:
        """One more picture, of another instant; the step between them takes a hundredth of it."""
        begun = time.process_time()
        self._simulation.step()
        self._camera.value()
        self.times.append(time.process_time() - begun)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="What lamps, shutters, radiation and formats of pixels cost.")
    parser.add_argument("--turns", type=int, default=60, help="pictures of each")
    turns = parser.parse_args().turns
    contestants = {name: Contestant(*about) for name, about in CONTESTANTS.items()}
    for turn in range(turns + 3):  # the first ones compile
        order = list(contestants.values())
        for contestant in order[turn % len(order) :] + order[: turn % len(order)]:
            contestant.turn()
    plain = contestants["plain"].times[3:]
    print(f"{'picture':48} {'ms':>6} {'times plain':>12}")
    for name, contestant in contestants.items():
        times = contestant.times[3:]
        ratio = statistics.median(one / other for one, other in zip(times, plain, strict=True))
        print(f"{name:48} {1e3 * statistics.median(times):6.2f} {ratio:12.2f}")


if __name__ == "__main__":
    main()
