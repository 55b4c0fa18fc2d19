"""Signals at any moment of a recording; `make soak` has two hundred of them."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.robustness.interruptions import interrupt_recording


@pytest.mark.parametrize("seed", range(6))
def test_an_interrupted_recording_is_complete_to_the_last_frame(tmp_path: Path, seed: int) -> None:
    interrupt_recording(tmp_path, Random(seed))
