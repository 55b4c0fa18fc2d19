"""Measures, and writes results.json and the page: python -m benchmarks.performance [--quick] [--page] [--only TEXT]."""

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
    parser.add_argument("--only", default="", help="figures whose names have this in them; nothing is written")
    arguments = parser.parse_args()
    rounds, frames = (2, 3_000) if arguments.quick else (5, 20_000)
    if arguments.only:
        with tempfile.TemporaryDirectory() as folder:
            found = measure(Path(folder), rounds, frames, lambda text: print(text, flush=True), arguments.only)
        print(*(f"{name}: {figure:.1f}" for name, figure in found.items()), sep="\n")
        return
    if not arguments.page:
        results: dict[str, Any] = {"rounds": rounds, "cores": os.cpu_count(), "load": os.getloadavg()[0]}
        with tempfile.TemporaryDirectory() as folder:
            results["figures"] = measure(Path(folder), rounds, frames, lambda text: print(text, flush=True))
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    results = json.loads(RESULTS.read_text())
    (ROOT / "docs" / "performance.md").write_text(page.page(results))
    picture.draw(results["figures"], ROOT / "docs" / "images")


if __name__ == "__main__":
    main()
