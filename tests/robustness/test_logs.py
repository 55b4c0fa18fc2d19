"""Logs that are not what was written: whatever is done with them, the error says what is wrong."""

from __future__ import annotations

import pytest

from tests.robustness.chance import numbered
from tests.robustness.logs import damaged, read, sound
from ubersim.recording.tables import file_name


def test_a_sound_one_is_read() -> None:
    assert read(sound()) == []


@pytest.mark.parametrize("number", range(24))
def test_no_damage_gets_through(number: int) -> None:
    read(damaged(numbered(12, number)))


def test_topics_of_any_length_have_files_of_their_own() -> None:
    topics = ["/Segway/Tilt", f"/{'x' * 1000}/a", f"/{'x' * 1000}/b", f"/{'.' * 64}/{'.' * 64}", f"/{'é' * 300}/c"]
    files = [file_name(topic) for topic in topics]
    assert files[0] == "Segway.Tilt.csv" and len(set(files)) == len(files)
    assert all(len(file.encode()) <= 255 and "/" not in file for file in files)
