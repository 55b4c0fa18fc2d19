"""Pictures of a simulation for notebooks, and the notebook that comes along: it runs, and what it claims holds."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from tests.helpers.paths import ROOT
from tests.helpers.robots import segway
from ubersim.simulation import Simulation


def test_a_picture_of_now(tmp_path: Path) -> None:
    with Simulation() as simulation:
        simulation.spawn(segway())
        stands = simulation.show(width=160, height=120)
        simulation.step(2000)
        lies = simulation.show(width=160, height=120)
    assert repr(stands) == "<picture of Segway at 0.000 s, 160 x 120>"
    with Image.open(io.BytesIO(stands._repr_png_())) as image:
        assert (np.array(image) == stands.pixels).all()
    assert not np.array_equal(stands.pixels, lies.pixels)
    lies.save(tmp_path / "lies.png")
    assert (tmp_path / "lies.png").read_bytes() == lies._repr_png_()


def test_the_notebook_runs(tmp_path: Path) -> None:
    """All of its cells in one process, one after the other, as a kernel would run them."""
    notebook = json.loads((ROOT / "examples" / "notebook.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 5 and all(not cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code")
    shown = [cell for cell in cells if cell.splitlines()[-1].startswith("simulation.show(")]
    assert len(shown) == 3
    program = "import matplotlib\nmatplotlib.use('Agg')\n" + "\n".join(cells)
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("pitch after 0.5 s:")
