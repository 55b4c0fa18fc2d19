"""Files that have signals, told apart by what they are."""

from __future__ import annotations

from pathlib import Path

from ubersim.errors import UberSimError
from ubersim.signals.csv_files import CsvFile, CsvFolder
from ubersim.signals.ros_bag import RosBag
from ubersim.signals.source import SignalSource
from ubersim.signals.ubersim_log import UberSimLog


def open_signals(path: Path) -> SignalSource:
    """Our log, a ROS 2 bag (a folder with metadata.yaml, or an .mcap of it), a CSV file, or a folder of these."""
    if not path.exists():
        raise UberSimError(f"cannot read {path}: there is no such file")
    if path.is_dir():
        if (path / "metadata.yaml").exists():
            return RosBag(path)
        if any(path.glob("*.csv")):
            return CsvFolder(path)
        raise UberSimError(f"{path} is a folder with neither a ROS bag (metadata.yaml) nor CSV files")
    if path.suffix == ".csv":
        return CsvFile(path)
    if path.suffix == ".mcap" and UberSimLog.is_one(path):
        return UberSimLog(path)
    if path.suffix in (".mcap", ".db3", ".bag"):
        return RosBag(path)
    raise UberSimError(f"{path} is neither a log (.mcap), nor a ROS bag, nor a CSV file")
