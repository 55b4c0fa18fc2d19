#!/usr/bin/env python3
"""A Scout that turns on the spot, through a quick camera, one with a long exposure, and one with a rolling shutter.

    python examples/rolling_shutter.py --out out

Rows of the rolling shutter end one after the other, so an upright post leans; how much it does tells how fast the robot
turns. That is measured here, for several speeds, in nothing but pixels.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import ubersim

WIDTH, HEIGHT, FOV = 400, 300, 70.0
READOUT = 0.03
EYE = f"""<CameraSensor name="{{name}}"> <Position><x>0</x><y>0</y><z>0.45</z></Position>
  <Fov>{FOV}</Fov> <Width>{WIDTH}</Width> <Height>{HEIGHT}</Height> <Frequency>20</Frequency> {{shutter}}
  </CameraSensor>"""
SHUTTERS = {
    "Quick": "",
    "Exposed": "<Shutter> <Exposure>0.02</Exposure> <Instants>24</Instants> </Shutter>",
    "Rolling": f"<Shutter> <Readout>{READOUT}</Readout> <Instants>32</Instants> </Shutter>",
}
WORLD = """<World> <Ground/> <Static>
  <Cylinder name="Post"> <Radius>0.08</Radius> <Height>3</Height> <Position><x>0</x><y>2</y><z>1.5</z></Position>
    <Material>Wood</Material> <Color><r>0.8</r><g>0.1</g><b>0.1</b></Color> </Cylinder>
  <Box name="Wall"> <XSize>8</XSize> <YSize>0.1</YSize> <ZSize>0.8</ZSize>
    <Position><x>0</x><y>3.5</y><z>0.4</z></Position>
    <Material>Wood</Material> <Color><r>0.75</r><g>0.7</g><b>0.6</b></Color> </Box>
</Static> </World>"""


def pictures(world: Path, turn: float, *cameras: str) -> Iterator[tuple[float, list[Any]]]:
    """Turning so fast [rad/s]: how fast it really does, and what the cameras see, while the post is well in sight."""
    text = ubersim.shipped("robots/scout.xml").read_text(encoding="utf-8")
    eyes = "".join(EYE.format(name=name, shutter=SHUTTERS[name]) for name in cameras)
    robot_xml = text.replace('<Body name="Base">', f'<Body name="Base">{eyes}', 1)
    with ubersim.Simulation(world) as simulation:
        robot = simulation.spawn(robot_xml)
        robot.set("Drive", "Turn", turn)
        simulation.step(500)  # up to speed
        begun = False
        while True:
            simulation.step(50)
            seen = [np.asarray(robot.read(name)) for name in cameras]
            columns = np.nonzero(red(seen[-1]))[1]
            if len(columns) > 5 * HEIGHT and columns.min() > 0.1 * WIDTH and columns.max() < 0.9 * WIDTH:
                begun = True
                yield float(robot.bodies["Base"].angular_velocity[2]), seen
            elif begun:
                return


def red(picture: Any) -> Any:
    """Where the post is."""
    blue, green, reds = (picture[..., channel].astype(int) for channel in range(3))
    return (reds > 2 * green) & (reds > 2 * blue)


def turn_rate(picture: Any) -> float:
    """From how the post leans [rad/s]: its bearing in each row, over the instant at which the row ended."""
    post = red(picture)
    rows = np.flatnonzero(post.sum(axis=1) > 3)
    middles = np.array([np.flatnonzero(post[row]).mean() + 0.5 for row in rows])
    focal = WIDTH / 2 / np.tan(np.radians(FOV) / 2)
    bearings = np.arctan((WIDTH / 2 - middles) / focal)
    return -float(np.polyfit(READOUT * rows / (HEIGHT - 1), bearings, 1)[0])


def main() -> None:
    """Prints a table, and writes what the three cameras see at the highest speed, side by side."""
    parser = argparse.ArgumentParser(description="What a rolling shutter tells of turning.")
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for the picture")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    world = folder / "post.xml"
    world.write_text(WORLD, encoding="utf-8")
    print("turns by [rad/s]   as the post leans   pictures")
    for turn in (0.5, -1.0, 2.0, -4.0):
        taken = list(pictures(world, turn, "Rolling"))
        rates = [rate for rate, _ in taken]
        found = [turn_rate(seen[0]) for _, seen in taken]
        print(f"{np.mean(rates):16.3f} {np.mean(found):19.3f} {len(taken):10}")
    _, seen = next(pictures(world, turn, *SHUTTERS))
    file = folder / "rolling_shutter.png"
    Image.fromarray(np.hstack([picture[..., 2::-1] for picture in seen])).save(file)
    print(f"picture: {file}")


if __name__ == "__main__":
    main()
