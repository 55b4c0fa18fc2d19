"""Latency models and the delay queue, on a clock that is nothing but an integer."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ubersim.timing.delay_queue import DelayQueue
from ubersim.timing.latency import NEVER, ORDERS, Constant, LatencyModel, frame_at, frames_in, generator, last_frame_at
from ubersim.timing.normal import Normal
from ubersim.timing.uniform import Uniform

STEP = 0.001


def queue(model: LatencyModel, *, step: float = STEP, seed: int = 1) -> DelayQueue[int]:
    return DelayQueue(model, step, model.generator(seed, "robot", "sensor"))


@pytest.mark.parametrize(
    ("milliseconds", "step", "frames"),
    [
        *[(0, 0.001, 0), (1, 0.001, 1), (20, 0.001, 20), (7.5, 0.001, 8), (1e-4, 0.001, 1), (0.3, 0.0001, 3)],
        *[(7.5, 0.004, 2), (20, 0.004, 5), (0.1, 0.004, 1), (33.3, 1 / 30, 1), (100, 1 / 30, 3)],
    ],
)
def test_durations_round_up_to_whole_frames(milliseconds: float, step: float, frames: int) -> None:
    assert frames_in(milliseconds, step) == frames


@given(st.integers(0, 10**9), st.sampled_from([0.001, 0.004, 0.01, 1 / 30, 1 / 3, 0.0007, 1e-5]))
def test_a_frames_own_time_is_that_frame(frame: int, step: float) -> None:
    assert frame_at(frame * step, step) == frame
    assert frame_at((frame + 0.5) * step, step) == frame + 1
    assert frames_in(frame * (1000.0 * step), step) == frame


@given(st.integers(0, 600_000))
def test_latencies_in_single_precision_are_understood(tenths: int) -> None:
    assert frames_in(float(np.float32(tenths / 10)), 0.0001) == tenths


def test_a_clock_that_adds_up_steps_is_understood() -> None:
    time = 0.0
    for frame in range(20_000):
        assert frame_at(time, STEP) == frame
        time += STEP


def test_instants_between_frames_belong_to_the_next_frame() -> None:
    assert frame_at(5.00001 * STEP, STEP) == 6
    assert frame_at(4.99999 * STEP, STEP) == 5
    assert frame_at(-0.5 * STEP, STEP) == 0
    assert (last_frame_at(5.5 * STEP, STEP), last_frame_at(7 * STEP, STEP)) == (5, 7)


@pytest.mark.parametrize("time", [1e300, 1e308, math.inf])
def test_times_out_of_reach_stay_out_of_reach(time: float) -> None:
    assert frame_at(time, STEP) == NEVER
    assert frame_at(-time, STEP) == -NEVER


def test_each_source_of_chance_has_its_own_generator() -> None:
    def draws(*key: int | str) -> list[float]:
        seed, *names = key
        return list(generator(int(seed), *map(str, names)).random(8))

    assert draws(7, "Segway", "Tilt") == draws(7, "Segway", "Tilt")
    others = [draws(7, "Segway", "Gyro"), draws(8, "Segway", "Tilt"), draws(7, "Segway", "Tilt", "")]
    assert draws(7, "Segway", "Tilt") not in others
    assert draws(7, "ab", "c") != draws(7, "a", "bc")


def test_generators_are_the_same_on_every_machine() -> None:
    assert generator(0, "robot").integers(0, 2**32, 3).tolist() == [3397943203, 2307694570, 3926620648]


def test_a_models_own_seed_goes_before_the_runs() -> None:
    assert Constant(5, seed=3).generator(1, "a").random() == Constant(5).generator(3, "a").random()


def test_constant_is_exact() -> None:
    late = queue(Constant(7.5))
    assert late.push(1, 100) == 108
    assert late.pop_due(107) == []
    assert late.pop_due(108) == [1]
    assert len(late) == 0


def test_uniform_stays_in_its_bounds_and_fills_them() -> None:
    model = Uniform(10, 30)
    rng = generator(0, "x")
    drawn = np.array([model.draw(rng, {}) for _ in range(20_000)])
    assert drawn.min() >= 10 and drawn.max() <= 30
    assert drawn.mean() == pytest.approx(20, abs=0.2)
    assert drawn.std() == pytest.approx(20 / math.sqrt(12), abs=0.1)


def test_normal_has_a_floor() -> None:
    model = Normal(20, 4, min=18)
    rng = generator(0, "x")
    drawn = np.array([model.draw(rng, {}) for _ in range(20_000)])
    assert drawn.min() == 18 == model.minimum
    assert np.mean(drawn == 18) == pytest.approx(0.3085, abs=0.015)  # the normal distribution below -sigma/2
    assert np.median(drawn) == pytest.approx(20, abs=0.2)


@pytest.mark.parametrize("model", [Constant(3.2), Uniform(2.5, 9), Normal(5, 3, min=1.5), Normal(5, 0)])
@pytest.mark.parametrize("order", ORDERS)
def test_nothing_arrives_before_the_models_minimum(model: LatencyModel, order: str) -> None:
    late = queue(LatencyModel.from_dict(model.to_dict() | {"order": order}))
    smallest = min((late.push(0, frame) or 0) - frame for frame in range(3000))
    assert smallest >= late.minimum == frames_in(model.minimum, STEP)


def test_loss_rate() -> None:
    late = queue(Constant(1, loss=0.25))
    lost = sum(late.push(0, frame) is None for frame in range(20_000))
    assert lost / 20_000 == pytest.approx(0.25, abs=0.01)
    assert len(late) == 20_000 - lost


def test_all_or_nothing_lost() -> None:
    everything, nothing = queue(Constant(1, loss=1.0)), queue(Constant(1, loss=0.0))
    assert all(everything.push(0, frame) is None for frame in range(100))
    assert all(nothing.push(0, frame) == frame + 1 for frame in range(100))
    assert everything.next_frame == NEVER


def run(late: DelayQueue[int], frames: range) -> list[tuple[int, int]]:
    seen = []
    for frame in frames:
        late.push(frame, frame)
        seen += [(frame, item) for item in late.pop_due(frame)]
    return seen


def test_kept_order_is_kept_and_broken_order_is_broken() -> None:
    kept = [item for _, item in run(queue(Uniform(0, 20, order="keep")), range(500))]
    broken = [item for _, item in run(queue(Uniform(0, 20, order="break")), range(500))]
    assert kept == sorted(kept)
    assert broken != sorted(broken)
    # Without order each item comes exactly when its own draw says so.
    rng = Uniform(0, 20).generator(1, "robot", "sensor")
    own = {item: item + frames_in(Uniform(0, 20).draw(rng, {}), STEP) for item in range(500)}
    seen = run(queue(Uniform(0, 20, order="break")), range(500))
    assert all(own[item] == frame for frame, item in seen)


def test_ties_come_out_in_the_order_of_pushing() -> None:
    late = queue(Constant(4))
    for item in range(5):
        late.push(item, 10)
    late.change(3)
    late.push(99, 11)
    assert late.pop_due(14) == [0, 1, 2, 3, 4, 99]


def test_a_shorter_latency_overtakes_only_where_order_is_broken() -> None:
    for order, expected in (("keep", [(10, [1, 2])]), ("break", [(3, [2]), (10, [1])])):
        late = queue(LatencyModel.from_dict({"kind": "constant", "value": 10, "order": order}))
        late.push(1, 0)
        late.change(1)
        late.push(2, 2)
        assert [(frame, due) for frame in range(20) if (due := late.pop_due(frame))] == expected


def test_a_number_keeps_loss_and_order() -> None:
    late = queue(Uniform(1, 2, loss=0.5, order="break", seed=4))
    late.change(7)
    assert late.model == Constant(7, loss=0.5, order="break", seed=4)
    assert late.minimum == 7


def test_next_frame_is_that_of_the_earliest_item() -> None:
    late = queue(Uniform(0, 50, order="break"))
    assert late.next_frame == NEVER
    arrivals = [late.push(item, item) for item in range(50)]
    for frame in range(110):
        waiting = [arrival for arrival in arrivals if arrival is not None and arrival >= frame]
        assert late.next_frame == min(waiting, default=NEVER)
        late.pop_due(frame)


MODELS = [
    *[Constant(12), Constant(3, loss=0.3), Uniform(0, 20), Uniform(5, 9, order="break")],
    *[Normal(10, 5, min=2, loss=0.1), Uniform(3, 8, order="drift"), Normal(9, 4, loss=0.2, order="drift")],
]


@pytest.mark.parametrize("model", MODELS)
def test_same_seed_same_draws(model: LatencyModel) -> None:
    assert run(queue(model), range(300)) == run(queue(model), range(300))
    if model != Constant(12):
        assert run(queue(model), range(300)) != run(queue(model, seed=2), range(300))


@pytest.mark.parametrize("model", MODELS)
def test_a_restored_queue_goes_on_exactly(model: LatencyModel) -> None:
    whole, first, second = queue(model), queue(model), queue(Constant(0), seed=77)
    expected = run(whole, range(400))
    seen = run(first, range(200))
    saved = json.dumps(first.state(encode=str))
    second.restore(json.loads(saved), decode=int)
    assert second.next_frame == first.next_frame
    assert seen + run(second, range(200, 400)) == expected


@pytest.mark.parametrize(
    ("kind", "parameters", "reason"),
    [
        (Constant, {"value": -1}, "between 0 and 60000 ms, not -1"),
        (Constant, {"value": math.nan}, "not nan"),
        (Constant, {"value": math.inf}, "not inf"),
        (Constant, {"value": 1, "loss": 1.5}, "loss must be between 0 and 1"),
        (Constant, {"value": 1, "order": "random"}, "order must be keep, break or drift, not"),
        (Uniform, {"min": 3, "max": 2}, "Max 2 is below Min 3"),
        (Normal, {"mean": 3, "sigma": -1}, "sigma"),
    ],
)
def test_senseless_models_are_refused(kind: type[LatencyModel], parameters: dict[str, float], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        kind(**parameters)  # type: ignore[arg-type]


def delivered(model: LatencyModel, frames: range, seed: int = 1) -> NDArray[np.int64]:
    """For how many frames each of the items is under way, of which one is sent in each of these frames."""
    late = queue(model, seed=seed)
    return np.array([(late.push(0, frame) or 0) - frame for frame in frames])


def normal_below(milliseconds: float) -> float:
    return 0.5 * (1 + math.erf(milliseconds / math.sqrt(2)))


_LONG = 100_000
"""Frames in which delays are counted."""

DRIFTING: list[tuple[LatencyModel, Callable[[int], float]]] = [
    # The model, and how likely it is that an item takes no more than so many frames of 1 ms.
    (Uniform(10, 30, order="drift"), lambda frames: min(max((frames - 10) / 20, 0), 1)),
    (Uniform(0, 1.5, order="drift"), lambda frames: min(frames / 1.5, 1) if frames > 0 else 0),
    (Normal(20, 4, order="drift"), lambda frames: normal_below((frames - 20) / 4)),
    (Normal(20, 6, min=18, order="drift"), lambda frames: normal_below((frames - 20) / 6) if frames >= 18 else 0),
]


@pytest.mark.parametrize(("model", "likely"), DRIFTING, ids=lambda value: getattr(value, "kind", ""))
@pytest.mark.parametrize("period", [1, 7, 33])
def test_drifting_delays_have_the_stated_distribution_and_keep_the_order(
    model: LatencyModel, likely: Callable[[int], float], period: int
) -> None:
    frames = range(0, _LONG, period)
    delays = delivered(model, frames)
    assert (np.diff(np.array(frames) + delays) >= 0).all()
    # Nothing had to wait for what was sent before it: without order the same draws arrive in the same frames.
    rng, memory = model.generator(1, "robot", "sensor"), dict[str, Any]()
    own = [frames_in(model.drift(rng, memory, period if n else 0), STEP) for n in range(len(frames))]
    assert delays.tolist() == own
    # They remember for some 40 ms, so that so many of them are as good as independent.
    independent = _LONG / max(period, 80)
    for longest in range(int(delays.min()) - 1, int(delays.max()) + 1):
        share, expected = float(np.mean(delays <= longest)), likely(longest)
        assert share == pytest.approx(expected, abs=4.5 * math.sqrt(expected * (1 - expected) / independent) + 1e-9)


def test_of_kept_order_the_delivered_delays_are_longer_than_stated() -> None:
    """What docs/robot-xml.md says of each order, for 10 to 30 ms at 1 kHz."""
    stated = {"keep": (25.7, 2.6), "break": (20.5, 5.77), "drift": (20.5, 5.77)}
    for order, (mean, sigma) in stated.items():
        delays = delivered(
            LatencyModel.from_dict({"kind": "uniform", "min": 10, "max": 30, "order": order}), range(80_000)
        )
        assert (delays.mean(), delays.std()) == pytest.approx((mean, sigma), abs=0.15)


def test_the_first_of_drifting_delays_is_as_likely_as_any_other() -> None:
    for model, likely in DRIFTING:
        firsts = np.array([delivered(model, range(1), seed)[0] for seed in range(2000)])
        for longest in range(int(firsts.min()) - 1, int(firsts.max()) + 1):
            expected = likely(longest)
            deviation = math.sqrt(expected * (1 - expected) / 2000)
            assert np.mean(firsts <= longest) == pytest.approx(expected, abs=4.5 * deviation + 1e-9)


def test_drifting_delays_after_a_long_silence_and_without_spread() -> None:
    assert set(delivered(Normal(5, 0, order="drift"), range(100)).tolist()) == {5}
    assert set(delivered(Uniform(5, 5, order="drift"), range(100)).tolist()) == {5}
    rare = delivered(Normal(20, 4, order="drift"), range(0, 10**8, 10**5))
    assert (rare.mean(), rare.std()) == pytest.approx((20.5, 4), abs=0.5)


def test_a_model_that_cannot_drift_says_so() -> None:
    @dataclass(frozen=True)
    class Coin(LatencyModel):
        kind: ClassVar[str] = "coin"

        @property
        def minimum(self) -> float:
            return 1.0

        def draw(self, rng: np.random.Generator, memory: dict[str, Any]) -> float:
            return 1.0 + rng.integers(2)

    assert Coin(order="break").order == "break"
    with pytest.raises(ValueError, match="coin cannot drift"):
        Coin(order="drift")


@dataclass(frozen=True)
class Bottomless(LatencyModel):
    """Everything is lost in it, without any probability."""

    kind: ClassVar[str] = "bottomless"
    minimum: ClassVar[float] = 5.0

    def draw(self, rng: np.random.Generator, memory: dict[str, Any]) -> float:
        return math.inf


def test_words_tell_a_drift_where_there_is_one() -> None:
    assert str(Uniform(3, 8, loss=0.1, order="drift")) == "uniform, 3 to 8 ms, loses 10 %, drifts"
    assert str(Constant(4, order="drift")) == "4 ms"


def test_what_takes_for_ever_is_lost() -> None:
    assert queue(Bottomless()).arrival(3) is None


def test_a_constant_that_may_drift_is_constant() -> None:
    lossy = queue(Constant(4, order="drift", loss=0.5))
    arrivals = [lossy.arrival(frame) for frame in range(0, 100, 10)]
    assert {arrival for arrival in arrivals if arrival is not None} <= set(range(4, 100, 10)) and None in arrivals


def test_a_queue_of_plain_items_is_its_own_state() -> None:
    there, back = queue(Constant(4)), queue(Constant(4))
    there.push(7, 1)
    back.restore(json.loads(json.dumps(there.state())))
    assert back.pop_due(5) == [7]
