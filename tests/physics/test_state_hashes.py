"""The kernel's fingerprints, against the same arithmetic in Python."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tests.helpers.recording_robots import car, drive
from ubersim.errors import WorldError
from ubersim.physics.state_hashes import StateHashes
from ubersim.recording.block import state_of
from ubersim.simulation import Simulation


def fingerprint(state: np.ndarray) -> int:
    mixed = 0
    for number in state:
        (bits,) = struct.unpack("<Q", struct.pack("<d", number))
        mixed = (mixed ^ bits) * 0x9E3779B97F4A7C15 % 2**64
        mixed ^= mixed >> 32
    return mixed % 2**32


def test_every_body_has_its_word_after_every_step() -> None:
    simulation = Simulation()
    simulation.spawn(car())
    tape, expected = StateHashes(simulation.world, 100), []
    for _ in range(60):
        drive(simulation, 1)
        expected.append([fingerprint(state) for state in state_of(simulation.world)])
    assert tape.take().tolist() == expected
    assert tape.take().shape == (0, 3)
    simulation.step(100)
    assert tape.take().shape == (100, 3)
    tape.stop()
    simulation.step(200)


def test_a_tape_that_is_too_short_says_so() -> None:
    simulation = Simulation()
    simulation.spawn(car())
    tape = StateHashes(simulation.world, 10)
    simulation.step(11)
    with pytest.raises(WorldError, match="room for 30 words, but 33"):
        tape.take()
