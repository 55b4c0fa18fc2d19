"""`import ubersim` offers what people use, and imports it when it is used."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import ubersim

TEXT = Path(ubersim.__file__).read_text()


def test_what_checkers_see_is_what_there_is() -> None:
    """The imports for type checkers, the table of homes and `__all__` name the same."""
    (guarded,) = (node for node in ast.parse(TEXT).body if isinstance(node, ast.If) and isinstance(node.test, ast.Name))
    seen = {
        alias.name: node.module
        for node in ast.walk(guarded)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(seen) == set(ubersim._HOME_OF) == set(ubersim.__all__)
    for name, module in seen.items():
        assert module is not None and getattr(ubersim, name) is getattr(__import__(module, fromlist=[name]), name)


def test_what_packages_export_has_an_entry_in_the_reference() -> None:
    """`make docs` refuses a name without one, but takes a whole build to find it."""
    root = Path(__file__).parents[1]
    script = runpy.run_path(str(root / "scripts" / "check-reference"))
    pages = (page.read_text(encoding="utf-8") for page in (root / "docs" / "api").glob("*.md"))
    there = {name for page in pages for name in re.findall(r"^::: (\S+)$", page, re.MULTILINE)}
    exported = {name for package in script["PACKAGES"] for name in script["exported"](package)}
    assert exported and sorted(exported - there) == []


def test_every_name_is_there_in_a_new_process() -> None:
    program = (
        "import ubersim\n"
        "for name in ubersim.__all__:\n"
        "    assert name in dir(ubersim) and getattr(ubersim, name), name\n"
        "    exec(f'from ubersim import {name}')"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_all_of_them_at_once() -> None:
    names: dict[str, object] = {}
    exec("from ubersim import *", names)
    assert set(ubersim.__all__) <= set(names)


@pytest.mark.parametrize("name", ["Simulator", "_private"])
def test_other_names_are_not_there(name: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'ubersim' has no attribute '{name}'"):
        getattr(ubersim, name)


def test_the_import_itself_loads_nothing() -> None:
    program = "import sys; before = set(sys.modules); import ubersim; sys.exit(len(set(sys.modules) - before) - 1)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_a_client_needs_no_physics() -> None:
    program = (
        "import sys, ubersim; ubersim.connect; sys.exit('ubersim.physics' in sys.modules or 'lxml' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
