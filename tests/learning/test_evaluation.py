"""What a policy is worth: combinations, intervals, files, and what is said when something is wrong."""

from __future__ import annotations

import csv
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.command_line import ubersim
from tests.helpers.onnx_file import write_linear_policy
from ubersim.errors import UberSimError
from ubersim.learning.evaluation import Evaluation, evaluate
from ubersim.learning.policies import _algorithm, load_policy

SEGWAY = "UberSim/SegwayBalance-v0"
PROGRAM = """
import numpy as np
from ubersim.control.balancer import BALANCE
from ubersim.errors import UberSimError

class Balance:
    def reset(self):
        self.speed = 0.0

    def __call__(self, seen):
        self.speed += (3.0 * (BALANCE - seen[0]) - 0.6 * seen[2]) * 0.08
        return np.clip([self.speed], -1, 1)

def stand_still(seen):
    return [0.0]

def fail(seen):
    return 1 / 0

def refuse(seen):
    raise UberSimError("not like this")

answer = 42
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    file = tmp_path / "my_policy.py"
    file.write_text(PROGRAM)
    return str(file)


def test_every_combination_with_the_same_seeds(program: str) -> None:
    told: list[Evaluation] = []
    policy = load_policy(f"{program}:Balance")
    found = evaluate(
        policy, SEGWAY, think=[0.0, 500.0], latency=[None, 0.0], episodes=3, progress=told.append, seconds=3.0
    )
    assert [(one.think, one.latency) for one in found] == [(0.0, None), (0.0, 0.0), (500.0, None), (500.0, 0.0)]
    assert told == found
    assert found[0].success_rate == 1.0 and found[2].success_rate == 0.0
    assert found[0].lengths == (3.0,) * 3 and max(found[2].lengths) < 3.0
    assert all(one.inference > 0 for one in found)
    again = evaluate(policy, SEGWAY, think=[0.0], episodes=3, seconds=3.0)
    assert again[0].returns == found[0].returns
    measured = evaluate(policy, SEGWAY, think=["measured"], episodes=1, seconds=0.2)
    assert measured[0].think == "measured"


def test_intervals() -> None:
    def rate(good: int, episodes: int) -> Evaluation:
        outcome = tuple(number < good for number in range(episodes))
        return Evaluation(0.0, None, tuple(map(float, outcome)), outcome, (1.0,) * episodes, 0.0)

    # Wilson's intervals, as tables have them.
    assert rate(10, 20).success_interval == pytest.approx((0.2993, 0.7007), abs=1e-4)
    assert rate(0, 20).success_interval == pytest.approx((0.0, 0.1611), abs=1e-4)
    assert rate(20, 20).success_interval == pytest.approx((0.8389, 1.0), abs=1e-4)
    low, high = rate(10, 20).return_interval
    assert low == pytest.approx(0.3, abs=0.03) and high == pytest.approx(0.7, abs=0.03)
    assert rate(10, 20).return_interval == (low, high)


def test_an_onnx_file(tmp_path: Path) -> None:
    weights, offset = np.array([[-3.0], [0.0], [0.1], [0.5], [0.2]], np.float32), np.array([0.25], np.float32)
    write_linear_policy(tmp_path / "net.onnx", weights, offset)
    policy = load_policy(str(tmp_path / "net.onnx"))
    seen = np.array([0.1, 0.02, -1.0, 0.3, -0.2], np.float32)
    assert policy(seen) == pytest.approx(np.tanh(seen @ weights + offset))
    assert evaluate(policy, SEGWAY, episodes=1, seconds=0.2)[0].returns[0] > 0
    with pytest.raises(UberSimError, match=r"net.onnx takes \[1, 5\], not an observation of \(1, 3\)"):
        policy(np.zeros(3))
    (tmp_path / "bad.onnx").write_bytes(b"no network")
    with pytest.raises(UberSimError, match="cannot be read as ONNX"):
        load_policy(str(tmp_path / "bad.onnx"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", "a policy is module:name"),
        ("missing.onnx", "no policy file 'missing.onnx'"),
        ("missing.py:f", "no file 'missing.py'"),
        ("no_such_module:f", "'no_such_module' cannot be imported"),
        ("math:no_such_function", "'math' has no function 'no_such_function'"),
    ],
)
def test_what_is_no_policy(name: str, message: str) -> None:
    with pytest.raises(UberSimError, match=message):
        load_policy(name)


def test_what_goes_wrong_is_named(program: str, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import no_such_thing")
    (tmp_path / "torn.zip").write_bytes(b"PK")
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as archive:
        archive.writestr("data", "{}")
    for name, message in [
        (f"{program}:answer", "no function 'answer'"),
        (f"{tmp_path / 'broken.py'}:f", "fails when it is imported"),
        (str(tmp_path / "torn.zip"), "is no model of stable-baselines3"),
        (str(tmp_path / "model.zip"), "needs stable-baselines3, which is not installed here"),
    ]:
        with pytest.raises(UberSimError, match=message):
            load_policy(name)
    options: list[tuple[Any, dict[str, Any], str]] = [
        (load_policy(f"{program}:fail"), {}, "policy raises in the episode of seed 0: ZeroDivisionError"),
        (lambda seen: [0.0, 0.0], {}, r"shape \(2,\) came where \(1,\)"),
        (lambda seen: [np.nan], {}, "nan"),
        (load_policy(f"{program}:refuse"), {}, "^not like this$"),
        (lambda seen: [0.0], {"episodes": 0}, "at least one episode"),
        (lambda seen: [0.0], {"colour": "red"}, "cannot be made with these options"),
        (lambda seen: [0.0], {"think": [-5.0]}, "cannot be made with these options"),
    ]
    for policy, more, message in options:
        with pytest.raises(UberSimError, match=message):
            evaluate(policy, SEGWAY, **({"episodes": 1} | more))
    with pytest.raises(UberSimError, match="UberSim/SegwayFly-v0"):
        evaluate(lambda seen: [0.0], "UberSim/SegwayFly-v0")


def test_the_command_line(program: str, tmp_path: Path) -> None:
    command = ["evaluate", f"{program}:Balance", "--env", SEGWAY]
    command += ["--think", "0,measured", "--latency", "own,40", "--episodes", "1", "--out", str(tmp_path / "out")]
    done = ubersim(*command)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("100%") >= 2
    with (tmp_path / "out" / "evaluation.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["think_ms"], row["latency_ms"]) for row in rows] == [
        ("0", "own"), ("0", "40"), ("measured", "own"), ("measured", "40"),
    ]  # fmt: skip
    assert float(rows[0]["success"]) == 1.0 and float(rows[0]["return"]) > 400
    assert (tmp_path / "out" / "evaluation.png").read_bytes().startswith(b"\x89PNG")
    wrong = ubersim(*command[:-6], "--think", "long")
    assert (wrong.returncode, wrong.stdout) == (
        1,
        "",
    ) and wrong.stderr == "--think takes milliseconds from 0 to 60000 with commas, not 'long'\n"


@pytest.mark.parametrize(
    ("setting", "algorithm"),
    [
        ("clip_range", "PPO"),
        ("target_entropy", "SAC"),
        ("policy_delay", "TD3"),
        ("exploration_rate", "DQN"),
        ("", "A2C"),
    ],
)
def test_a_model_tells_its_algorithm_by_its_settings(setting: str, algorithm: str) -> None:
    assert _algorithm({setting: 1, "gamma": 0.9}) == algorithm
