"""The pytest plugin in real runs of pytest, passing and failing; in a process of its own where it matters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.documents import ball, body, robot
from ubersim.description import shipped
from ubersim.recording import Log, replay

pytest_plugins = ["pytester"]

BALL = robot(body(ball("b")), settings="<CSettings><Name>Ball</Name><Spawn>{}</Spawn></CSettings>").format(
    "<Position><x>0</x><y>0</y><z>5</z></Position>"
)
HEAD = f"""
import pytest

BALL = {BALL!r}
"""


ALONE = ("--disable-plugin-autoload", "-p", "ubersim.testing.plugin")
"""Our plugin by its name: found by itself, with all others, it starts slowly (`test_failing` does so)."""


def failures(pytester: pytest.Pytester) -> list[Path]:
    return sorted((pytester.path / "ubersim-failures").glob("*"))


def test_nothing_is_imported_before_a_test_asks() -> None:
    code = "import sys, ubersim.testing.plugin; print([m for m in ('numpy', 'lxml', 'matplotlib') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_passing(pytester: pytest.Pytester) -> None:
    """A ball that falls 4.9 m needs sqrt(2 h / g) = 0.9995 s; seen every 10 ms, it goes up at 1.00 or 1.01 s."""
    pytester.makepyfile(
        HEAD
        + """
def test_falls(simulation):
    trial = simulation()
    trial.spawn(BALL)
    calls = []
    trial.every(0.1, lambda: calls.append(trial.time))
    trial.assert_no_contact("Ball")
    assert trial.run_until(lambda: trial.see("Ball").velocity[2] > 0, timeout=2.0) == pytest.approx(1.0, abs=0.0101)
    assert calls == pytest.approx([0.1 * n for n in range(len(calls))]) and len(calls) in (10, 11)
    trial.run(6.0)  # it bounces for a while
    trial.assert_contact("Ball")

def test_pose(simulation):
    trial = simulation(step=0.002)
    trial.spawn(BALL)
    trial.teleport("Ball", (1.0, 2.0, 3.0), heading_degrees=30.0)
    trial.assert_pose("Ball", (1.0, 2.0, 3.0), within=1e-9, heading=30.0, within_degrees=1e-6)
    trial.assert_tilt("Ball", below=1e-3)
    trial.push("Ball", (2.0, 0.0, 0.0), seconds=0.1)
    trial.step(50)
    assert trial.time == pytest.approx(0.1)
    assert trial.see("Ball").velocity[0] == pytest.approx(0.2)
    trial.hold(lambda: trial.see("Ball").position[2] > 2.0, seconds=0.2)
"""
    )
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=2)
    assert not failures(pytester)


def test_failing(pytester: pytest.Pytester) -> None:
    """The message has the last second, the report names what is saved, and the log replays."""
    pytester.makepyfile(
        HEAD
        + """
def test_hovers(simulation):
    trial = simulation()
    trial.spawn(BALL)
    trial.run(0.5)
    trial.assert_pose("Ball", (0, 0, 5), within=0.1)

def test_lands(simulation):
    trial = simulation()
    trial.spawn(BALL)
    trial.run(0.1)
    trial.assert_contact("Ball")

def never():
    return False

def test_waits(simulation):
    trial = simulation()
    trial.spawn(BALL)
    trial.run_until(never, timeout=0.25)

def test_holds(simulation):
    trial = simulation()
    trial.spawn(BALL)
    trial.spawn(BALL, name="Other", position=(3, 0, 5))
    trial.hold(lambda: trial.see("Ball").position[2] > 4.9, seconds=1.0)
"""
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=4)
    out = result.stdout.str()
    assert "Ball/B is 1.2262 m away from (0, 0, 5), farther than 0.1 m, at 0.500 s" in out  # g t^2 / 2
    assert "0.500      0.0000      0.0000      3.7738      0.0000      0.0000      4.9050" in out
    assert "Ball/B and World do not touch, at 0.100 s" in out
    assert "(# they touched; Ball/B touched nothing besides)" in out
    assert "trial.py:" not in out  # failures are shown where the test says what it wants
    assert "never was not true within 0.25 s" in out
    assert "the condition was true for 0.15 s of 1 s" in out
    assert "Other/B over the last second" not in out  # nobody has asked about it
    folders = failures(pytester)
    assert [folder.name for folder in folders] == [
        f"test_failing.py-test_{name}" for name in ("holds", "hovers", "lands", "waits")
    ]
    for folder in folders:
        assert f"saved in {folder}" in out
        assert {path.name for path in folder.iterdir()} == {"run.mcap", "motion.png", "end.png"}
        assert all(path.read_bytes().startswith(b"\x89PNG") for path in folder.glob("*.png"))
        with Log(folder / "run.mcap") as log:
            assert replay(log) is None


def test_latencies_and_seeds(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        HEAD
        + """
@pytest.mark.ubersim(latency=[20, 2.5], seed=range(2))
def test_all(simulation):
    trial = simulation()
    robot = trial.spawn(BALL)
    print("ran with", robot.commands.latency.minimum, trial.simulation.seed)

@pytest.mark.ubersim(colour=[1])
def test_wrong(simulation): pass
"""
    )
    result = pytester.runpytest_inprocess("--collect-only")
    assert "latency=[...] and seed=[...]" in result.stdout.str() + result.stderr.str()
    file = pytester.path / "test_latencies_and_seeds.py"
    file.write_text(file.read_text().replace("colour", "seed"))
    result = pytester.runpytest_inprocess("-rP", "-k", "all")
    result.assert_outcomes(passed=4, deselected=1)
    ran = [line for line in result.outlines if line.startswith("ran with")]
    assert sorted(ran) == sorted(f"ran with {latency} {seed}" for latency in (20.0, 2.5) for seed in (0, 1))
    result.stdout.fnmatch_lines_random(["*test_all?latency=2.5ms-seed=1?*"])
    result = pytester.runpytest_inprocess("-rP", "-k", "all", "--ubersim-latency", "7,8", "--ubersim-seed", "5")
    ran = [line for line in result.outlines if line.startswith("ran with")]
    assert sorted(ran) == ["ran with 7.0 5", "ran with 8.0 5"]


PROGRAM = """
import sys
from ubersim.client import connect

with connect({document!r}, port=int(sys.argv[1])) as robot:
    print("here I am", flush=True)
    for frame in robot:
        if frame.time > float(sys.argv[2]):
            sys.exit("that is enough")
"""


def test_programs(pytester: pytest.Pytester) -> None:
    """A program that ends with an error, one that never comes, and one that is fine."""
    pytester.makepyfile(program=PROGRAM.format(document=BALL), lost="print('where is it?')")
    pytester.makepyfile(
        """
def test_fine(ubersim_server):
    trial = ubersim_server(["program.py", "{port}", "99"], step=0.01)
    trial.run(0.5)
    trial.assert_pose("Ball", (0, 0, None))
    assert trial.time == 0.5

def test_dies(ubersim_server):
    trial = ubersim_server(["program.py", "{port}", "0.2"], step=0.01)
    trial.run(1.0)

def test_lost(ubersim_server):
    ubersim_server(["lost.py"])
"""
    )
    result = pytester.runpytest_subprocess(*ALONE)
    result.assert_outcomes(passed=1, failed=2)
    out = result.stdout.str()
    assert "ended with exit code 1" in out
    reports = out.partition("short test summary")[0]  # which says it once more where CI is set
    assert reports.count("that is enough") == 1
    assert "brought no robot" in out
    assert "where is it?" in out
    dies, _ = failures(pytester)
    assert (dies / "program-1.txt").read_text() == "here I am\nthat is enough\n"
    assert "plot: motion.png   (tilt, height, way and speed of Ball/B)" in out  # also when it has left
    with Log(dies / "run.mcap") as log:
        assert replay(log) is None


@pytest.mark.parametrize(("latency", "outcome"), [(20, {"passed": 2}), (200, {"failed": 2})])
def test_example_project(pytester: pytest.Pytester, latency: int, outcome: dict[str, int]) -> None:
    """As a user would have it: it passes as it is, and with ten times the latency fails, with the pictures."""
    project = shipped("robots/segway.xml").parent.parent / "examples" / "ci_project"
    for name in ("tumbler.xml", "balance.py", "test_balance.py"):
        (pytester.path / name).write_text((project / name).read_text())
    options = [] if latency == 20 else ["--ubersim-latency", str(latency)]
    result = pytester.runpytest_subprocess(*ALONE, *options)
    result.assert_outcomes(**outcome)
    for folder in failures(pytester):
        names = {path.name for path in folder.iterdir()}
        assert names == {"run.mcap", "motion.png", "readings.png", "Tumbler-Eye.png", "end.png", "program-1.txt"}
    assert bool(failures(pytester)) == (latency == 200)


def test_example_control_kit(pytester: pytest.Pytester) -> None:
    """One controller for simulator, log and robot, in one process and in three."""
    project = shipped("robots/segway.xml").parent.parent / "examples" / "control_kit"
    for path in project.iterdir():
        if path.is_file():
            (pytester.path / path.name).write_text(path.read_text())
    pytester.runpytest_subprocess(*ALONE).assert_outcomes(passed=7)


def test_example_to_copy(pytester: pytest.Pytester) -> None:
    example = shipped("robots/segway.xml").parent.parent / "examples" / "test_my_robot.py"
    pytester.runpytest_subprocess(example).assert_outcomes(passed=4)
