"""Pictures of a simulation for notebooks, and the notebook that comes along: it runs, and what it claims holds."""

from __future__ import annotations

import base64
import io
import math
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from PIL import Image

from tests.helpers.paths import ROOT
from tests.helpers.robots import segway
from ubersim.errors import UberSimError
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


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({"width": 0}, "1 to 4096 pixels wide and high, not 0 x 480"),
        ({"height": -1}, "1 to 4096 pixels wide and high, not 640 x -1"),
        ({"width": 4097}, "not 4097 x 480"),
        ({"elevation": math.inf}, "numbers of degrees, not 33.0 and inf"),
    ],
)
def test_what_is_no_picture(how: dict[str, Any], reason: str) -> None:
    with Simulation() as simulation, pytest.raises(UberSimError, match=reason):
        simulation.show(**how)


def test_the_notebook_runs_in_a_kernel(tmp_path: Path) -> None:
    """As Jupyter runs it, cell by cell in a process of its own; what cells show are pictures."""
    notebook: Any = nbformat.read(ROOT / "examples" / "notebook.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(cells) >= 5 and not any(cell.outputs for cell in cells)  # it is stored without what it showed
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell in cells:
        png = [output.data["image/png"] for output in cell.outputs if "image/png" in output.get("data", {})]
        last = cell.source.splitlines()[-1]
        assert len(png) == last.startswith(("simulation.show(", "plt.show(")), cell.source
        for data in png:
            with Image.open(io.BytesIO(base64.b64decode(data))) as image:
                assert np.ptp(np.asarray(image.convert("L"))) > 50
    printed = next(output.text for cell in cells for output in cell.outputs if output.output_type == "stream")
    assert printed.startswith("pitch after 0.5 s:")
