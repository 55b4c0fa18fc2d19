"""Logs on the page: the right poses at the right times, who is not there is hidden."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.cameras import ball, camera, sled, weightless
from tests.helpers.live_stage import played
from tests.helpers.page_client import PageClient
from tests.helpers.recording_robots import record
from tests.helpers.robots import cart, segway
from tests.helpers.waiting import until
from ubersim.description import read_world
from ubersim.geometry import matrix_from_quaternion, quaternion_from_matrix
from ubersim.protocol.log_entries import log_entry
from ubersim.protocol.to_json import to_json
from ubersim.recording import Log, Recorder
from ubersim.simulation import Simulation
from ubersim.simulation.scene import scene_of
from ubersim.viewer.log_source import LogSource
from ubersim.viewer.meshes import SceneMeshes, multiplied, rotated
from ubersim.viewer.page import Page
from ubersim.viewer.player import Player


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with cars that come and go."""
    folder = tmp_path_factory.mktemp("run")
    record(folder / "run.mcap", folder)
    return folder / "run.mcap"


def test_a_log_source_has_the_poses_of_the_log(run: Path) -> None:
    with Log(run) as log:
        source = LogSource(log)
        for time in (0.0, 0.29, 0.3, 1.0, 2.5):
            truth, absent = source.at(time)
            instant = log.at(time)
            names = truth.legend["bodies"]
            present = {name for row, name in enumerate(names) if row not in absent}
            assert present == {f"{robot}/{body}" if robot else body for robot, body in instant.states}
            for (robot, body), state in instant.states.items():
                row = names.index(f"{robot}/{body}" if robot else body)
                assert (truth.positions[row] == state[:3]).all()
                assert (truth.quaternions[row] == state[3:7]).all()


def test_frames_between_those_that_were_kept(tmp_path: Path) -> None:
    """A Segway that falls over: against a log that keeps every frame."""
    for name, poses in (("usual", None), ("whole", 1)):
        simulation = Simulation()
        with simulation, Recorder(simulation, tmp_path / f"{name}.mcap", poses=poses):
            simulation.spawn(segway())
            simulation.step(700)
    with Log(tmp_path / "usual.mcap") as some, Log(tmp_path / "whole.mcap") as every:
        farthest = 0.0
        for frame in range(0, 700, 7):
            likely, true = some.between(frame * 0.001), every.at(frame * 0.001)
            assert (likely.frame, likely.time) == (true.frame, true.time)
            for body, state in true.states.items():
                assert likely.states[body][:3] == pytest.approx(state[:3], abs=2e-4)
                assert abs(float(likely.states[body][3:7] @ state[3:7])) > 1 - 1e-6
                farthest = max(farthest, float(np.abs(some.at(true.time).states[body][:3] - state[:3]).max()))
            if frame % 10 == 0:
                assert all((likely.states[body] == state).all() for body, state in true.states.items())
        assert farthest > 1e-3  # so far is the last state that was kept


def test_a_log_source_has_the_readings_of_the_log(tmp_path: Path) -> None:
    """What each sensor had delivered last, stamped or not; of pictures, the last one that was kept."""
    slow = camera("<Width>32</Width><Height>24</Height><Frequency>4</Frequency><Latency>30</Latency>")
    place = "<Position><x>0</x><y>0</y><z>0</z></Position>"
    noisy = "<Frequency>50</Frequency><Stamped>true</Stamped><Noise>0.1</Noise>"
    stamped = f"<GyroSensor name='Gyro'>{place}{noisy}</GyroSensor>"
    simulation = Simulation(weightless(ball("Ball", 0.0, 3.0, 1.0)))
    truly: dict[int, dict[str, NDArray[Any]]] = {}
    with simulation, Recorder(simulation, tmp_path / "run.mcap", images=2):
        robot = simulation.spawn(sled(slow, stamped))
        for _ in range(30):
            simulation.step(100)
            truly[simulation.frame] = {name: np.array(robot.read(name)) for name in robot.sensors}
    with Log(tmp_path / "run.mcap") as log:
        source = LogSource(log)
        for frame, readings in truly.items():
            truth, _ = source.at(frame * log.step, ["Sled/Eye", "Sled/Gyro", "Sled/Nothing"])
            assert (truth.readings["Sled/Gyro"] == readings["Gyro"]).all()
            # Delivered at 0.03 s, 0.28 s, 0.53 s and so on, and the 1st, 3rd, 5th of them kept.
            delivered = [30 + 250 * k for k in range(20) if 30 + 250 * k <= frame]
            assert truth.captured["Sled/Eye"] == pytest.approx((delivered[::2][-1] - 30) * log.step)
            assert truth.readings["Sled/Eye"].shape == (24, 32, 4)
            if len(delivered) % 2:
                assert (truth.readings["Sled/Eye"] == readings["Eye"]).all()
        begin, _ = source.at(0.01, ["Sled/Eye"])
        assert not begin.readings


def test_player_steps_both_ways_and_stops_at_the_ends(run: Path) -> None:
    with Log(run) as log:
        page = Page()
        player = Player(page, LogSource(log))
        player._show()
        assert player._now == 0.0 and "stands still" in player._status.content, "it begins paused"
        ways = {"+1 frame": 0.001, "+0.1 s": 0.101, "−1 frame": 0.1, "−0.1 s": 0.0}
        for button, time in [*ways.items(), ("−0.1 s", 0.0)]:
            player._step(button)
            player._show()
            assert player._now == pytest.approx(time, abs=1e-12)
            assert player._timeline.value == player._now
        player._jump(99.0)
        assert player._now == pytest.approx(2.5)
        player._press("Play ▶")
        assert player._now == 0.0
        player._go(1.2345678)  # some instant while it plays
        player._press("Stop")
        player._show()
        assert player._timeline.value == player._now == pytest.approx(1.234, abs=1e-12), "a whole frame"
        page.stop()


def test_a_time_that_is_typed_is_not_written_over(run: Path) -> None:
    """A number comes digit by digit, while the page shows where the digits before have led."""
    with Log(run) as log:
        page = Page()
        player = Player(page, LogSource(log))
        with PageClient(page.address) as client:
            for time in (1.0, 1.2, 1.23):
                client.set(player._timeline, time)
                until(lambda time=time: player._timeline.value == time)  # type: ignore[misc]
                player._show()
                assert player._timeline.value == time
            until(lambda: page.catch_up() or player._now == 1.23)  # type: ignore[func-returns-value]
            player._show()
            assert player._timeline.value == 1.23 == pytest.approx(player._now, abs=1e-12)
            player._step("+1 frame")
            player._show()
            assert player._timeline.value == player._now == pytest.approx(1.231, abs=1e-12)
        page.stop()


def test_a_step_of_one_frame_is_seen(run: Path) -> None:
    with Log(run) as log:
        page = Page()
        player = Player(page, LogSource(log))
        player._jump(1.0)
        player._show()
        for _ in range(3):
            before = _shown(player)
            player._step("+1 frame")
            player._show()
            assert not np.array_equal(_shown(player), before)
            assert f"frame {round(player._now / 0.001)} " in player._status.content
        page.stop()


def _shown(player: Player) -> NDArray[np.float64]:
    """Where everything is drawn that moves."""
    batches = player.workspace.meshes._batches
    return np.concatenate([np.array(batch.node.batched_positions, float) for batch in batches if batch.moves])


def test_where_it_stands_still_frames_are_as_they_were(tmp_path: Path) -> None:
    """Not as they were likely: a frame between two that were kept."""
    for name, poses in (("usual", None), ("whole", 1)):
        simulation = Simulation()
        with simulation, Recorder(simulation, tmp_path / f"{name}.mcap", poses=poses):
            simulation.spawn(segway())
            simulation.step(600)
    with Log(tmp_path / "usual.mcap") as some, Log(tmp_path / "whole.mcap") as every:
        source = LogSource(some)
        likely, _ = source.at(0.555)
        exact, _ = source.at(0.555, exact=True)
        true, _ = LogSource(every).at(0.555)
        assert (exact.positions == true.positions).all() and (exact.quaternions == true.quaternions).all()
        assert not (likely.positions == true.positions).all()


def test_what_is_picked_while_the_page_stands_still_is_shown(tmp_path: Path) -> None:
    simulation = Simulation(weightless(ball("Ball", 0.0, 3.0, 1.0)))
    with simulation, Recorder(simulation, tmp_path / "run.mcap", images=1):
        simulation.spawn(sled(camera("<Width>32</Width><Height>24</Height>")))
        simulation.step(20)
    with Log(tmp_path / "run.mcap") as log:
        page = Page()
        player = Player(page, LogSource(log))
        player._jump(0.01)
        with played(page, player), PageClient(page.address) as client:
            until(lambda: player._shown == 0.01)
            client.ask("pick", key="Sensors|Sled|Eye")
            until(lambda: _says(player, "captured at"))
            assert player._now == 0.01


def _says(player: Player, words: str) -> bool:
    text = player.inspector.text
    return text is not None and words in text.content


def test_drawings_are_those_of_the_time_it_is_at(tmp_path: Path) -> None:
    """Forwards, backwards, and by jumps; of a robot that has left there are none."""
    simulation = Simulation()
    with simulation, Recorder(simulation, tmp_path / "run.mcap") as recorder:
        stays, leaves = (simulation.spawn(cart(name), position=(x, 0, 1)) for name, x in (("A", 0.0), ("B", 2.0)))
        plan = {"points": [(0, 0, 1)]}
        for frame, robot, content in ((10, stays, plan), (20, leaves, plan), (1900, stays, {})):
            simulation.step(frame - simulation.frame)
            recorder.logged(robot, frame, log_entry("plan", content))
            if robot is leaves:
                simulation.step(1780)
                simulation.remove("B")
        simulation.step(100)
    with Log(tmp_path / "run.mcap") as log:
        page = Page()
        player = Player(page, LogSource(log))
        for time, drawn in ((0.0, ""), (0.015, "A"), (1.75, "AB"), (1.85, "A"), (1.95, ""), (1.7, "AB"), (0.005, "")):
            player._jump(time)
            player._show()
            while player._drawings._waiting:
                player._drawings.draw()
            assert {robot for robot, _ in player._drawings._roots} == {*drawn}, time
        page.stop()


def test_shapes_are_where_their_bodies_carry_them() -> None:
    """The page's own way to compose rotations, against matrices."""
    rng = np.random.default_rng(1)
    turns = rng.normal(size=(2, 5, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    vectors = rng.normal(size=(5, 3))
    for a, b, vector, turned, product in zip(
        *turns, vectors, rotated(turns[0], vectors), multiplied(*turns), strict=True
    ):
        assert turned == pytest.approx(matrix_from_quaternion(a) @ vector)
        both = quaternion_from_matrix(matrix_from_quaternion(a) @ matrix_from_quaternion(b))
        assert abs(float(both @ product)) == pytest.approx(1.0)


def test_all_kinds_of_shapes_are_drawn() -> None:
    page = Page()
    shape = {"body": 0, "position": (0, 0, 1), "rotation": np.eye(3).tolist(), "color": (1, 0, 0), "mesh": None}
    sizes = {"box": (1, 2, 3), "sphere": (0.5,), "capsule": (0.2, 1.0), "cylinder": (0.2, 1.0), "quad": (1, 1)}
    shapes = [shape | {"kind": kind, "size": size} for kind, size in sizes.items()]
    corners, triangles = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
    shapes.append(shape | {"kind": "mesh", "size": (), "mesh": {"vertices": corners, "triangles": triangles}})
    meshes = SceneMeshes(page)
    meshes.build({"shapes": shapes})
    meshes.move(np.array([[1.0, 2.0, 3.0]]), np.array([[np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0]]))  # a quarter about x
    for batch in meshes._batches:
        assert batch.node.batched_positions == pytest.approx(np.array([[1.0, 1.0, 3.0]]), abs=0.01)
    meshes.show(hidden=frozenset({0}))
    assert all((np.asarray(batch.node.batched_scales) == 0).all() for batch in meshes._batches)
    page.stop()


def test_surroundings_without_ground_under_lamps() -> None:
    point = "<PointLight name='P'><Position><x>0</x><y>0</y><z>2</z></Position></PointLight>"
    cone = "<Cone>40</Cone><Direction><x>0</x><y>0</y><z>-1</z></Direction></SpotLight>"
    spot = point.replace("PointLight", "SpotLight").replace("'P'", "'S'").replace("</SpotLight>", cone)
    page = Page()
    for lights, ground, kinds in (("", "<Ground/>", 1), (f"<Lights>{point}{spot}</Lights>", "", 2)):
        with Simulation(read_world(f"<World>{ground}{lights}</World>")) as simulation:
            page.set_surroundings(to_json(scene_of(simulation)))
        assert (page.scene.get_handle_by_name("/ground") is None) == (not ground)
        assert all(page.scene.get_handle_by_name(f"/lights/{number}") is not None for number in range(kinds))
    page.stop()


def test_a_page_is_never_shared() -> None:
    page = Page()
    assert page.request_share_url() is None
    page.stop()
