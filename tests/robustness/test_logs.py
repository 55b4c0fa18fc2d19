"""Logs that are not what was written: whatever is done with them, the error says what is wrong."""

from __future__ import annotations

import pytest

from tests.robustness.chance import numbered
from tests.robustness.logs import damaged, read, sound


def test_a_sound_one_is_read() -> None:
    assert read(sound()) == []


@pytest.mark.parametrize("number", range(24))
def test_no_damage_gets_through(number: int) -> None:
    read(damaged(numbered(12, number)))
