"""A sled with sensors in an empty world, a red ball, and servers that draw in the thread of the test itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ubersim.description import WorldDescription, read_world
from ubersim.server import Server
from ubersim.simulation import Simulation

T = TypeVar("T")
BALL = (0.3, 3.0, 1.2)


def vector(tag: str, x: float, y: float, z: float) -> str:
    return f"<{tag}><x>{x}</x><y>{y}</y><z>{z}</z></{tag}>"


def ball(name: str, x: float, y: float, z: float, radius: float = 0.1) -> str:
    """A red ball, free to move."""
    return f"""<Body name="{name}"><Sphere name="{name}Sphere"><Mass>1</Mass><Radius>{radius}</Radius>
        {vector("Position", x, y, z)}<Material>Ball</Material><Color><r>1</r><g>0</g><b>0</b></Color></Sphere></Body>"""


def wall(name: str, y: float, *, width: float = 4.0, height: float = 4.0, x: float = 0.0, z: float = 1.0) -> str:
    """A thin blue wall across the y axis; its near side is at `y`."""
    return f"""<Box name="{name}"><XSize>{width}</XSize><YSize>0.1</YSize><ZSize>{height}</ZSize>
        {vector("Position", x, y + 0.05, z)}<Material>Wood</Material><Color><r>0</r><g>0</g><b>1</b></Color></Box>"""


def weightless(objects: str = "", static: str = "", ground: bool = False) -> WorldDescription:
    """A world in which things stay where they are put."""
    return read_world(
        f"""<World><Settings>{vector("Gravity", 0, 0, 0)}</Settings>{"<Ground/>" if ground else ""}
        <Static>{static}</Static><Objects>{objects}</Objects></World>"""
    )


def sled(*sensors: str, name: str = "Sled", at: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> str:
    """A box with sensors, and a second body behind it."""
    return f"""<Client><CSettings><Name>{name}</Name><Spawn>{vector("Position", *at)}</Spawn></CSettings>
      <Entity><RigidBodies>
        <Body name="Base"><Box name="Plate"><Mass>2</Mass><XSize>0.2</XSize><YSize>0.2</YSize><ZSize>0.1</ZSize>
          {vector("Position", 0, 0, 0)}<Material>Plastic</Material></Box>{"".join(sensors)}</Body>
        <Body name="Tail"><Sphere name="TailBall"><Mass>1</Mass><Radius>0.05</Radius>
          {vector("Position", 0, -0.3, 0)}<Material>Rubber</Material></Sphere></Body>
      </RigidBodies><Joints><JointFixed name="Weld"><Body1>Base</Body1><Body2>Tail</Body2></JointFixed></Joints>
      </Entity></Client>"""


def camera(elements: str = "", *, kind: str = "CameraSensor", name: str = "Eye", fov: float = 60.0) -> str:
    """A camera at the front of the sled: 160x120, or as the elements say."""
    size = "" if "<Width>" in elements else "<Width>160</Width><Height>120</Height>"
    return f"""<{kind} name="{name}"><Fov>{fov}</Fov>{size}{vector("Position", 0, 0.12, 0)}{elements}</{kind}>"""


def red(picture: Any) -> NDArray[np.bool_]:
    """Which pixels of a BGRA picture are red."""
    blue, green, reds = (np.asarray(picture)[..., channel].astype(int) for channel in range(3))
    found: NDArray[np.bool_] = (reds > 60) & (reds > 3 * green) & (reds > 3 * blue)
    return found


def middle(mask: NDArray[np.bool_]) -> tuple[float, float]:
    """Column and row of a patch's middle, counted as pinhole formulas do."""
    rows, columns = np.nonzero(mask)
    return float(columns.mean() + 0.5), float(rows.mean() + 0.5)


def play(simulation: Simulation, frames: int, *programs: Callable[[int], T], **options: Any) -> list[T]:
    """Serves that many frames to the programs, each of which gets the port, and returns what they return."""
    results: dict[int, T | BaseException] = {}
    with Server(simulation, port=0, clients=len(programs), **options) as server:

        def run(index: int) -> None:
            try:
                results[index] = programs[index](server.address[1])
            except BaseException as error:
                results[index] = error

        threads = [threading.Thread(target=run, args=(index,), daemon=True) for index in range(len(programs))]
        for thread in threads:
            thread.start()
        server.run(frames)
    for thread in threads:
        thread.join(60)
    found = []
    for index in range(len(programs)):
        result = results[index]
        if isinstance(result, BaseException):
            raise result
        found.append(result)
    return found
