"""`ubersim show`: a picture of a robot or of a world."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ubersim.cli.app import MaterialsFile, a_number, app, located, picture_size, root_tag
from ubersim.errors import UberSimError

if TYPE_CHECKING:
    from ubersim.geometry import Array
    from ubersim.render.scene import Scene
    from ubersim.render.shapes import Vector

OVERLOOK = 28.0
"""Added to the elevation for a world, to look over its walls [degrees]."""


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="Robot or world file, or the name of one that comes along.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the picture goes: .png or .jpg.")] = Path("show.png"),
    size: Annotated[str, typer.Option(help="Width and height [pixels].")] = "1280x960",
    azimuth: Annotated[
        float,
        typer.Option(callback=a_number, min=-360, max=360, help="Where to look from: degrees from ahead to the right."),
    ] = 33.0,
    elevation: Annotated[
        float, typer.Option(callback=a_number, min=-89, max=89, help="How far to look down [degrees].")
    ] = 12.0,
    marks: Annotated[
        bool, typer.Option("--marks", help="Draw joints' axes, centres of mass, what sensors see, and names.")
    ] = False,
    materials: MaterialsFile = None,
) -> None:
    """Take a picture of a robot or of a world."""
    from ubersim.demos.annotations import annotated
    from ubersim.demos.pictures import save_picture
    from ubersim.description import default_materials, load_materials, load_world
    from ubersim.importers import load_robot
    from ubersim.render.portrait import Portrait, portrait, subject, viewer
    from ubersim.simulation import Simulation
    from ubersim.simulation.scene import scene_of

    file = located(file)
    width, height = picture_size(size)
    table = default_materials() if materials is None else load_materials(materials)
    how = Portrait(width, height, math.radians(azimuth), math.radians(elevation))
    if root_tag(file) == "World":
        with Simulation(load_world(file, materials=table), materials=table) as simulation:
            positions, rotations = simulation.world.positions, simulation.world.rotations
            scene = at_rest(scene_of(simulation), positions, rotations)
            down = min(math.radians(elevation + OVERLOOK), math.radians(89))
            picture = portrait(scene, positions[:0], rotations[:0], replace(how, elevation=down, fill=0.95))
    else:
        with Simulation(materials=table) as simulation:
            robot = load_robot(file, materials=table)
            shown = simulation.spawn(replace(robot, settings=replace(robot.settings, spawn=None)))  # on its feet
            scene, positions, rotations = scene_of(simulation), simulation.world.positions, simulation.world.rotations
            picture = portrait(scene, positions, rotations, how)
            if marks:
                picture = annotated(picture, shown, *viewer(how, subject(scene, positions, rotations), scene))
    try:
        save_picture(out, picture)
    except OSError as error:
        raise UberSimError(f"cannot write {out}: {error.strerror}") from None
    typer.echo(out)


def at_rest(scene: Scene, positions: Array, rotations: Array) -> Scene:
    """The scene with every shape fixed where it is now, so that a portrait frames all of it, not what moves alone."""
    shapes = []
    for shape in scene.shapes:
        if shape.body >= 0:
            turn = rotations[shape.body]
            x, y, z = (_vector(row) for row in turn @ shape.rotation)
            position = _vector(positions[shape.body] + turn @ shape.position)
            shape = replace(shape, body=-1, position=position, rotation=(x, y, z))
        shapes.append(shape)
    return replace(scene, shapes=tuple(shapes))


def _vector(values: Array) -> Vector:
    x, y, z = map(float, values)
    return x, y, z
