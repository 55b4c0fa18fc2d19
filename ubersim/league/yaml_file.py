"""YAML files of the league: rules, matches, teams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from ubersim.errors import UberSimError


def mapping_of(text: str, source: str) -> Mapping[str, Any]:
    """What a file says, by name."""
    try:
        given = YAML(typ="safe").load(text)
    except (YAMLError, RecursionError, ValueError) as error:  # nested too deeply; a date or number that is none
        raise UberSimError(f"{source} is no YAML: {error}") from None
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise UberSimError(f"{source} has no names with values")
    return given
