"""The integrated equations of motion, against what has to hold of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.helpers import closed_forms as forms
from tests.helpers import integrals


def test_a_body_that_spins_about_a_principal_axis_goes_on() -> None:
    turned = integrals.free_rotation(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 2.0]), 1.0)
    assert turned[:, 0] == pytest.approx([math.cos(2.0), math.sin(2.0), 0.0], abs=1e-9)


def test_a_free_body_keeps_its_momentum() -> None:
    moments, rates = np.array([1.0, 2.0, 2.8]), np.array([0.1, 5.0, 0.1])
    # The momentum's direction in the body's axes is where the world's, which stays, is seen from the body.
    before, after = (integrals.free_rotation(moments, rates, time) for time in (3.0, 3.0 + 1e-5))
    spin = (after - before) / 1e-5 @ before.T  # the rates in world axes, as a skew matrix
    angular = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    momentum = before @ np.diag(moments) @ before.T @ angular
    assert momentum == pytest.approx(moments * rates, abs=1e-3)


def test_a_double_pendulum_begins_as_lagrange_says() -> None:
    first, second = integrals.double_pendulum(1.0, 0.01, 0.5, 0.01)
    # At rest: [I + ma^2 + 4ma^2, 2ma^2; 2ma^2, I + ma^2] a = mg [3a, a].
    accelerations = np.linalg.solve([[1.26, 0.5], [0.5, 0.26]], [1.5 * forms.GRAVITY, 0.5 * forms.GRAVITY])
    assert [first, second] == pytest.approx(0.5 * accelerations * 0.01**2, rel=1e-3)


def test_a_dragged_rod_begins_as_its_closed_form() -> None:
    lost = integrals.dragged_rod(0.5, 0.0, math.pi / 3, 0.8, 1e-4)
    assert lost / 1e-4 == pytest.approx(forms.dragged_rod_acceleration(math.pi / 3, 0.8), rel=1e-4)
