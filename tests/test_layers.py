"""The house keeps its order: imports point one way, each native library has one door, and `import ubersim` is light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ubersim

PACKAGE = Path(ubersim.__file__).parent

LAYERS = [
    {"errors", "patience"},
    {"pose", "reach"},
    {"latency"},
    {"lockstep", "protocol"},
    {"description"},
    {"render"},
    {"world"},
    {"solids", "joints", "sensors", "motors", "motion"},
    {"eyes", "robot", "spawning", "snapshot"},
    {"simulation"},
    {"server"},
    {"album", "duet", "tracks"},
    {"closing", "plot"},
    {"stories"},
    {"demo"},
    {"cli"},
]
"""From the ground up; a module may import from its own layer and from those below."""

DOORS = {
    "moderngl": {"render._gl"},
    "_kernel": {"world._ode"},
    "lxml": {"description"},
    "matplotlib": {"plot", "testing.plot"},
}
"""Who may import what is native or heavy."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), ast.parse(path.read_text())


def imports(tree: ast.Module) -> Iterator[str]:
    """What a module imports when it runs; what only type checkers see does not count."""
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer(module: str) -> int | None:
    head = module.split(".")[0]
    return next((place for place, names in enumerate(LAYERS) if head in names), None)


def test_imports_point_one_way() -> None:
    wrong = []
    for name, tree in modules():
        for imported in imports(tree):
            if not imported.startswith("ubersim."):
                continue
            here, there = layer(name), layer(imported.removeprefix("ubersim."))
            if here is not None and there is not None and there > here:
                wrong.append(f"{name} imports {imported}")
    assert not wrong


def test_each_native_library_has_one_door() -> None:
    wrong = []
    for name, tree in modules():
        for imported in imports(tree):
            for library, doors in DOORS.items():
                if library in imported.split(".") and not any(name == d or name.startswith(f"{d}.") for d in doors):
                    wrong.append(f"{name} imports {imported}")
    assert not wrong


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("ubersim", "numpy"),
        ("ubersim.client", "lxml"),
        ("ubersim.client", "ubersim.world"),
        ("ubersim.cli", "numpy"),
        ("ubersim.simulation", "moderngl"),
        ("ubersim.simulation", "matplotlib"),
    ],
)
def test_imports_are_light(module: str, heavy: str) -> None:
    program = f"import sys, {module}; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0, f"{module} pulls in {heavy}"
