"""One table has all numbers of properties; nothing else in the package has any."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import ubersim
from ubersim.description.base import JointDescription, Light, SensorDescription, Solid
from ubersim.description.commanded import CommandedComponent
from ubersim.description.fields import number
from ubersim.description.motors import ActuatorDescription
from ubersim.description.registry import registry
from ubersim.protocol.properties import (
    CAMERA_PROPERTIES,
    CLIENT_PROPERTIES,
    JOINT_PROPERTIES,
    MOTOR_PROPERTIES,
    NUMBERS,
    OWN_NUMBERS,
    SOLID_PROPERTIES,
    TABLE,
)

PACKAGE = Path(ubersim.__file__).parent
FAMILIES = {
    JointDescription: JOINT_PROPERTIES,
    SensorDescription: CAMERA_PROPERTIES,
    ActuatorDescription: MOTOR_PROPERTIES,
    Solid: SOLID_PROPERTIES,
    Light: SOLID_PROPERTIES,
}
TAKES_A_NUMBER = {"set", "get", "check", "refusal", "value", "command", "native_number"}


def test_the_numbers_that_clients_count_on() -> None:
    order = ["LoStop", "HiStop", "Vel", "FMax", "FudgeFactor", "Bounce"]
    order += ["CFM", "StopERP", "StopCFM", "SuspensionERP", "SuspensionCFM"]
    assert [JOINT_PROPERTIES[name] for name in order] == list(range(11))
    assert [JOINT_PROPERTIES[name + "2"] for name in order] == list(range(0x100, 0x10B))
    assert [JOINT_PROPERTIES[name + "3"] for name in order] == list(range(0x200, 0x20B))
    assert len(JOINT_PROPERTIES) == 33
    assert (CAMERA_PROPERTIES["Frequency"], CAMERA_PROPERTIES["Latency"], CAMERA_PROPERTIES["Noise"]) == (0, 1, 2)
    assert (CAMERA_PROPERTIES["Fov"], CAMERA_PROPERTIES["Brightness"], CLIENT_PROPERTIES["Latency"]) == (16, 17, 0)


def test_a_name_means_one_number_and_a_holder_has_no_number_twice() -> None:
    of_components = [entry for entry in TABLE if entry.of != "client"]
    assert len({entry.name for entry in of_components}) == len(of_components)
    for numbers in (CAMERA_PROPERTIES, JOINT_PROPERTIES, MOTOR_PROPERTIES, SOLID_PROPERTIES):
        assert len(set(numbers.values())) == len(numbers)
    assert not set(OWN_NUMBERS) & {entry.number for entry in TABLE}
    assert not set(OWN_NUMBERS) & set(NUMBERS.values())


@pytest.mark.parametrize("tag", sorted(registry().components))
def test_components_have_what_the_table_gives_their_family(tag: str) -> None:
    cls = registry().components[tag]
    if not issubclass(cls, CommandedComponent):
        return
    table = next(table for family, table in FAMILIES.items() if issubclass(cls, family))
    assert cls.properties().items() <= table.items()
    for entry in cls.entries():
        assert entry.tag == "Color" or list(entry.numbers)[:1] in (
            [],
            [entry.tag],
        )  # documents and commands say the same


def literal_numbers(text: str) -> list[int]:
    """Lines where a property's number is written out: as a field's index, in a call that takes one, as an axis's."""
    found, lines = [], text.encode().splitlines()  # columns are counted in bytes
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            taken = {"command": 1}.get(method, 0 if method in TAKES_A_NUMBER else None)
            candidates = [keyword.value for keyword in node.keywords if keyword.arg == "index"]
            candidates += [] if taken is None else node.args[taken : taken + 1]
            found += [part.lineno for part in candidates if isinstance(part, ast.Constant) and type(part.value) is int]
        elif isinstance(node, ast.Constant) and type(node.value) is int and node.value in JOINT_PROPERTIES.values():
            found += [node.lineno] if lines[node.lineno - 1][node.col_offset :].startswith(b"0x") else []
    return found


def test_no_other_module_has_a_number() -> None:
    wrong = {
        str(path.relative_to(PACKAGE)): lines
        for path in PACKAGE.rglob("*.py")
        if path.name != "properties.py" or path.parent.name != "protocol"
        if (lines := literal_numbers(path.read_text(encoding="utf-8")))
    }
    assert not wrong


def test_a_field_cannot_have_a_number_of_the_table() -> None:
    with pytest.raises(ValueError, match=r"has a number from 64 to 255, not 38; those of the table are named"):
        number("speed", low=0, high=1, index=38)
    number("grip", low=0, high=1, index=64)
