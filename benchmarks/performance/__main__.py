"""Measures, and writes results.json and the page: python -m benchmarks.performance [--quick] [--page]."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.performance import page, picture
from benchmarks.performance.measuring import measure

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).with_name("results.json")


def main() -> None:
    """Measures, unless only the page is to be written anew."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="fewer frames and rounds")
    parser.add_argument("--page", action="store_true", help="only the page, from what was measured before")
    arguments = parser.parse_args()
    if not arguments.page:
        rounds, frames = (2, 3_000) if arguments.quick else (5, 20_000)
        results: dict[str, Any] = {"rounds": rounds, "cores": os.cpu_count(), "load": os.getloadavg()[0]}
        with tempfile.TemporaryDirectory() as folder:
            results["figures"] = measure(Path(folder), rounds, frames, lambda text: print(text, flush=True))
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    results = json.loads(RESULTS.read_text())
    (ROOT / "docs" / "performance.md").write_text(page.page(results))
    picture.draw(results["figures"], ROOT / "docs" / "images")


if __name__ == "__main__":
    main()
