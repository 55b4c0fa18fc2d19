"""Latency models in documents: their dataclass fields say what they take, as those of components do."""

from __future__ import annotations

import dataclasses
from typing import Any

from ubersim.description import fields
from ubersim.description.component import Entry, camel_case
from ubersim.description.value_types import Choice, Integer, Number, ValueType
from ubersim.timing.latency import LONGEST_MS, ORDERS, LatencyModel

_MILLISECONDS = Number(0.0, LONGEST_MS, "ms")
_COMMON: dict[str, ValueType[Any]] = {
    "loss": Number(0.0, 1.0),
    "seed": Integer(0, 2**32 - 1),
    "order": Choice(ORDERS),
}


def entries_of(model: type[LatencyModel]) -> tuple[Entry, ...]:
    """The parameters of a latency model; a field that is declared like any dataclass's is a number of milliseconds."""
    found = []
    for field in dataclasses.fields(model):
        spec = field.metadata.get(fields.KEY)
        if spec is None:
            spec = fields.Spec(_COMMON.get(field.name, _MILLISECONDS), "", None, field.default is dataclasses.MISSING)
        tag = camel_case(field.name) if spec.tag is None else spec.tag
        found.append(Entry(field.name, tag, spec.kind, spec.meaning, spec.required, field.default, {}))
    return tuple(found)
