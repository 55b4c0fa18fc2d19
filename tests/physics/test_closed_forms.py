"""The closed forms themselves, against cases that anybody can check and against one another."""

import math

import pytest

from tests.helpers import closed_forms as forms


def test_a_stone_falls_five_metres_in_the_first_second() -> None:
    assert forms.fallen(1.0) == pytest.approx(4.905)
    assert forms.fallen(2.0) == 4 * forms.fallen(1.0)


def test_bounces_keep_all_half_or_nothing() -> None:
    assert forms.apex_after_bounces(2.0, 1.0, 7) == 2.0
    assert forms.apex_after_bounces(2.0, 0.5, 1) == 0.5
    assert forms.apex_after_bounces(2.0, 0.0, 1) == 0.0
    # Between two bounces a ball rises and falls; an elastic one takes twice the first fall.
    first = forms.bounce_time(1.0, 1.0, 1)
    assert forms.fallen(first) == pytest.approx(1.0)
    assert forms.bounce_time(1.0, 1.0, 3) == pytest.approx(5 * first)


def test_slopes_between_level_and_vertical() -> None:
    assert forms.sliding_acceleration(math.pi / 2, 5.0) == pytest.approx(forms.GRAVITY)
    assert forms.sliding_acceleration(math.atan(0.5), 0.5) == pytest.approx(0.0, abs=1e-12)
    assert forms.sliding_acceleration(0.1, 0.5) == 0.0
    assert forms.rolling_acceleration(0.2, 0.0) == pytest.approx(forms.GRAVITY * math.sin(0.2))
    # The two regimes meet where friction just suffices: tan(slope) = 3.5 mu.
    slope = math.atan(3.5 * 0.2)
    assert forms.sliding_acceleration(slope, 0.2) == pytest.approx(forms.GRAVITY * math.sin(slope) * 5 / 7)


def test_stopping_agrees_with_energy() -> None:
    deceleration = forms.rolling_deceleration(0.1, 0.002)
    # Rolling friction does the work force * distance, force = rolling friction / radius * weight; a ball has 0.7 m v^2.
    distance = forms.stopping_distance(2.0, deceleration)
    assert 0.002 / 0.1 * forms.GRAVITY * distance == pytest.approx(0.7 * 2.0**2)


def test_a_thrown_ball_keeps_its_momentum_about_the_ground() -> None:
    speed = forms.rolling_speed_after_sliding(7.0)
    assert speed + 0.4 * speed == pytest.approx(7.0)


@pytest.mark.parametrize("amplitude", [0.01, 1.0, 2.5, 3.1])
def test_pendulum_period_by_two_ways(amplitude: float) -> None:
    assert forms.pendulum_period(0.7, amplitude) == pytest.approx(
        forms.pendulum_period_by_quadrature(0.7, amplitude), rel=1e-9
    )


def test_small_pendulum_swings_harmonically() -> None:
    assert forms.pendulum_period(1.0, 1e-4) == pytest.approx(2 * math.pi / math.sqrt(forms.GRAVITY), rel=1e-8)


def test_motor_ends_at_the_wanted_speed() -> None:
    assert forms.motor_speed(2.0, 4.0, 3.0, 1.0) == 0.5
    assert forms.motor_speed(2.0, 4.0, 3.0, 100.0) == 3.0


def test_fast_top_precesses_as_the_textbook_says() -> None:
    rate = forms.precession_rate(1.0, 0.2, 1e5, 0.005, 0.0425, 0.3)
    assert rate == pytest.approx(1.0 * forms.GRAVITY * 0.2 / (0.005 * 1e5), rel=1e-4)
