"""Without an extra, what needs it says in one line what to install."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.paths import ROOT
from tests.helpers.recording_robots import record

WITHOUT = (
    "import sys; sys.modules[{missing!r}] = None\nfrom ubersim.cli import main\nsys.argv[1:] = {arguments!r}\nmain()"
)
SEGWAY = str(ROOT / "robots" / "segway.xml")
CASES = [
    ("viser", ["serve", "--view", "--frames", "1"], "ubersim[view]"),
    ("foxglove", ["serve", "--record", "new.mcap", "--port", "0", "--frames", "1"], "ubersim[log]"),
    ("mcap", ["info", "run.mcap"], "ubersim[log]"),
    ("moderngl", ["show", SEGWAY, "-o", "segway.png"], "ubersim[camera]"),
    ("matplotlib", ["plot", "run.mcap", "/One/Chassis/pose"], "ubersim[plot]"),
]


@pytest.mark.parametrize(("missing", "arguments", "extra"), CASES)
def test_a_missing_package_is_named_with_its_extra(
    missing: str, arguments: list[str], extra: str, tmp_path: Path
) -> None:
    record(tmp_path / "run.mcap", tmp_path, frames=900)
    program = WITHOUT.format(missing=missing, arguments=arguments)
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    said = " ".join(done.stderr.split())
    assert done.returncode == 1, said
    assert extra in said
    assert "Traceback" not in said
