"""What a verb loads before it does anything: processor time at every start, and mostly for nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
sys.argv[1:] = {arguments!r}
from ubersim.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end
print("loaded:", *sys.modules)
"""
EXTRAS = {"pydantic", "click", "pandas", "scipy", "matplotlib", "PIL", "moderngl", "av", "viser", "websockets", "mcap"}
EXTRAS |= {"foxglove", "gymnasium", "pettingzoo", "mujoco", "trimesh", "yourdfpy", "dask", "pytest"}
"""What no verb needs to start, be it installed or not."""


def loaded(*arguments: str) -> set[str]:
    """Modules, when the verb has ended."""
    program = PROGRAM.format(arguments=arguments)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.partition("loaded: ")[2].split())


def test_a_server_loads_what_it_serves_with() -> None:
    modules = loaded("serve", "--port", "0", "--clients", "0", "--frames", "0")
    assert "ubersim.server.native_lane" in modules
    assert not modules & (EXTRAS | {"rich", "pygments", "markdown_it", "asyncio", "concurrent"})
    rooms = (
        "client",
        "control",
        "demos",
        "driving",
        "importers",
        "learning",
        "league",
        "recording",
        "sweeps",
        "viewer",
    )
    assert not modules & {f"ubersim.{room}" for room in rooms}
    assert {name for name in modules if name.startswith("ubersim.cli.")} == {
        "ubersim.cli.main",
        "ubersim.cli.app",
        "ubersim.cli.verbs",
        "ubersim.cli.serve",
        "ubersim.cli.serve_options",
        "ubersim.cli.option_groups",
        "ubersim.cli.beside_server",
        "ubersim.cli.server_status",
    }


@pytest.mark.parametrize("arguments", [("--help",), ("serve", "--help"), ("--version",)])
def test_help_loads_nothing_that_works(arguments: tuple[str, ...]) -> None:
    modules = loaded(*arguments)
    assert not modules & (EXTRAS | {"numpy", "lxml", "ruamel", "cffi"})
    rooms = {name.split(".")[1] for name in modules if name.startswith("ubersim.")}
    assert rooms <= {"cli", "errors", "files", "version"}, rooms
