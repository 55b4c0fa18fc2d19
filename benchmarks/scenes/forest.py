"""Engines with reduced coordinates want trees: each body hangs on one other, or on the world, by one joint."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.scenes.scene import JointSpec, Scene


@dataclass(frozen=True)
class Branch:
    """A body and what it hangs on."""

    body: int
    """Its index in the scene."""
    parent: int | None
    """The body that carries it; None: the world."""
    joint: JointSpec | None
    """What connects them; None: it flies freely."""
    sign: float
    """-1 where the joint's first body is the parent, so that rates count the other way."""


def branches(scene: Scene) -> list[Branch]:
    """Every body once, parents first."""
    neighbours: dict[int | None, list[tuple[int | None, JointSpec, float]]] = {}
    for joint in scene.joints:
        if joint.kind == "amotor":
            continue  # drives what others carry
        neighbours.setdefault(joint.second, []).append((joint.first, joint, 1.0))
        neighbours.setdefault(joint.first, []).append((joint.second, joint, -1.0))
    found: list[Branch] = []
    seen: set[int | None] = {None}
    used: set[int] = set()

    def grow(parent: int | None) -> None:
        for child, joint, sign in neighbours.get(parent, []):
            if id(joint) in used:
                continue
            used.add(id(joint))
            if child in seen:
                raise ValueError("joints that close a loop cannot be said in reduced coordinates")
            seen.add(child)
            assert child is not None
            found.append(Branch(child, parent, joint, sign))
            grow(child)

    grow(None)
    for body in range(len(scene.bodies)):
        if body not in seen:
            seen.add(body)
            found.append(Branch(body, None, None, 1.0))
            grow(body)
    return found
