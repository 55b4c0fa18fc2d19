"""Set-up is done once: what it writes itself does not ask for it again."""

from __future__ import annotations

import subprocess

from tests.helpers.paths import ROOT


def test_what_python_compiles_is_nothing_that_the_kernel_is_built_of() -> None:
    """`make setup` compiles all modules in the end, those in the kernel's folder, too."""
    asked = ["make", "--dry-run", "--print-data-base", "setup"]
    told = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    (native,) = [line for line in told.splitlines() if line.startswith("NATIVE :=")]
    assert "ubersim/physics/kernel/lane.c" in native and "ubersim/physics/kernel/build.py" in native
    assert "__pycache__" not in native
