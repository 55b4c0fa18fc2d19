"""Dataclasses and arrays as plain JSON values."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np


def to_json(value: Any) -> Any:
    """A dataclass becomes an object with its type's name in `is`; bytes are left out."""
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {"is": type(value).__name__} | {
            name: to_json(part) for name, part in fields.items() if not isinstance(part, bytes)
        }
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [to_json(part) for part in value]
    return value
