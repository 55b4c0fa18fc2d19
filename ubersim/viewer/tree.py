"""The tree of all that is in the world, as HTML: robots with their parts, objects, static solids. Branches fold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ubersim.viewer.model import SceneModel
from ubersim.viewer.selection import PART_KINDS, Kind, Selection

MOST_OPEN = 3
"""Robots whose branches are open at first; where there are more, only that of the chosen one."""


def tree_html(model: SceneModel, chosen: Selection | None) -> str:
    """All branches; the one with what is chosen is open, and that is marked."""
    branches = [_robot(model, robot, chosen) for robot in model.robots]
    objects = [name for name in model.entities if name not in model.robots]
    branches.append(_things("Objects", [Selection("Object", name) for name in objects], chosen))
    branches.append(_things("Static solids", [Selection("Solid", name) for name in model.solids], chosen))
    content = "".join(branches) or "<p>There is nothing yet: robots appear here as they connect.</p>"
    return f'<nav class="us-tree" aria-label="World">{content}</nav>'


def _robot(model: SceneModel, robot: str, chosen: Selection | None) -> str:
    branches = "".join(_parts(model, robot, kind, chosen) for kind in PART_KINDS)
    is_open = len(model.robots) <= MOST_OPEN or (chosen is not None and chosen.entity == robot)
    count = sum(len(model.names(robot, kind)) for kind in PART_KINDS)
    parts = _branch(robot, f"parts <small>{count}</small>", branches, is_open)
    return f'<div class="us-robot">{_button(Selection("Robot", robot), robot, chosen)}{parts}</div>'


def _parts(model: SceneModel, robot: str, kind: Kind, chosen: Selection | None) -> str:
    names = model.names(robot, kind)
    if not names:
        return ""
    is_open = chosen is not None and chosen.entity == robot and chosen.kind == kind
    rows = []
    for group, members in grouped(names):
        buttons = [_button(Selection(kind, robot, name), name, chosen) for name in members]
        if not group:
            rows += buttons
            continue
        key = f"{robot}/{kind}/{group}"
        inside = chosen is not None and chosen.kind == kind and chosen.part in members
        rows.append(_branch(key, f"{escape(group)} <small>{len(members)} parts</small>", "".join(buttons), inside))
    return _branch(f"{robot}/{kind}", f"{kind} <small>{len(names)}</small>", "".join(rows), is_open)


def _things(title: str, things: Sequence[Selection], chosen: Selection | None) -> str:
    if not things:
        return ""
    buttons = "".join(_button(thing, thing.entity, chosen) for thing in things)
    return _branch(title, f"{title} <small>{len(things)}</small>", buttons, chosen in things)


def grouped(names: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Parts that a component brought along, as a wheel its rollers, are `WHEEL.PART`: a group; others have none."""
    groups: dict[str, list[str]] = {}
    for name in names:
        owner, dot, _ = name.partition(".")
        groups.setdefault(f"{owner}." if dot else name, []).append(name)
    return [(key[:-1] if key.endswith(".") and len(found) > 1 else "", found) for key, found in groups.items()]


def _branch(key: str, title: str, content: str, is_open: bool) -> str:
    opened = " open" if is_open else ""
    return f'<details data-key="{escape(key)}"{opened}><summary>{title}</summary><div>{content}</div></details>'


def _button(choice: Selection, label: str, chosen: Selection | None) -> str:
    marked = ' aria-current="true"' if choice == chosen else ""
    return f'<button data-ask="pick" data-key="{escape(choice.key)}"{marked}>{escape(label)}</button>'
