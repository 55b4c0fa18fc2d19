"""Without an extra, what needs it says in one line what to install."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.paths import ROOT
from tests.helpers.recording_robots import record
from tests.importers.test_urdf import imported
from tests.test_layers import imports, modules
from ubersim.demos.pictures import save_gif
from ubersim.description import read_robot
from ubersim.description.mesh_library import load_meshes
from ubersim.errors import DescriptionError, UberSimError
from ubersim.filming.mp4 import write_mp4
from ubersim.identification.distribution import _cdf
from ubersim.importers import import_robot
from ubersim.importers.convex import decomposed
from ubersim.learning.policies import OnnxPolicy
from ubersim.picture_files import encode_picture
from ubersim.render.annotations import annotated
from ubersim.render.textures import pixels
from ubersim.signals.ros_bag import RosBag
from ubersim.sweeps.executors import workplace
from ubersim.sweeps.parameters import _hypercube
from ubersim.sweeps.table import as_parquet
from ubersim.sweeps.tune import _strategy

WITHOUT = (
    "import sys; sys.modules[{missing!r}] = None\nfrom ubersim.cli import main\nsys.argv[1:] = {arguments!r}\nmain()"
)
SEGWAY = str(ROOT / "robots" / "segway.xml")
CASES = [
    ("viser", ["serve", "--view", "--port", "0", "--frames", "1"], "ubersim[view]"),
    ("websockets", ["serve", "--web-port", "0", "--port", "0", "--frames", "1"], "ubersim[web]"),
    ("foxglove", ["serve", "--record", "new.mcap", "--port", "0", "--frames", "1"], "ubersim[log]"),
    ("mcap", ["info", "run.mcap"], "ubersim[log]"),
    ("moderngl", ["show", SEGWAY, "-o", "segway.png"], "ubersim[camera]"),
    ("av", ["film", "run.mcap"], "ubersim[film]"),
    ("av", ["render", "run.mcap", "--mp4", "run.mp4"], "ubersim[film]"),
    ("av", ["match", "msl", "--frames", "1", "--record", "new.mcap", "--film", "new.mp4"], "ubersim[film]"),
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
    assert done.stdout == ""  # nothing was started that has to be ended at once
    assert not (tmp_path / "pictures").exists()  # nor drawn


def test_every_extra_for_users_is_in_the_table_of_the_documentation() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for_developers = {"dev", "bench", "wheel", "docs"}
    rows = re.findall(r"^\| (`.+?`) \|", (ROOT / "docs" / "index.md").read_text(), re.MULTILINE)
    assert {name for row in rows for name in re.findall("`(.+?)`", row)} == extras.keys() - for_developers


LZ4 = "<Compression>lz4</Compression>"
NOTHING = np.zeros((1, 1, 4), np.uint8)
NEEDED: list[tuple[str, Callable[[Path], object], str]] = [
    ("PIL", lambda _: encode_picture(NOTHING, "png"), "camera"),
    ("lz4", lambda _: encode_picture(NOTHING, "lz4"), "camera"),
    ("PIL", lambda _: pixels(""), "camera"),
    ("PIL", lambda _: annotated(NOTHING[..., :3], []), "camera"),
    ("PIL", lambda folder: save_gif([NOTHING], folder / "a.gif", rate=1), "film"),
    ("av", lambda folder: write_mp4([], folder / "a.mp4", rate=1), "film"),
    ("scipy.special", lambda _: _cdf(np.zeros(1)), "identify"),
    ("rosbags.highlevel", lambda folder: RosBag(folder).topics(), "identify"),
    ("scipy.stats", lambda _: _hypercube(1, 1, 0), "sweep"),
    ("cma", lambda _: _strategy(1, 0), "sweep"),
    ("distributed", lambda _: workplace("dask://nowhere:1").__enter__(), "dask"),
    ("onnxruntime", lambda folder: OnnxPolicy(folder / "a.onnx"), "learn"),
    ("coacd", lambda _: decomposed(np.zeros((0, 3)), np.zeros((0, 3), np.int64), 1), "import"),
    ("trimesh", lambda folder: load_meshes(folder / "a.glb"), "import"),
    ("mujoco", lambda folder: import_robot(_file(folder / "a.xml", "<mujoco/>")), "import"),
    ("yourdfpy", lambda folder: imported(folder, ""), "import"),
]


def _file(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize(("missing", "use", "extra"), NEEDED, ids=[f"{one[0]}-{one[2]}" for one in NEEDED])
def test_a_function_that_needs_it_says_so(
    missing: str, use: Callable[[Path], object], extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises((UberSimError, ValueError), match=rf"pip install 'ubersim\[{extra}\]'"):
        use(tmp_path)


@pytest.mark.parametrize(
    ("missing", "module"),
    [
        ("gymnasium", "learning"),
        ("foxglove", "recording.scene"),
        ("foxglove", "recording.program_topics"),
        ("websockets.http11", "transport.web_gateway"),
    ],
)
def test_a_module_that_needs_it_says_so(missing: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec(f"ubersim.{module}")
    assert found is not None and found.origin is not None
    spec = importlib.util.spec_from_file_location(f"ubersim.{module}", found.origin)
    assert spec is not None and spec.loader is not None
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(UberSimError, match=r"pip install 'ubersim\["):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def test_identify_brings_what_logs_need() -> None:
    """Our logs are one of its sources, and are looked for in whatever file it is given."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert "ubersim[log]" in extras["identify"]


def test_without_pyarrow_rows_are_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = _file(tmp_path / "runs.csv", "digest,reason\n")
    monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    assert as_parquet(rows) == rows


def test_a_camera_that_compresses_without_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lz4", None)
    with pytest.raises(DescriptionError, match=r"Compression.*pictures in LZ4 need lz4"):
        read_robot((ROOT / "robots" / "segway.xml").read_text().replace("</CameraSensor>", LZ4 + "</CameraSensor>"))


NAMES = {"PIL": "pillow", "foxglove": "foxglove-sdk", "ruamel": "ruamel.yaml"}
"""What is installed by another name than it is imported by."""
EXTRAS_OF_ROOMS = {
    "filming": "film", "identification": "identify", "importers": "import", "learning": "learn", "plotting": "plot",
    "picture_files": "camera", "recording": "log", "render": "camera", "signals": "identify", "sweeps": "sweep",
    "transport": "web", "viewer": "view", "description.mesh_library": "import", "demos.pictures": "film",
    "testing.plugin": "dev",
}  # fmt: skip
"""What has to be installed for a room, or for one of its modules."""
BY_THEMSELVES = {"distributed", "stable_baselines3"}
"""An extra of its own, and what nobody has to install: both are named where they are missed."""


def test_an_extra_brings_all_that_its_rooms_import() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {
        extra: {re.split(r"[^\w.-]", wanted)[0] for wanted in [*project["dependencies"], *listed]}
        for extra, listed in {"": [], **project["optional-dependencies"]}.items()
    }
    for name, tree in modules().items():
        extra = EXTRAS_OF_ROOMS.get(name, EXTRAS_OF_ROOMS.get(name.partition(".")[0], ""))
        used = {imported.split(".")[0] for imported in imports(tree)} - sys.stdlib_module_names - BY_THEMSELVES
        missing = {NAMES.get(library, library) for library in used - {"ubersim"}} - declared[extra]
        assert not missing, f"{name} imports {missing}, which [{extra}] does not install"
