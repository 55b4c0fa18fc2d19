"""Free fall and bounces."""

from __future__ import annotations

import pytest

from tests.helpers import closed_forms as forms
from tests.helpers.world_scenes import add_ball, empty_world, ground_world
from ubersim.description.materials import Surface


def fall_error(step: float) -> float:
    world = empty_world(step)
    ball = add_ball(world, (0, 0, 0))
    world.run(round(1 / step))
    return abs(float(-ball.position[2]) - forms.fallen(1.0))


def test_free_fall_is_exact() -> None:
    assert fall_error(0.001) < 1e-11
    assert fall_error(0.01) < 1e-12


def test_falling_speed_is_exact() -> None:
    world = empty_world()
    ball = add_ball(world, (0, 0, 0))
    world.run(1000)
    assert ball.linear_velocity[2] == pytest.approx(-forms.GRAVITY, rel=1e-12)


def apexes(restitution: float, step: float, height: float = 1.0, bounces: int = 2) -> list[float]:
    """Heights of the ball's lowest point at its turning points."""
    world = ground_world(step, Surface(bounce=restitution, bounce_velocity=0.01))
    ball = add_ball(world, (0, 0, 0.1 + height))
    found: list[float] = []
    rising = False
    for _ in range(round(forms.bounce_time(height, restitution, bounces + 1) / step)):
        world.run()
        speed = ball.linear_velocity[2]
        if rising and speed <= 0:
            found.append(float(ball.position[2]) - 0.1)
        rising = bool(speed > 0)
    return found


@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_bounces_rise_as_high_as_restitution_says(restitution: float) -> None:
    for step in (0.001, 0.00025):
        found = apexes(restitution, step)
        wanted = [forms.apex_after_bounces(1.0, restitution, n) for n in (1, 2)]
        # A bounce happens up to a step late, 4.4 m/s * step too deep, and e = 0.5 lifts it by a quarter of that.
        assert found == pytest.approx(wanted, abs=2 * 4.43 * step * (1 - restitution) + 1e-5)


def test_a_dead_ball_stays_down() -> None:
    world = ground_world(surface=Surface(bounce=0.0))
    ball = add_ball(world, (0, 0, 0.3))
    world.run(300)
    heights = []
    for _ in range(500):
        world.run()
        heights.append(float(ball.position[2]))
    # It may arrive up to a step's way too deep, is lifted out within some steps, and then rests.
    assert max(heights) < 0.1 + 1e-4
    assert heights[-1] == pytest.approx(0.1, abs=1e-6)


def test_slow_impacts_do_not_bounce() -> None:
    world = ground_world(surface=Surface(bounce=1.0, bounce_velocity=0.5))
    ball = add_ball(world, (0, 0, 0.1001))
    world.run(1000)
    assert ball.position[2] == pytest.approx(0.1, abs=1e-5)
