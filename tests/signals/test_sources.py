"""CSV files and our own logs as signals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.helpers.recording_robots import record
from ubersim.errors import UberSimError
from ubersim.recording import Log
from ubersim.recording.tables import export
from ubersim.signals import open_signals


def test_a_csv_file(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("time,u,y,y.stamp\n0.2,,5,0.1\n0.1,1,,\n0.3,nan,6,0.2\n0.4,,broken\n")
    source = open_signals(path)
    assert source.topics() == ["u", "y"]
    assert source.signal("u").times.tolist() == [0.1]
    y = source.signal("y")
    assert y.values.tolist() == [5, 6] and y.stamps is not None and y.stamps.tolist() == [0.1, 0.2]
    with pytest.raises(UberSimError, match=r"there is no 'z' in .*; there are u, y"):
        source.signal("z")


def test_what_is_no_text_is_not_printed(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    for start in (b"\x89PNG\r\n\x1a\n", b"\x1b[2J\x01,y\n1,2\n"):
        path.write_bytes(start + bytes(range(256)))
        with pytest.raises(UberSimError, match=r"log\.csv is no CSV file: its first line is no text$"):
            open_signals(path)


def test_folders_without_anything_to_read(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(UberSimError, match=r"is a folder with neither a ROS bag \(metadata\.yaml\) nor CSV files"):
        open_signals(tmp_path)


@pytest.mark.parametrize(("text", "said"), [("a,b\n1,2\n", "has no column `time`"), ("time,y\n1,\n", "no samples")])
def test_files_that_say_nothing(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(UberSimError, match=said):
        open_signals(path).signal("y")


def test_our_log_and_what_is_exported_from_it(tmp_path: Path) -> None:
    record(tmp_path / "run.mcap", tmp_path, 1000)
    source = open_signals(tmp_path / "run.mcap")
    tilt = source.signal("/One/Tilt")
    assert tilt.stamps is not None and np.allclose(tilt.times - tilt.stamps, 0.003)
    with Log(tmp_path / "run.mcap") as log:
        export(log, tmp_path / "csv")
    exported = open_signals(tmp_path / "csv")
    assert np.array_equal(exported.signal("/One/Tilt").values, tilt.values)
    height = exported.signal("/One/Chassis/pose.z")
    assert np.array_equal(height.values, source.signal("/One/Chassis/pose.z").values)
    for either in (source, exported):
        with pytest.raises(UberSimError, match=r"has several columns: say /One/Chassis/pose\.x or \.y"):
            either.signal("/One/Chassis/pose")
    assert "/One/Tilt" in source.topics()


def test_what_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(UberSimError, match="no such file"):
        open_signals(tmp_path / "none.csv")
    (tmp_path / "torn.mcap").write_bytes(b"no log")
    with pytest.raises(UberSimError, match=r"torn\.mcap is no ROS bag"):
        open_signals(tmp_path / "torn.mcap").signal("/x")
    (tmp_path / "bag").mkdir()
    (tmp_path / "bag" / "x.db3").touch()
    with pytest.raises(UberSimError, match="is no ROS bag"):
        open_signals(tmp_path / "bag" / "x.db3").topics()
    (tmp_path / "text.txt").write_text("x")
    with pytest.raises(UberSimError, match="is neither a log"):
        open_signals(tmp_path / "text.txt")
