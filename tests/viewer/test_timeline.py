"""The slider of a log that a server replays: a browser goes to any frame with it, and by steps."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

from tests.helpers.page_client import PageClient, control
from tests.helpers.robots import cart
from tests.helpers.waiting import until
from ubersim.client.supervisor import supervise
from ubersim.errors import RefusedError
from ubersim.recording import Log, Recorder
from ubersim.server import ReplayServer
from ubersim.simulation import Simulation
from ubersim.transport.listen import listen
from ubersim.viewer.live import Live
from ubersim.viewer.page import Page

FRAMES = 300


def test_a_browser_goes_through_a_log(tmp_path: Path) -> None:
    with Simulation() as simulation, Recorder(simulation, tmp_path / "run.mcap"):
        simulation.spawn(cart())
        simulation.step(FRAMES)
    with (
        Log(tmp_path / "run.mcap") as log,
        listen("127.0.0.1", 0) as listener,
        ReplayServer(log, listener) as server,
    ):
        serving = threading.Thread(target=server.run, daemon=True)
        serving.start()
        page = Page()
        with supervise(*server.address) as watcher, supervise(*server.address) as commander:
            showing = threading.Thread(target=_run, args=(Live(page, watcher, commander),), daemon=True)
            showing.start()
            with PageClient(page.address) as client:
                slider, steps = control(page, "Frame"), control(page, "Step")
                assert (slider.min, slider.max) == (0, FRAMES)
                for step, frame in [("+100", 100), ("+100", 200), ("−1", 199), ("−100", 99), ("+1", 100)]:
                    client.set(steps, step)
                    until(lambda frame=frame: server.frame == slider.value == frame)  # type: ignore[misc]
                for _ in range(5):
                    client.set(steps, "+1")
                until(lambda: server.frame == slider.value == 105)  # quick clicks add up
                client.set(slider, FRAMES - 1)
                until(lambda: server.frame == FRAMES - 1)
                client.set(steps, "+100")
                until(lambda: server.frame == slider.value == FRAMES)  # there is nothing behind it
                client.set(slider, 0)
                until(lambda: server.frame == 0)
            server.stop()
            serving.join(60)
            server.close()
            showing.join(60)
            assert not showing.is_alive()
        page.stop()


def _run(live: Live) -> None:
    with contextlib.suppress(RefusedError, ConnectionError):
        live.run()
