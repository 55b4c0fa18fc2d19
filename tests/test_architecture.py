"""The page about how it is built names files and functions; all of them are there."""

from __future__ import annotations

import fnmatch
import re
from functools import cache

import pytest

from tests.helpers.paths import ROOT

PAGE = re.sub(r"```.*?```", "", (ROOT / "docs" / "architecture.md").read_text(), flags=re.DOTALL)
NAMES = sorted(set(re.findall(r"`([^`]+)`", PAGE)))
FILES = [name for name in NAMES if re.fullmatch(r"[\w*./-]+(/|\.\w+)", name) and ("/" in name or name.endswith(".py"))]
FUNCTIONS = [name for name in NAMES if re.fullmatch(r"[\w.]*[A-Z]\w*\.\w+|[a-z_]+(\.\w+)+", name) and name not in FILES]


@cache
def paths() -> list[str]:
    tops = ("ubersim", "clients", "docs", "tests", "benchmarks")
    return [f"/{path.relative_to(ROOT)}" for top in tops for path in (ROOT / top).rglob("*")]


@cache
def modules() -> dict[str, str]:
    """The text of every module by its file; a package stands for its `__init__`."""
    return {str(path.relative_to(ROOT)): path.read_text() for path in (ROOT / "ubersim").rglob("*.py")}


def has(owner: str, name: str) -> bool:
    """Whether a class defines a name, or one of its bases does; or a module has it, if only by importing it."""
    ways = rf"\b(def|class) {name}\b|\b{name}(: .*)? = |^ +{name}: |\bself\.{name} |\bimport .*\b{name}\b|^    {name},$"
    defines = re.compile(ways, re.MULTILINE)
    for path, text in modules().items():
        if (found := re.search(rf"^class {owner}\b(.*):$", text, re.MULTILINE)) is not None:
            body = re.split(r"^(?=class|@)", text[found.end() :], flags=re.MULTILINE)[0]
            return bool(defines.search(body)) or any(has(base, name) for base in re.findall(r"\w+", found[1]))
        if path.endswith((f"/{owner}.py", f"/{owner}/__init__.py")) and defines.search(text):
            return True
    return False


@pytest.mark.parametrize("name", FILES)
def test_files_are_there(name: str) -> None:
    assert fnmatch.filter(paths(), f"*/{name.strip('/')}")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_there(name: str) -> None:
    *_, owner, last = name.split(".")
    owner = {"robot": "Robot"}.get(owner, owner)
    is_module = bool(fnmatch.filter(paths(), f"*/{owner}/{last}") + fnmatch.filter(paths(), f"*/{owner}/{last}.py"))
    is_group = f'[project.entry-points."{name}"]' in (ROOT / "pyproject.toml").read_text()
    assert has(owner, last) or is_module or is_group
