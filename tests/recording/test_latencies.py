"""How late things were is in the log: the latencies that held, and when every command and reading began and ended."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from mcap.reader import make_reader
from typer.testing import CliRunner

from tests.helpers.motor_robots import flywheel
from tests.helpers.recording_robots import car
from tests.helpers.serving import Serving
from ubersim import connect
from ubersim.cli.app import app
from ubersim.client.supervisor import supervise
from ubersim.errors import UberSimError
from ubersim.plotting import new_figure, set_title
from ubersim.protocol.document_settings import latency_text
from ubersim.recording import Log, Recorder
from ubersim.recording.event import RecordedEvent
from ubersim.recording.latencies import COMMANDS, changes, delays, first_latencies
from ubersim.recording.latency_plot import plot_latency
from ubersim.recording.replay import replay
from ubersim.recording.tables import collect
from ubersim.simulation import Simulation
from ubersim.supervision import Interventions
from ubersim.supervision.commands.set_latency import SetLatency
from ubersim.timing.latency import Constant, Latency
from ubersim.timing.normal import Normal
from ubersim.timing.uniform import Uniform

UNIFORM = '<Latency model="uniform"><Min>10</Min><Max>30</Max></Latency>'


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("latencies") / "run.mcap"
    with Simulation(seed=3) as simulation:
        robot = simulation.spawn(car(), latency=Normal(20, 4, 5))
        with Recorder(simulation, path):
            for _ in range(150):
                if simulation.frame == 500:
                    robot.command("Client", "Latency", 12.0)
                if simulation.frame == 1000:
                    Interventions(simulation).execute("Latency", {"robot": "Car", "model": UNIFORM})
                    Interventions(simulation).execute(
                        "Latency", {"robot": "Car", "milliseconds": 7.0, "sensor": "Tilt"}
                    )
                robot.command("LMotor", "Vel", 1.0)
                simulation.step(10)
    return path


def test_viewers_find_them_as_topics(run: Path) -> None:
    seen: dict[str, list[list[float | None]]] = {"/Car/latency": [], "/Car/Tilt/latency": []}
    with run.open("rb") as file:
        for _, channel, message in make_reader(file).iter_messages(topics=list(seen)):
            seen[channel.topic].append(json.loads(message.data)["values"])
    assert seen["/Car/latency"][0][:2] == [5.0, 20.0]
    assert seen["/Car/latency"][1:] == [[12.0, 12.0, 12.0, 0.0], [10.0, 20.0, 30.0, 0.0]]
    assert seen["/Car/Tilt/latency"] == [[3.0, 3.0, 3.0, 0.0], [7.0, 7.0, 7.0, 0.0]]


def test_latencies_that_took_effect(run: Path) -> None:
    with Log(run) as log:
        assert replay(log) is None
        assert [str(latency) for latency in first_latencies(log)] == [
            "Car latency normal, 20 ± 4 ms, at least 5 ms",
            "Car/Tilt latency 3 ms",
        ]
        first, second, third = changes(log)
        assert 505 <= first.frame <= 550 and first.model == Constant(12.0)
        assert (second.frame, second.sensor, second.model) == (1000, "Tilt", Constant(7.0))
        assert (third.frame, third.model) == (1002, Uniform(10, 30))
        table = collect(log, ["/Car/latency"])["/Car/latency"]
        assert table.frames.tolist() == [0, first.frame, 1002]
        assert table.values[:, :2].tolist() == [[5.0, 20.0], [12.0, 12.0], [10.0, 20.0]]
        assert collect(log, ["/Car/Tilt/latency.least"])["/Car/Tilt/latency.least"].values.tolist() == [[3.0], [7.0]]


def test_when_commands_were_sent_and_executed(run: Path) -> None:
    with Log(run) as log:
        late = delays(log, "Car")
        executed = collect(log, ["/Car/LMotor/Vel"])["/Car/LMotor/Vel"]
        change = next(changes(log)).frame
    commands, tilt = late[COMMANDS], late["Tilt"]
    assert commands.ended.tolist() == executed.frames.tolist()
    assert commands.begun.tolist() == list(range(0, 10 * len(commands.begun), 10))
    took = commands.ended - commands.begun
    drawn = took[commands.begun < change]
    assert 15 < drawn.mean() < 25 and drawn.min() >= 5 and drawn.std() > 1
    assert set(took[(commands.begun >= change) & (commands.begun < 1002)].tolist()) == {12}
    assert set(took[commands.begun >= 1002].tolist()) <= set(range(10, 31))
    waited = tilt.ended - tilt.begun
    assert set(waited[tilt.begun < 1000].tolist()) == {3}
    assert set(waited[tilt.begun > 1000].tolist()) == {7}


def test_it_is_told_and_drawn(run: Path, tmp_path: Path) -> None:
    def ubersim(*arguments: object) -> str:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        return str(result.exception) if isinstance(result.exception, UberSimError) else result.output

    text = ubersim("info", run)
    assert "1.002 s  Car latency uniform, 10 to 30 ms" in text and "/Car/latency (3)" in text
    picture = tmp_path / "late.svg"
    assert "Tilt: 299, late by" in ubersim("plot", run, "--latency", "Car", "-o", picture)
    drawn = picture.read_text()
    for words in ("command sent", "Tilt captured", "delay [ms]", "share [%]", "then 12 ms, then uniform, 10 to 30 ms"):
        assert f"<!-- {words}" in drawn or words in drawn
    assert "did you mean Car?" in ubersim("plot", run, "--latency", "Cat", "-o", picture)
    assert "give topics, or a robot" in ubersim("plot", run, "-o", picture)


def test_models_over_the_wire(serve: Callable[..., Serving], tmp_path: Path) -> None:
    """A client brings a model, a supervisor another."""
    serving = serve(300, clients=1)
    with (
        supervise(port=serving.port) as world,
        connect(car(), port=serving.port, latency=Uniform(3, 6)) as robot,
    ):
        world.set_latency("Car", Normal(30, 0, 5), frame=100)
        world.set_latency("Car", 4.0, sensor="Tilt", frame=100)
        about = None
        for frame in robot:
            if about is None:
                about = world.scene()["robots"]["Car"]
            robot.set("LMotor", "Vel", 1.0)
            if round(frame.time / 0.001) > 110 and "Tilt" in frame:
                assert round(frame.time / 0.001) % 5 == 4
    assert about is not None and about["latency_words"] == "uniform, 3 to 6 ms"
    assert about["latency_model"]["kind"] == "uniform"


def test_models_are_sent_and_told_without_what_goes_without_saying(tmp_path: Path) -> None:
    assert latency_text(Uniform(10, 30)) == UNIFORM
    assert latency_text(Uniform(10, 30, loss=0.5)) == UNIFORM.replace("<Min>", "<Loss>0.5</Loss><Min>")
    command = SetLatency(robot="Car", model=latency_text(Normal(20, 4, 5)))
    event = RecordedEvent(3, "intervened", label="Latency", arguments=command.arguments())
    model = '<Latency model="normal"><Mean>20</Mean><Sigma>4</Sigma><Min>5</Min></Latency>'
    assert event.described == f"intervened Latency: robot Car, model {model}"


def test_delays_are_the_same_however_far_the_server_runs_ahead(tmp_path: Path) -> None:
    found = []
    for lookahead in (False, True):
        simulation = Simulation()
        path = tmp_path / f"{lookahead}.mcap"
        with Recorder(simulation, path):
            serving = Serving(simulation, 200, clients=1, lookahead=lookahead)
            with connect(car(), port=serving.port, latency=Uniform(3, 9)) as robot:
                for frame in robot:
                    robot.stamp(frame.time + 0.002)
                    robot.set("LMotor", "Vel", 1.0)
                    if round(frame.time / 0.001) == 100:
                        robot.set_latency(15.0)
            serving.result()
        with Log(path) as log:
            late = delays(log, "Car")[COMMANDS]
            found.append((late.begun.tolist(), late.ended.tolist(), [str(change) for change in changes(log)]))
    assert found[0] == found[1]
    begun, ended, changed = found[0]
    assert np.min(np.array(ended) - np.array(begun)) >= 3 and changed == ["Car latency 15 ms"]


def test_a_time_in_which_nothing_was_late_is_named(run: Path, tmp_path: Path) -> None:
    with Log(run) as log, pytest.raises(UberSimError, match="does not say when anything of Car was sent"):
        plot_latency(log, "Car", tmp_path / "no.png", begin=1000.0, end=1001.0)


def test_one_frame_has_an_axis(tmp_path: Path) -> None:
    """What was captured and delivered in the same frame: nothing warns that such a window has no width."""
    with Simulation() as simulation, Recorder(simulation, tmp_path / "run.mcap"):
        simulation.spawn(car()).set_latency(0, "Tilt")
        simulation.step(200)
    with Log(tmp_path / "run.mcap") as log, warnings.catch_warnings():
        warnings.simplefilter("error")
        late = plot_latency(log, "Car", tmp_path / "one.png", begin=0.1, end=0.1)
    assert late["Tilt"].tolist() == [0.0] and (tmp_path / "one.png").exists()


def test_changes_outside_the_time_that_is_asked_for_do_not_stretch_the_axis(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 0.5 s the latency of commands changes, at 1 s that of everything; the window begins after the first."""
    drawn: list[Figure] = []
    monkeypatch.setattr("ubersim.recording.latency_plot.save", lambda figure, picture: drawn.append(figure))
    with Log(run) as log:
        plot_latency(log, "Car", tmp_path / "none.png", begin=0.9, end=1.2)
    axes = drawn[0].axes[1]
    dashed = [line for line in axes.lines if line.get_linestyle() == "--"]
    assert [float(np.asarray(line.get_xdata())[0]) for line in dashed] == pytest.approx([1.0, 1.0], abs=0.01)
    low, high = axes.get_xlim()
    assert 0.8 < low < 0.9 and 1.2 < high < 1.3


def test_arrows_end_within_the_timeline_and_bars_are_whole_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands take half a second, and of 200 readings per second some are left out."""
    with Simulation() as simulation, Recorder(simulation, tmp_path / "run.mcap"):
        robot = simulation.spawn(car(), latency=500)
        for _ in range(300):
            robot.command("LMotor", "Vel", 1.0)
            simulation.step(10)
    drawn: list[Figure] = []
    monkeypatch.setattr("ubersim.recording.latency_plot.save", lambda figure, picture: drawn.append(figure))
    with Log(tmp_path / "run.mcap") as log:
        plot_latency(log, "Car", tmp_path / "none.png")
    timeline, _, histogram = drawn[0].axes
    assert [word.get_text() for word in timeline.get_yticklabels()] == [
        "command sent",
        "executed",
        "Tilt captured (1 of 2)",
        "delivered",
    ]
    low, high = timeline.get_xlim()
    ends = [np.asarray(line.get_xdata()) for line in timeline.lines if len(np.asarray(line.get_xdata())) == 2]
    sent = [begin for begin, end in ends if end - begin > 0.4 and end < high]
    assert len(sent) > 50 and low < min(sent)
    bars = [bar for bar in histogram.patches if isinstance(bar, Rectangle) and bar.get_height() > 0]
    assert [(bar.get_x(), bar.get_width(), bar.get_height()) for bar in bars] == [
        pytest.approx((-0.5 + 9 * 55, 9, 100)),
        pytest.approx((-0.5, 9, 100)),
    ]


def test_what_motors_add_is_in_the_title(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It begins when a command is executed, so it is no part of the delays that are drawn."""
    motor = '<VelocityMotor name="M"><Joint>H</Joint><TorqueLimit>1</TorqueLimit><Latency>30</Latency></VelocityMotor>'
    with Simulation() as simulation, Recorder(simulation, tmp_path / "run.mcap"):
        robot = simulation.spawn(flywheel(motor), latency=10)
        robot.set("M", "Speed", 1.0)
        simulation.step(100)
    drawn: list[Figure] = []
    monkeypatch.setattr("ubersim.recording.latency_plot.save", lambda figure, picture: drawn.append(figure))
    with Log(tmp_path / "run.mcap") as log:
        late = plot_latency(log, robot.name, tmp_path / "none.png")
    assert late[COMMANDS].tolist() == [10.0]
    assert drawn[0].get_suptitle() == f"{robot.name} in ground, latency 10 ms; M acts 30 ms after that"


def test_latencies_of_sensors_whoever_changes_them(tmp_path: Path) -> None:
    """Its program in this process, with a number, a model or the element's text, and a command to the sensor."""
    with Simulation() as simulation, Recorder(simulation, tmp_path / "run.mcap"):
        robot = simulation.spawn(car(), latency=UNIFORM)
        given: list[Latency | str] = [7.0, Uniform(1, 4), UNIFORM]
        for frame, change in enumerate(given, start=1):
            simulation.step(100 * frame - simulation.frame)
            robot.set_latency(change, "Tilt")
        simulation.step(100)
        robot.set("Tilt", "Latency", 2.0)
        simulation.step(100)
        with pytest.raises(UberSimError, match="a number of milliseconds, a model, or its element's text, not '20 ms'"):
            robot.set_latency("20 ms", "Tilt")
    with Log(tmp_path / "run.mcap") as log:
        assert str(first_latencies(log)[0]) == "Car latency uniform, 10 to 30 ms"
        found = [(change.frame, change.sensor, change.model) for change in changes(log)]
    whole = [(100, Constant(7.0)), (200, Uniform(1, 4)), (300, Uniform(10, 30))]
    assert found[:3] == [(frame, "Tilt", model) for frame, model in whole]
    ((frame, *last),) = found[3:]
    assert 410 <= frame <= 430 and last == ["Tilt", Constant(2.0)]


def test_titles_have_as_many_lines_as_they_need() -> None:
    figure = new_figure(4, 3)
    set_title(figure, "Car (latency uniform, 10 to 30 ms), " * 5 + "\nin office")
    lines = figure.get_suptitle().splitlines()
    assert len(lines) > 4 and lines[-1] == "in office" and max(map(len, lines)) <= 44
