"""Where things are in the repository."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The repository."""
DATA = ROOT / "tests" / "data"
"""Documents that only tests read."""
