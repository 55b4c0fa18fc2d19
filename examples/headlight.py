#!/usr/bin/env python3
"""A Scout at night, with a headlight: what its camera sees, and what one sees that was told to see infrared.

    python examples/headlight.py --out out

The lamp emits visible light alone, so the infrared picture is lit by what comes from everywhere in that class: there a
rubber drum is black, the paint on the floor is bright, and the lamp makes no difference. The two documents are written
too, to be driven through the dark by hand:

    ubersim drive out/headlight_scout.xml --world out/night.xml --view
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import ubersim

EYE = """<CameraSensor name="{name}"> <Position><x>0</x><y>0.2</y><z>0.5</z></Position>
  <Rotation><x>-12</x><y>0</y><z>0</z></Rotation>
  <Fov>60</Fov> <Width>480</Width> <Height>360</Height>
  <Radiation>{radiation}</Radiation> <Frequency>25</Frequency> </CameraSensor>"""
LAMP = """<Lights> <SpotLight name="Headlight"> <Position><x>0</x><y>0.21</y><z>0.4</z></Position>
  <Direction><x>0</x><y>1</y><z>-0.12</z></Direction> <Cone>50</Cone> <Range>3</Range> </SpotLight> </Lights>"""
NIGHT = """<World>
  <Ground> <Material>Concrete</Material> <Color><r>0.5</r><g>0.5</g><b>0.5</b></Color> </Ground>
  <Sky> <r>0.05</r><g>0.05</g><b>0.09</b> </Sky>
  <Lights>
    <AmbientLight name="Moon"> <Color><r>0.8</r><g>0.85</g><b>1</b></Color> <Intensity>0.04</Intensity> </AmbientLight>
  </Lights>
  <Static>
    <Box name="Wall"> <XSize>12</XSize> <YSize>0.2</YSize> <ZSize>1.2</ZSize>
      <Position><x>0</x><y>4</y><z>0.6</z></Position> <Material>Concrete</Material> </Box>
    <Box name="Crate"> <XSize>0.5</XSize> <YSize>0.5</YSize> <ZSize>0.5</ZSize>
      <Position><x>-0.8</x><y>2.2</y><z>0.25</z></Position> <Rotation><x>0</x><y>0</y><z>20</z></Rotation>
      <Material>Wood</Material> <Color><r>0.75</r><g>0.5</g><b>0.25</b></Color> </Box>
    <Cylinder name="Drum"> <Radius>0.25</Radius> <Height>0.5</Height>
      <Position><x>0.7</x><y>2.4</y><z>0.25</z></Position> <Material>Rubber</Material>
      <Color><r>0.75</r><g>0.5</g><b>0.25</b></Color> </Cylinder>
  </Static>
  <Objects> <Body name="Ball">
    <Sphere name="Skin"> <Mass>0.4</Mass> <Radius>0.11</Radius> <Position><x>0</x><y>1.9</y><z>0.11</z></Position>
      <Material>Ball</Material> <Color><r>1</r><g>0.45</g><b>0</b></Color> </Sphere>
  </Body> </Objects>
  <Markings>
    <Line> <From><x>-2</x><y>1.5</y><z>0</z></From> <To><x>2</x><y>1.5</y><z>0</z></To> </Line>
  </Markings>
</World>"""


def scout() -> str:
    """The robot that comes along, with a lamp and two cameras more on its base."""
    text = ubersim.shipped("robots/scout.xml").read_text(encoding="utf-8")
    eyes = EYE.format(name="Eye", radiation="light") + EYE.format(name="InfraredEye", radiation="infrared")
    return text.replace('<Body name="Base">', f'<Body name="Base">{eyes}{LAMP}', 1)


def main() -> None:
    """Writes the documents and the two pictures, side by side."""
    parser = argparse.ArgumentParser(description="A lamp, and an infrared camera.")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for documents and picture")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "headlight_scout.xml").write_text(scout(), encoding="utf-8")
    (folder / "night.xml").write_text(NIGHT, encoding="utf-8")
    with ubersim.Simulation(folder / "night.xml") as simulation:
        robot = simulation.spawn(folder / "headlight_scout.xml")
        simulation.step(200)
        simulation.begin_frame()
        pictures: list[Any] = [robot.sensors[name].value() for name in ("Eye", "InfraredEye")]
    Image.fromarray(np.hstack([picture[..., 2::-1] for picture in pictures])).save(folder / "lamps_and_infrared.png")
    for name, picture in zip(("by headlight", "in infrared"), pictures, strict=True):
        print(f"{name}: mean brightness {picture[..., :3].mean():.0f} of 255")
    print(f"picture: {folder / 'lamps_and_infrared.png'}")


if __name__ == "__main__":
    main()
