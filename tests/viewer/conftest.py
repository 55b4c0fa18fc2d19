"""What tests of the live page use."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import pytest

from tests.helpers.live_stage import ROBOTS, Stage
from tests.helpers.page_client import PageClient
from tests.helpers.robot_programs import document
from tests.helpers.serving import Serving
from tests.helpers.waiting import until
from ubersim.client.supervisor import supervise
from ubersim.description import shipped
from ubersim.errors import RefusedError
from ubersim.simulation import Simulation
from ubersim.viewer.live import Live
from ubersim.viewer.page import Page


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    serving = Serving(Simulation(shipped("worlds/room.xml"), render_workers=1), None, clients=0, rate=1.0)
    port = serving.port
    with supervise(port=port) as world, supervise(port=port) as watcher, supervise(port=port) as commander:
        for number, (name, file) in enumerate(ROBOTS.items()):
            world.spawn(document(file, cameras=True), name=name, position=(1.2 * number - 2.0, -1.0, 0.3))
        page = Page()
        live = Live(page, watcher, commander)
        thread = threading.Thread(target=_run, args=(live,))
        thread.start()
        with PageClient(page.address) as client:
            until(lambda: live.inspector.entity in ROBOTS and page.get_clients())
            yield Stage(world, page, live, client, port)
        serving.server.stop()
        serving.result()
        thread.join(60)
        page.stop()


def _run(live: Live) -> None:
    with contextlib.suppress(RefusedError, ConnectionError):
        live.run()
