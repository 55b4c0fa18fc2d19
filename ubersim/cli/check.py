"""`ubersim check`: the errors of a robot or world file, or what it describes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ubersim.cli.app import MaterialsFile, app, root_tag

if TYPE_CHECKING:
    from ubersim.description import WorldDescription


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="Robot or world file.")],
    materials: MaterialsFile = None,
) -> None:
    """Read a robot or world file; print its errors, or what it describes."""
    from ubersim.description import default_materials, load_materials, load_robot, load_world, summary

    table = default_materials() if materials is None else load_materials(materials)
    if root_tag(file) == "World":
        typer.echo("\n".join(_world_summary(file.stem, load_world(file, materials=table))))
    else:
        typer.echo(summary(load_robot(file, materials=table)))


def _world_summary(name: str, world: WorldDescription) -> Iterator[str]:
    """What stands, lies and is painted in a world."""
    yield f"{name}: {'ground' if world.ground else 'no ground'}; solids that never move: {len(world.static)}"
    yield f"objects: {len(world.objects)}"
    for body in world.objects:
        mass = body.mass_properties()
        yield f"  Body {body.name}: {mass.mass:.6g} kg"
        yield f"    centre of mass  {' '.join(f'{value + 0.0:11.6g}' for value in mass.center)} m"
    yield f"markings: {len(world.markings)}, lights: {len(world.lights)}, spawn points: {len(world.spawn_points)}"
