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


def test_a_ladder_at_45_degrees_needs_half() -> None:
    assert forms.ladder_friction(math.pi / 4) == pytest.approx(0.5)
    assert forms.ladder_friction(math.pi / 2) == pytest.approx(0.0)
    # Moments about the foot: the wall pushes at the top, the weight acts in the middle.
    angle, length, radius = 1.0, 2.0, 0.1
    wall = forms.ladder_friction(angle, length, radius) * forms.GRAVITY
    moment = wall * (length * math.sin(angle) + radius) - forms.GRAVITY * length / 2 * math.cos(angle)
    assert moment == pytest.approx(0.0)


def test_a_low_car_accelerates_by_its_share_on_the_rear_wheels() -> None:
    assert forms.rear_drive_acceleration(0.5, 0.3, 0.4, 0.0) == pytest.approx(0.5 * forms.GRAVITY * 0.75)
    # Moments about the front wheels: rear * base = weight * front + mass * acceleration * height.
    acceleration = forms.rear_drive_acceleration(0.5, 0.3, 0.4, 0.2)
    assert acceleration / 0.5 * 0.4 == pytest.approx(forms.GRAVITY * 0.3 + acceleration * 0.2)


def test_a_cube_tips_where_friction_is_one() -> None:
    assert forms.tipping_friction(0.3, 0.3) == 1.0
    assert forms.tipping_friction(0.1, 0.3) < 0.5


def test_a_rod_is_dragged_as_the_normal_force_allows() -> None:
    assert forms.dragged_rod_acceleration(math.pi / 2, 0.3) == pytest.approx(0.3 * forms.GRAVITY)  # stands on its end
    assert forms.dragged_rod_acceleration(math.pi / 3, 0.8) == pytest.approx(11.04, abs=0.005)


def test_a_board_without_balls_slides_as_a_box() -> None:
    board, _ = forms.board_with_balls(150.0, 10.0, 0, 1.0, 0.4)
    assert board == pytest.approx(15 - 0.4 * forms.GRAVITY)
    board, rolling = forms.board_with_balls(150.0, 10.0, 25, 1.0, 0.4)
    assert 10 * board + 25 * rolling == pytest.approx(150 - 0.4 * 35 * forms.GRAVITY)  # momentum
    assert rolling == pytest.approx(board * 2 / 7)  # a ball that rolls on what moves


def test_bounces_with_spin_keep_the_momentum_about_the_point_of_contact() -> None:
    for friction in (0.05, 0.1, 1.0):
        along, spin = forms.oblique_bounce(2.0, -3.0, -10.0, 0.1, 0.5, friction)
        assert along + 0.4 * 0.1 * spin == pytest.approx(2.0 - 0.4 * 0.1 * 10.0)
    assert along == pytest.approx(0.1 * spin)  # with enough friction it rolls off
    assert forms.oblique_bounce(2.0, -3.0, 20.0, 0.1, 0.5, 1.0) == (2.0, 20.0)  # it rolled before
    assert forms.oblique_bounce(2.0, -3.0, 0.0, 0.1, 0.5, 0.0) == (2.0, 0.0)


def test_an_undamped_spring_swings_to_twice_its_rest() -> None:
    period = math.tau / math.sqrt(100.0)
    assert forms.damped_oscillation(1.0, 100.0, 0.0, 0.0) == 0.0
    assert forms.damped_oscillation(1.0, 100.0, 0.0, period / 2) == pytest.approx(-2 * forms.GRAVITY / 100)
    assert forms.damped_oscillation(1.0, 100.0, 5.0, 100.0) == pytest.approx(-forms.GRAVITY / 100)
