"""What a player is, and how one is found by its name."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Protocol

from ubersim.errors import UberSimError
from ubersim.league.player_robot import PlayerRobot
from ubersim.protocol.suggestion import suggestion

GROUP = "ubersim.players"
"""Entry points of this group are classes of players, by name."""


class SoccerPlayer(Protocol):
    """Plays one robot. Its options are the arguments of its constructor."""

    def sense_and_act(self, me: PlayerRobot) -> None:
        """Is called in every frame in which readings came: looks at them, and commands."""


@cache
def known_players() -> dict[str, EntryPoint]:
    """Those of this installation, by name."""
    return {point.name: point for point in entry_points(group=GROUP)}


def make_player(
    spec: str,
    options: Mapping[str, Any] | None = None,
    folder: Path = Path(),
    offered: Mapping[str, Any] | None = None,
) -> SoccerPlayer:
    """A player by name (`goalkeeper`), as `module:Class`, or as `file.py:Class`, with options for its constructor.

    Of what is `offered`, such as the field's sizes, it gets what its constructor takes.
    """
    found = _class_of(spec, folder)
    if not callable(getattr(found, "sense_and_act", None)):
        raise UberSimError(f"the player {spec!r} has no sense_and_act(me)")
    options = dict(options or {})
    try:
        signature = inspect.signature(found)
        signature.bind(**options)
    except (TypeError, ValueError) as error:
        raise UberSimError(f"the player {spec!r} does not take these options: {error}") from None
    fitting = {name: value for name, value in (offered or {}).items() if name in signature.parameters}
    made: SoccerPlayer = found(**{**fitting, **options})
    return made


def _class_of(spec: str, folder: Path) -> Any:
    module, colon, name = spec.rpartition(":")
    try:
        if not colon:
            if spec not in known_players():
                raise UberSimError(f"there is no player {spec!r}; {suggestion(spec, known_players())}")
            return known_players()[spec].load()
        source = _module_of(folder / module) if module.endswith(".py") else importlib.import_module(module)
    except UberSimError:
        raise
    except Exception as error:  # whatever the player's module raises while it is imported
        raise UberSimError(f"the player {spec!r} cannot be had: {error!r}") from error
    if not hasattr(source, name):
        raise UberSimError(f"{module} has no class {name!r}")
    return getattr(source, name)


def _module_of(path: Path) -> Any:
    """A module from a file that is in no package."""
    if not path.is_file():
        raise UberSimError(f"there is no file {path}")
    found = importlib.util.spec_from_file_location(f"ubersim_player_{path.stem}", path)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module
