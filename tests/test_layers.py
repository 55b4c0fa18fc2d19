"""The house keeps its order: imports point one way, each native library has one door, and `import ubersim` is light."""

from __future__ import annotations

import ast
import itertools
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import ubersim
from tests.helpers.paths import ROOT

PACKAGE = Path(ubersim.__file__).parent
CLIENTS = ROOT / "clients"

FLOORS: list[set[str]] = [
    {"errors", "version"},
    {"geometry", "plotting", "png", "files", "picture_files"},
    {"timing"},
    {"protocol"},
    {"transport"},
    {"description"},
    {"physics", "render"},
    {"components"},
    {"importers"},
    {"simulation"},
    {"supervision"},
    {"recording"},
    {"client", "control", "signals"},
    {"server"},
    {"viewer"},
    {
        "testing",
        "demos",
        "comparison",
        "identification",
        "sweeps",
        "filming",
        "learning",
        "league",
        "conformance",
        "driving",
    },
    {"cli"},
]
"""From the ground up; a room imports from its own floor and from those below."""

ALLOWED = {
    "client": {"errors", "geometry", "png", "files", "picture_files", "timing", "protocol", "transport", "description",
               "importers"},
    "viewer": {"errors", "geometry", "png", "timing", "protocol", "transport", "description", "render", "simulation",
               "recording", "client"},
    "control": {"errors", "geometry", "files", "timing", "protocol", "transport", "description", "components",
                "simulation", "recording", "client"},
}  # fmt: skip
"""Rooms that have to do with less than their floor would let them."""

DOORS = {
    "moderngl": {"render._gl"},
    "_kernel": {"physics._ode"},
    "lxml": {"description", "importers"},
    "trimesh": {"description.mesh_library", "importers.collision"},
    "coacd": {"importers.convex"},
    "mujoco": {"importers"},
    "yourdfpy": {"importers.urdf"},
    "matplotlib": {"plotting"},
    "viser": {"viewer"},
    "mcap": {"recording"},
    "lz4": {"picture_files", "recording"},
    "zstandard": {"recording"},
    "foxglove": {"recording"},
    "typer": {"cli"},
    "PIL": {"demos.pictures", "picture_files", "render.annotations", "render.textures", "viewer"},
    "ruamel": {"description.materials_file", "league.yaml_file", "sweeps.plan_file"},
    "gymnasium": {"learning"},
    "pettingzoo": {"learning.parallel"},
    "onnxruntime": {"learning.policies"},
    "stable_baselines3": {"learning.policies"},
    "rosbags": {"signals.ros_bag"},
    "scipy": {"identification", "sweeps.parameters"},
    "pyarrow": {"sweeps.table"},
    "cma": {"sweeps.tune"},
    "av": {"filming.mp4"},
    "distributed": {"sweeps.executors"},
    "websockets": {"transport.web_gateway", "viewer"},
    "cffi": {"physics.kernel.build"},
    "rich": {"cli", "demos", "viewer.page"},
    "pytest": {"testing.plugin"},
}
"""Who may import what is native or heavy."""

EVERYWHERE = {"numpy"}
"""What every room may import."""


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its name; a package stands for its `__init__`, the top for the empty name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = ast.parse(path.read_text())
    return found


def imports(tree: ast.Module) -> Iterator[str]:
    """Everything that a module imports, at once, later, or for type checkers only."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module and not node.level, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            yield from (str(name.value) for name in node.args if isinstance(name, ast.Constant))


@cache
def own_imports(name: str) -> frozenset[str]:
    """The modules of the package that one of them imports; `from package import name` counts as where the name is."""
    found = set()
    for imported in imports(modules()[name]):
        if imported == "ubersim" or imported.startswith("ubersim."):
            inner = imported.removeprefix("ubersim").removeprefix(".")
            found.add(inner if inner in modules() else inner.rpartition(".")[0])
    return frozenset(found - {name})


def floor(module: str) -> int:
    room = module.split(".")[0]
    return next(place for place, rooms in enumerate(FLOORS) if room in rooms)


def test_every_room_is_known() -> None:
    rooms = {name.split(".")[0] for name in modules()} - {""}
    assert rooms == set().union(*FLOORS)


def test_the_picture_shows_every_room_on_its_floor() -> None:
    shown = re.findall(r'y="(\d+)"><tspan class="room">(\w+)<', (ROOT / "docs" / "images" / "rooms.svg").read_text())
    assert sorted(room for _, room in shown) == sorted(set().union(*FLOORS))
    heights = [sorted(int(y) for y, room in shown if room in rooms) for rooms in FLOORS]
    assert all(above[-1] < below[0] for below, above in itertools.pairwise(heights))


def test_few_modules_stand_at_the_top() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 8


def test_files_are_short() -> None:
    """A file of more than 400 lines wants to be two, whatever language it is in."""
    languages = {".py", ".c", ".h", ".hpp", ".js", ".css", ".glsl"}
    others = (ROOT / name for name in ("tests", "examples", "benchmarks", "scripts"))
    sources = [path for top in (PACKAGE, CLIENTS, *others) for path in top.rglob("*") if path.suffix in languages]
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in sources}
    assert len(lengths) > 1000
    assert not {name: length for name, length in lengths.items() if length > 400}


def test_imports_point_one_way() -> None:
    wrong = [
        f"{name} imports {imported}"
        for name in modules()
        for imported in own_imports(name)
        if name and imported and floor(imported) > floor(name)
    ]
    assert not wrong


def test_some_rooms_do_with_less() -> None:
    wrong = [
        f"{name} imports {imported}"
        for name in modules()
        for imported in own_imports(name)
        if (room := name.split(".")[0]) in ALLOWED and imported and imported.split(".")[0] not in ALLOWED[room] | {room}
    ]
    assert not wrong


def test_nobody_imports_the_insides_of_the_server() -> None:
    wrong = [
        f"{name} imports {imported}"
        for name in modules()
        for imported in own_imports(name)
        if imported.startswith("server.") and not name.startswith("server")
    ]
    assert not wrong


def test_there_is_no_cycle() -> None:
    graph = {name: own_imports(name) & set(modules()) for name in modules() if name}  # the kernel is no module of ours
    settled: set[str] = set()
    while ready := {name for name, others in graph.items() if name not in settled and others - {""} <= settled}:
        settled |= ready
    assert not set(graph) - settled, "these import each other, or what does"


def test_nothing_inside_imports_the_front_door() -> None:
    """It offers names of all rooms: whatever imports it depends on them all."""
    assert not [name for name in modules() if name and "" in own_imports(name)]


def test_no_class_name_exists_twice() -> None:
    where: dict[str, list[str]] = {}
    for name, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                where.setdefault(node.name, []).append(name)
    assert not {cls: names for cls, names in where.items() if len(names) > 1}


def test_every_library_is_known() -> None:
    """One that nobody has thought about is as heavy as any."""
    known = sys.stdlib_module_names | EVERYWHERE | set(DOORS) | {"ubersim"}
    tops = {name: {imported.split(".")[0] for imported in imports(tree)} for name, tree in modules().items()}
    assert not {name: unknown for name, imported in tops.items() if (unknown := imported - known)}


def test_each_native_or_heavy_library_has_its_door() -> None:
    wrong = []
    for name, tree in modules().items():
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
        ("ubersim.client", "ubersim.physics"),
        ("ubersim.cli", "numpy"),
        ("ubersim.simulation", "moderngl"),
        ("ubersim.simulation", "matplotlib"),
    ],
)
def test_imports_are_light(module: str, heavy: str) -> None:
    program = f"import sys, {module}; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0, f"{module} pulls in {heavy}"
