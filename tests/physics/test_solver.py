"""Where solvers of rigid bodies go astray: rows of touching bodies, dead impacts, friction that shifts its own load."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tests.helpers import closed_forms as forms
from tests.helpers.world_scenes import UNTURNED, add_ball, add_box, box_inertia, empty_world, ground_world
from ubersim.description.materials import Surface
from ubersim.geometry import rotation_about
from ubersim.physics import Body, World

LYING = rotation_about(1, math.pi / 2)
"""The z axis lies along x."""
STOP_LOW, STOP_HIGH, VEL, FMAX, BOUNCE = 0, 1, 2, 3, 5
SURFACES = [Surface(mu=0.5), Surface(mu=0.5, bounce=0.9), Surface(mu=0.8, bounce=0.5, rolling=0.002, spinning=0.002)]


def row_of_balls(world: World, count: int) -> list[Body]:
    """So close that their surfaces are in the same point, to the last bit."""
    return [add_ball(world, (0.5 * place, 0, 0.25), radius=0.25, mass=0.4) for place in range(count)]


def kinetic_energy(world: World, mass: float, moment: float) -> float:
    return float(0.5 * mass * (world.linear_velocities**2).sum() + 0.5 * moment * (world.angular_velocities**2).sum())


@pytest.mark.parametrize("solver", ["auto", "quick"])
@pytest.mark.parametrize("surface", SURFACES)
def test_touching_balls_rest(surface: Surface, solver: str) -> None:
    world = ground_world(surface=surface, solver=solver)
    balls = row_of_balls(world, 6)
    world.run(1000)
    for place, ball in enumerate(balls):
        assert ball.position == pytest.approx((0.5 * place, 0, 0.25), abs=1e-6)
    assert world.failed_solves == 0


@pytest.mark.parametrize("surface", SURFACES)
def test_touching_balls_hit_by_another_share_its_motion(surface: Surface) -> None:
    world = ground_world(surface=surface)
    row_of_balls(world, 6)
    add_ball(world, (-2, 0, 0.25), radius=0.25, mass=0.4).set_state(linear=(3, 0, 0), angular=(0, 12, 0))
    energy, fastest = kinetic_energy(world, 0.4, 0.4 * 0.4 * 0.25**2), 0.0
    for _ in range(1000):
        world.run()
        fastest = max(fastest, float(np.abs(world.linear_velocities).max()))
        assert kinetic_energy(world, 0.4, 0.4 * 0.4 * 0.25**2) < energy * 1.0001
    assert fastest <= 3.0001
    assert world.positions[:, 2].min() > 0.25 - 1e-6
    assert world.positions[:, 2].max() < 0.27  # friction lets the one that bounces back climb a little
    assert world.failed_solves == 0


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_row_without_weight_keeps_momentum_and_gains_no_energy(restitution: float) -> None:
    world = empty_world(surface=Surface(mu=0.5, bounce=restitution), gravity=(0, 0, 0))
    row_of_balls(world, 5)
    add_ball(world, (-1, 0, 0.25), radius=0.25, mass=0.4).set_state(linear=(1, 0, 0))
    world.run(3000)
    energy = kinetic_energy(world, 0.4, 0.4 * 0.4 * 0.25**2) / 0.2
    assert world.linear_velocities[:, 0].sum() == pytest.approx(1.0, abs=1e-9)
    # All at once, by Newton's law for the one that approaches: the row moves as one, and e = 1 loses nothing.
    assert energy == pytest.approx(1 / 6 + 5 / 6 * restitution**2, abs=1e-3)


def rebound(restitution: float, phase: float, step: float = 0.001) -> float:
    """Speed after an impact over the speed before it; `phase` is how much of a step there is left when it happens."""
    world = ground_world(step, Surface(bounce=restitution, bounce_velocity=0.01))
    ball = add_ball(world, (0, 0, 0.3 + phase * 2 * step))
    before = 0.0
    while ball.linear_velocity[2] <= before:
        before = float(ball.linear_velocity[2])
        world.run()
    after = [float(ball.linear_velocity[2])]
    for _ in range(100):
        world.run()
        after.append(float(ball.linear_velocity[2]))
    weight = forms.GRAVITY * step if max(after) > 1e-6 else 0.0  # which has slowed it for a step since the impact
    return (max(after) + weight) / -before


@pytest.mark.parametrize("phase", np.linspace(0, 1, 9))
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_an_impact_has_its_restitution_at_every_phase_of_the_step(restitution: float, phase: float) -> None:
    assert rebound(restitution, phase) == pytest.approx(restitution, abs=1e-5)


def test_what_fell_in_too_deep_comes_out_again() -> None:
    world = ground_world(surface=Surface(bounce=0.0))
    ball = add_ball(world, (0, 0, 0.08))
    world.run(50)
    assert ball.position[2] == pytest.approx(0.1, abs=1e-6)
    assert np.abs(world.linear_velocities).max() < 1e-6


@pytest.mark.parametrize("phase", np.linspace(0, 1, 5))
def test_a_stop_without_bounce_is_dead(phase: float) -> None:
    world = empty_world()
    arm = world.add_body(1, mass=1, inertia=0.1 * np.eye(3), position=(0.5, 0, 0), rotation=UNTURNED)
    hinge = world.add_joint(1, "hinge", arm, None, anchor=(0, 0, 0), axes=[(0, 1, 0)])
    hinge.set(STOP_LOW, -2.0)
    hinge.set(STOP_HIGH, 0.5 + 0.004 * phase)
    rates = []
    for _ in range(1000):
        world.run()
        rates.append(hinge.rate())
    assert max(rates) > 1.0
    assert min(rates) > -1e-6
    assert hinge.position() == pytest.approx(0.5 + 0.004 * phase, abs=1e-6)


def slips(angle: float, friction: float) -> bool:
    """Whether a ladder of 2 m does, that leans against a wall without friction."""
    ground, none = Surface(mu=friction), Surface(mu=0)
    world = World(0.001, surfaces=[[ground, none, ground], [none, none, none], [ground, none, none]])
    world.add_plane(0, 0, (0, 0, 1), 0)
    world.add_plane(0, 1, (1, 0, 0), 0)
    middle = np.array([math.cos(angle) + 0.001, 0, math.sin(angle) + 0.001])
    turned = rotation_about(1, angle - math.pi / 2)
    ladder = world.add_body(1, mass=5, inertia=np.diag([5 / 3, 5 / 3, 1e-3]), position=middle, rotation=turned)
    for end in (-1, 1):
        world.add_sphere(1, ladder, 2, middle + end * turned[:, 2], UNTURNED, 0.001)
    world.add_joint(1, "lmotor", ladder, None, axes=[(0, 1, 0)]).set(FMAX, 1000.0)
    world.run(1500)
    return bool(ladder.position[0] - middle[0] > 0.002)


@pytest.mark.parametrize("degrees", [30, 40, 50, 60, 70])
def test_a_ladder_slips_below_half_the_cotangent(degrees: float) -> None:
    angle = math.radians(degrees)
    limit = 1 / (2 * math.tan(angle))
    assert slips(angle, 0.98 * limit)
    assert not slips(angle, 1.02 * limit)


def pull_away(friction: float, driven: str) -> float:
    """Acceleration of a car whose wheels, without weight, spin: front or rear."""
    world = ground_world(surface=Surface(mu=friction))
    car = world.add_body(1, mass=100, inertia=10 * np.eye(3), position=(0, 0, 0.3), rotation=UNTURNED)
    for x, axle in ((0.5, "front"), (-0.5, "rear")):
        for y in (-0.3, 0.3):
            place = (x, y, 0.15)
            wheel = world.add_body(1, mass=0.01, inertia=1e-5 * np.eye(3), position=place, rotation=UNTURNED)
            world.add_sphere(1, wheel, 0, place, UNTURNED, 0.15)
            hinge = world.add_joint(1, "hinge", wheel, car, anchor=place, axes=[(0, 1, 0)])
            if axle == driven:
                hinge.set(VEL, 1000.0)
                hinge.set(FMAX, 1e4)
    world.run(100)
    before = float(car.linear_velocity[0])
    world.run(200)
    return (float(car.linear_velocity[0]) - before) / 0.2


@pytest.mark.parametrize("friction", [0.3, 0.6, 0.9])
def test_load_shifts_to_the_rear_and_so_does_traction(friction: float) -> None:
    half, height, length = 0.5, 0.3, 1.0
    rear = friction * forms.GRAVITY * half / (length - friction * height)
    front = friction * forms.GRAVITY * half / (length + friction * height)
    assert pull_away(friction, "rear") == pytest.approx(rear, rel=2e-3)
    assert pull_away(friction, "front") == pytest.approx(front, rel=2e-3)


@pytest.mark.parametrize(("friction", "falls"), [(0.49, False), (0.51, True)])
def test_a_sliding_box_tips_when_friction_passes_its_shape(friction: float, falls: bool) -> None:
    world = ground_world(surface=Surface(mu=friction))
    box = add_box(world, (0, 0, 0.4), size=(0.4, 0.4, 0.8), mass=3.0)
    box.set_state(linear=(6, 0, 0))
    leaning = 0.0
    for _ in range(1000):
        world.run()
        leaning = max(leaning, float(box.rotation[0, 2]))
    assert (leaning > 0.01) is falls


def test_a_rod_that_is_pushed_over_digs_in() -> None:
    """Friction presses it into the ground: mu N with N = m g / (1 + 3 cos (cos - mu sin))."""
    step, angle, friction = 0.0001, math.radians(60), 0.8
    for way, sign in ((-1, -1), (1, 1)):
        world = ground_world(step, Surface(mu=friction))
        along = np.array([math.cos(angle), 0, math.sin(angle)])
        middle = 0.5 * along + (0, 0, 0.001 - 1e-8)
        rod = world.add_body(1, mass=1, inertia=np.eye(3) / 12, position=middle, rotation=UNTURNED)
        world.add_sphere(1, rod, 0, middle - 0.5 * along, UNTURNED, 0.001)
        rod.set_state(linear=(3.0 * way, 0, 0))
        world.run(20)
        pressed = forms.GRAVITY / (1 + 3 * math.cos(angle) * (math.cos(angle) + sign * friction * math.sin(angle)))
        assert -way * (rod.linear_velocity[0] - 3.0 * way) / (20 * step) == pytest.approx(friction * pressed, rel=0.01)


@pytest.mark.parametrize("degrees", [0, 17, 45, 70])
def test_a_box_pushed_by_a_motor_starts_where_friction_ends(degrees: float) -> None:
    way = np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), 0])
    for share, wanted in ((0.99, 0.0), (1.01, 0.01), (1.3, 0.3)):
        world = ground_world(surface=Surface(mu=0.5))
        box = add_box(world, (0, 0, 0.05), size=(0.4, 0.4, 0.1), mass=2.0)
        motor = world.add_joint(1, "lmotor", box, None, axes=[way])
        motor.set(VEL, 1.0)
        motor.set(FMAX, share * 0.5 * 2 * forms.GRAVITY)
        world.run(100)
        assert box.linear_velocity @ way == pytest.approx(wanted * 0.5 * forms.GRAVITY * 0.1, abs=1e-5)


def energy_of_bounces(step: float) -> float:
    """Largest error of a ball's energy, relative, within a second of bouncing from 1 m with e = 1."""
    world = ground_world(step, Surface(bounce=1.0, bounce_velocity=0.0))
    ball = add_ball(world, (0, 0, 1.1))
    worst = 0.0
    for _ in range(round(1 / step / 10)):
        world.run(10)
        energy = forms.GRAVITY * (float(ball.position[2]) - 0.1) + 0.5 * float(ball.linear_velocity[2]) ** 2
        worst = max(worst, abs(energy / forms.GRAVITY - 1))
    return worst


@pytest.mark.parametrize("step", [1e-3, 1e-4, 1e-5])
def test_bounces_keep_their_energy_at_any_step(step: float) -> None:
    assert energy_of_bounces(step) < 1e-8


def test_a_springy_contact_is_a_spring_at_any_step() -> None:
    surface = Surface(stiffness=2e4, damping=40.0)
    for step in (1e-3, 1e-4):
        world = ground_world(step, surface)
        ball = add_ball(world, (0, 0, 0.1), mass=2.0)
        world.run(round(3 / step))
        assert 0.1 - ball.position[2] == pytest.approx(2 * forms.GRAVITY / 2e4, rel=1e-3)


def test_a_damped_spring_bounces_alike_at_any_step() -> None:
    """Without weight: e = exp(-damping t / 2 m) over half a period of the spring."""
    mass, stiffness, damping = 2.0, 2e4, 40.0
    decay = damping / (2 * mass)
    swing = math.sqrt(stiffness / mass - decay**2)
    # It leaves when the force ends, a little before the half period is over.
    leaves = math.atan2(2 * decay * swing, decay**2 - swing**2) / swing if decay else math.pi / swing
    wanted = math.exp(-decay * leaves)
    for step, tolerance in ((2e-4, 0.05), (2e-5, 0.01)):
        world = ground_world(step, Surface(stiffness=stiffness, damping=damping), gravity=(0, 0, 0))
        ball = add_ball(world, (0, 0, 0.1), mass=mass)
        ball.set_state(linear=(0, 0, -1))
        world.run(round(0.1 / step))
        assert ball.linear_velocity[2] == pytest.approx(wanted, rel=tolerance)


def drop(solver: str, neighbours: int) -> list[str]:
    """Digests of a tower that falls over, with others a kilometre away."""
    world = ground_world(surface=Surface(mu=0.6, rolling=0.001), solver=solver)
    for number in range(neighbours + 1):
        for place in range(8):
            add_box(world, (1000.0 * number + 0.07 * place, 0, 0.1 + 0.2 * place), owner=number, size=(0.3, 0.3, 0.2))
    digests = []
    for _ in range(200):
        world.run()
        digests.append(world.digest(range(8)))
    return digests


@pytest.mark.parametrize("solver", ["quick", "auto", "exact"])
def test_what_happens_a_kilometre_away_changes_no_bit(solver: str) -> None:
    assert drop(solver, 0) == drop(solver, 2)


@pytest.mark.parametrize("ratio", [5.0, 50.0])
def test_a_heavy_box_rests_on_a_light_one(ratio: float) -> None:
    world = ground_world(surface=Surface(mu=0.6))
    lower = add_box(world, (0, 0, 0.1), mass=1.0)
    upper = add_box(world, (0, 0, 0.3), mass=ratio)
    world.run(2000)
    assert lower.position == pytest.approx((0, 0, 0.1), abs=1e-6)
    assert upper.position == pytest.approx((0, 0, 0.3), abs=1e-6)


def test_a_tower_of_thirty_boxes_stands_still() -> None:
    world = ground_world(surface=Surface(mu=0.6))
    for place in range(30):
        add_box(world, (0.01 * (place % 3), 0, 0.1 + 0.2 * place), owner=0)
    before = world.positions.copy()
    world.run(1000)
    assert world.quick_islands == 0
    assert world.failed_solves == 0
    assert np.abs(world.positions - before).max() < 1e-4


def four_bar(world: World) -> list[Body]:
    """Two cranks and a coupler between two bearings: the last hinge closes a loop."""
    places: list[tuple[float, float, float]] = [(0, 0, 1.5), (0.5, 0, 2), (1, 0, 1.5)]
    sizes = [(0.05, 0.05, 1.0), (1.0, 0.05, 0.05), (0.05, 0.05, 1.0)]
    bars = [
        world.add_body(1, mass=1, inertia=box_inertia(1, size), position=place, rotation=UNTURNED)
        for place, size in zip(places, sizes, strict=True)
    ]
    links: list[tuple[Body, Body | None, tuple[float, float, float]]] = [
        (bars[0], None, (0, 0, 1)),
        (bars[0], bars[1], (0, 0, 2)),
        (bars[1], bars[2], (1, 0, 2)),
        (bars[2], None, (1, 0, 1)),
    ]
    for first, second, anchor in links:
        world.add_joint(1, "hinge", first, second, anchor=anchor, axes=[(0, 1, 0)])
    return bars


def test_a_closed_loop_stays_closed_and_keeps_its_energy() -> None:
    world = empty_world()
    bars = four_bar(world)
    bars[1].set_state(linear=(0.2, 0, 0))
    for crank in (bars[0], bars[2]):
        crank.set_state(linear=(0.1, 0, 0), angular=(0, 0.2, 0))
    heights: Callable[[], float] = lambda: float(world.positions[:, 2].sum())  # noqa: E731
    began = forms.GRAVITY * heights() + 0.5 * float((world.linear_velocities**2).sum())
    for _ in range(3000):
        world.run()
        assert bars[2].position - bars[0].position == pytest.approx((1, 0, 0), abs=2e-4)  # a parallelogram
    spin = sum(
        0.5 * float(bar.angular_velocity @ box_inertia(1, size) @ bar.angular_velocity)
        for bar, size in zip(bars, [(0.05, 0.05, 1.0), (1.0, 0.05, 0.05), (0.05, 0.05, 1.0)], strict=True)
    )
    ended = forms.GRAVITY * heights() + 0.5 * float((world.linear_velocities**2).sum()) + spin
    assert ended == pytest.approx(began, rel=0.01)


def test_balls_that_collide_in_the_air_keep_their_energy() -> None:
    """A cube of balls, each a little beside its place, bounces on the ground and among itself with e = 1."""
    world = ground_world(surface=Surface(mu=0.0, bounce=1.0, bounce_velocity=0.0))
    chance = np.random.default_rng(42)
    for place in np.ndindex(4, 4, 4):
        add_ball(world, 0.21 * np.array(place) + chance.uniform(0, 0.001, 3) + (0, 0, 0.5), mass=2.0)

    def energy() -> float:
        return kinetic_energy(world, 2.0, 0.4 * 2.0 * 0.1**2) + 2.0 * forms.GRAVITY * float(world.positions[:, 2].sum())

    before = energy()
    world.run(2000)
    assert energy() == pytest.approx(before, rel=1e-6)


def test_a_heavy_top_precesses_as_computed() -> None:
    """Steadily: m g l = moment about the axis times spin times precession, for a fast one."""
    world = empty_world()
    spin, moment, arm = 300.0, 0.002, 0.05
    rate = forms.GRAVITY * arm / (moment * spin)
    top = world.add_body(1, mass=1, inertia=np.diag([0.001, 0.001, moment]), position=(arm, 0, 0), rotation=LYING)
    top.set_state(linear=(0, arm * rate, 0), angular=(spin, 0, rate))
    world.add_joint(1, "ball", top, None, anchor=(0, 0, 0))
    world.run(1000)
    assert top.position[2] == pytest.approx(0, abs=5e-4)
    azimuth = math.atan2(top.position[1], top.position[0])
    assert math.remainder(azimuth - rate, math.tau) == pytest.approx(0, abs=0.02)
