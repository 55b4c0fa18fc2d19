"""Logs on the page, under control or played: parameters are those of then, and nothing can be changed."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.live_stage import played
from tests.helpers.page_client import PageClient
from tests.helpers.robots import cart
from tests.helpers.sensor_stage import sensor
from tests.helpers.waiting import until
from ubersim.client.supervisor import supervise
from ubersim.errors import RefusedError
from ubersim.protocol.inputs import PageKeyboard
from ubersim.recording import Log, Recorder
from ubersim.server import ReplayServer
from ubersim.simulation import Simulation
from ubersim.simulation.local_robot import LocalRobot
from ubersim.supervision import Interventions
from ubersim.transport.listen import listen
from ubersim.viewer.live import Live
from ubersim.viewer.log_source import LogSource
from ubersim.viewer.page import Page
from ubersim.viewer.parameters import ParameterPanel
from ubersim.viewer.player import Player
from ubersim.viewer.workspace import Workspace

EYE = sensor("CameraSensor", "Eye", "<Fov>60</Fov><Width>32</Width><Height>24</Height><Frequency>1</Frequency>")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program with a parameter that is changed in frame 50, a key that is held, and marks in its camera's pixels."""
    path, simulation = tmp_path_factory.mktemp("log") / "run.mcap", Simulation()
    with Recorder(simulation, path):
        robot = LocalRobot(simulation, simulation.spawn(cart().replace("<Incl", EYE + "<Incl")))
        robot.parameter("gain", 12.0, low=0, high=50)
        PageKeyboard(robot)
        robot.log("horizon", {"lines": [[(0, 9.5), (32, 9.5)]], "color": (0, 0, 1)}, space="Eye")
        while simulation.frame < 100:
            if simulation.frame == 50:
                for name, value in (("gain", 20.0), ("Keys", "ArrowUp")):
                    Interventions(simulation).execute("SetParameter", {"robot": "Cart", "name": name, "value": value})
            robot.next_frame()
            if simulation.frame in (21, 61):
                robot.log("ball", {"points": [(simulation.frame / 3, 5)], "color": (1, 0, 0)}, space="Eye")
    return path


def marked(workspace: Workspace, *columns: int) -> bool:
    """Whether these columns of the camera's row 5 are red, and no others, and the horizon is blue."""
    picture = workspace.pictures.over(np.zeros((24, 32, 3), np.uint8), "Cart", "Eye")
    return np.flatnonzero(picture[5, :, 0]).tolist() == [*columns] and bool((picture[9, :, 2] == 255).all())


@contextlib.contextmanager
def under_control(path: Path) -> Iterator[tuple[ReplayServer, Page, Live]]:
    with Log(path) as log, listen("127.0.0.1", 0) as listener, ReplayServer(log, listener) as server:
        serving = threading.Thread(target=server.run)
        serving.start()
        with supervise(*server.address) as eye, supervise(*server.address) as hand:
            page = Page()
            live = Live(page, eye, hand)
            watching = threading.Thread(target=_quietly, args=(live,))
            watching.start()
            try:
                yield server, page, live
            finally:
                server.stop()
                serving.join(60)
                server.close()
                watching.join(60)
                page.stop()


def _quietly(live: Live) -> None:
    with contextlib.suppress(RefusedError, ConnectionError):
        live.run()


def shows(panel: ParameterPanel, gain: float, keys: str) -> bool:
    shown = panel._shown
    return len(shown) == 2 and (shown["Cart", "gain"].value, shown["Cart", "Keys"].value) == (gain, keys)


def test_under_control(run: Path) -> None:
    with under_control(run) as (server, page, live), supervise(*server.address) as world, PageClient(page.address):
        panel = live.parameters
        until(lambda: shows(panel, 12.0, "") and marked(live.workspace))
        assert panel.control("Cart", "gain").disabled and panel.control("Cart", "Keys").disabled
        world.seek(60)
        until(lambda: shows(panel, 20.0, "ArrowUp") and marked(live.workspace, 7))
        world.seek(70)
        until(lambda: marked(live.workspace, 20))
        world.seek(10)
        until(lambda: shows(panel, 12.0, "") and marked(live.workspace))
        labels = {about.label for about in page.gui._gui_input_handle_from_uuid.values()}
        buttons = {option for about in page.gui._gui_input_handle_from_uuid.values() for option in _options(about)}
        assert "Pause" in buttons and "Reset" not in buttons
        assert "gain" in labels and not labels & {"Latency", "Push it", "Drag it"}


def _options(control: object) -> tuple[str, ...]:
    return tuple(getattr(control, "options", ()))


def test_played(run: Path) -> None:
    with Log(run) as log:
        page = Page()
        player = Player(page, LogSource(log))
        with played(page, player), PageClient(page.address):
            until(lambda: shows(player.parameters, 12.0, ""))
            page.later(lambda: player._jump(0.08))
            until(lambda: shows(player.parameters, 20.0, "ArrowUp") and marked(player.workspace, 20))
            assert player.parameters.control("Cart", "gain").disabled
            page.later(lambda: player._jump(0.05))
            until(lambda: marked(player.workspace, 7))
            page.later(lambda: player._jump(0.01))
            until(lambda: marked(player.workspace))
