"""`ubersim check`: the errors of a robot or world file, what is probably not meant in it, and what it describes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ubersim.cli.app import MaterialsFile, app, located, root_tag
from ubersim.errors import UberSimError
from ubersim.files import noting, version_of

if TYPE_CHECKING:
    from ubersim.description import Materials, RobotDescription, WorldDescription


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="Robot or world file, or the name of one that comes along.")],
    materials: MaterialsFile = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if there is a warning.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Again whenever one of its files is saved, until interrupted.")
    ] = False,
) -> None:
    """Read a robot or world file; print its errors, or what it describes and what is probably not meant."""
    path = located(file)
    if watch:
        _watch(path, materials)
    elif _check(path, materials) and strict:
        raise typer.Exit(1)


def _watch(path: Path, materials: Path | None) -> None:
    """Looks at all files that were read: a robot's parts, its meshes and the materials are saved, too."""
    while True:
        typer.echo(f"--- {path}, {time.strftime('%H:%M:%S')}")
        with noting() as read:
            try:
                _check(path, materials)
            except UberSimError as error:
                typer.echo(error, err=True)
        while all(version_of(file) == version for file, version in read.items()):
            time.sleep(0.3)


def _check(path: Path, materials: Path | None) -> bool:
    """Prints everything; whether there are warnings."""
    from ubersim.description import default_materials, load_materials, load_world, summary
    from ubersim.description.overview import world_summary
    from ubersim.importers import load_robot

    table = default_materials() if materials is None else load_materials(materials)
    if root_tag(path) == "World":
        world = load_world(path, materials=table)
        typer.echo(world_summary(path.stem, world))
        found = list(_world_warnings(world, table))
    else:
        robot = load_robot(path, materials=table)
        typer.echo(summary(robot))
        found = list(_robot_warnings(robot, table))
    for warning in found:
        typer.echo(f"warning: {warning}")
    return bool(found)


def _robot_warnings(robot: RobotDescription, materials: Materials) -> Iterator[str]:
    from dataclasses import replace

    from ubersim.description.plausibility import warnings
    from ubersim.simulation import Simulation
    from ubersim.simulation.overlaps import overlaps

    yield from warnings(robot)
    settings = replace(robot.settings, spawn=None)
    with Simulation(materials=materials) as simulation:
        bodies = tuple(replace(body, primitives=body.solids) for body in robot.entity.rigid_bodies)
        motors, joints = (), tuple(replace(joint, report=None) for joint in robot.entity.joints)
        bare = replace(robot.entity, rigid_bodies=bodies, joints=joints, motors=motors)
        simulation.spawn(replace(robot, settings=settings, entity=bare))
        yield from overlaps(simulation)


def _world_warnings(world: WorldDescription, materials: Materials) -> Iterator[str]:
    from ubersim.description.plausibility import world_warnings
    from ubersim.simulation import Simulation
    from ubersim.simulation.overlaps import blocked_spawn_points, overlaps

    yield from world_warnings(world)
    yield from blocked_spawn_points(world, materials)
    with Simulation(world, materials=materials) as simulation:
        yield from overlaps(simulation)
