"""Taking a snapshot of a simulation, going on from one, and starting over."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ubersim.description import read_robot
from ubersim.errors import UberSimError
from ubersim.geometry import Pose
from ubersim.simulation.population import Population
from ubersim.simulation.snapshot import Snapshot
from ubersim.timing.latency import LatencyModel


def take(simulation: Population) -> Snapshot:
    """The state of everything now."""
    first_of = simulation.object_ids.first_of
    robots = tuple(robot.state() | {"first_number": first_of(name)} for name, robot in simulation.robots.items())
    physics, forces = simulation.world.snapshot(), simulation.forces.state()
    actors = {actor.name: actor.state() for actor in simulation.actors}
    return Snapshot(simulation.frame, _fingerprint(simulation), robots, physics, forces, actors)


def restore(simulation: Population, snapshot: Snapshot) -> None:
    """Goes on from a snapshot, of this simulation or of one made alike in another process.

    Where the robots are the same, in the same order, they stay the same objects; else all of them are made anew.
    """
    if snapshot.fingerprint != _fingerprint(simulation):
        raise UberSimError("this snapshot was taken with another world, other materials, another step or seed")
    robots = simulation.robots
    if [robot.identity() for robot in robots.values()] != [state["identity"] for state in snapshot.robots]:
        _repopulate(simulation, snapshot)
    before = simulation.frame
    simulation.world.restore(snapshot.physics)
    simulation.frame = simulation.world.frame
    simulation.forces.restore(snapshot.pushes)
    for robot, state in zip(robots.values(), snapshot.robots, strict=True):
        robot.restore(state)
    simulation.object_ids.move({state["identity"]["name"]: state["first_number"] for state in snapshot.robots})
    for actor in simulation.actors:
        actor.restore(snapshot.actors.get(actor.name, {}))
    simulation.cameras.scene_changed()
    for observer in simulation.observers:
        observer.restored(snapshot, before)


def reset(simulation: Population) -> None:
    """Back to frame 0, as if all robots that are here had joined there, one after the other, where they spawned."""
    before, observers, simulation.observers = simulation.frame, simulation.observers, []
    robots = [(robot.description, robot.spawned_at) for robot in simulation.robots.values()]
    for name in list(simulation.robots):
        simulation.remove(name)
    simulation.frame = simulation.world.frame = 0
    simulation.forces.restore(())
    simulation.reset_objects()
    try:
        for description, pose in robots:
            simulation.add(description, pose)
    finally:
        simulation.observers = observers
    for actor in simulation.actors:
        actor.restore({})
    if observers:
        state = take(simulation)
        for observer in observers:
            observer.restored(state, before)


def start_over(
    simulation: Population, snapshot: Snapshot, seed: int, latencies: Mapping[str, LatencyModel | None]
) -> None:
    """Bodies and joints as in a snapshot; all else as if the robots had joined there, with another seed.

    Nothing is sensed before `begin_frame`, so that things can be put elsewhere first. What joins later has the
    simulation's own seed.
    """
    robots = simulation.robots
    if [robot.name for robot in robots.values()] != [state["identity"]["name"] for state in snapshot.robots]:
        raise UberSimError("this snapshot was taken with other robots")
    before = simulation.frame
    simulation.world.restore(snapshot.physics)
    simulation.frame = simulation.world.frame
    simulation.forces.restore(())
    for robot in robots.values():
        robot.start_over(seed, simulation.frame, latencies.get(robot.name))
    if simulation.observers:
        state = take(simulation)
        for observer in simulation.observers:
            observer.restored(state, before)


def _repopulate(simulation: Population, snapshot: Snapshot) -> None:
    for observer in simulation.observers:
        observer.restoring()
    for name in list(simulation.robots):
        simulation.remove(name)
    for state in snapshot.robots:
        description = read_robot(state["identity"]["document"], materials=simulation.materials)
        description = replace(description, settings=replace(description.settings, name=state["identity"]["name"]))
        simulation.add(description, Pose(np.array(state["position"]), np.array(state["rotation"])))


def _fingerprint(simulation: Population) -> str:
    parts = (simulation.description, simulation.materials, simulation.step_size, simulation.seed)
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()
