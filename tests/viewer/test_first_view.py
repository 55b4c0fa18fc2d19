"""A page that is open before any robot is there looks at the first that comes, unless somebody has looked around."""

from __future__ import annotations

import contextlib
import threading

import numpy as np

from tests.helpers.page_client import CAMERA, PageClient
from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from tests.helpers.waiting import until
from ubersim.client.supervisor import supervise
from ubersim.errors import RefusedError
from ubersim.simulation import Simulation
from ubersim.viewer.live import Live
from ubersim.viewer.page import Page


def test_the_first_robot_is_seen() -> None:
    serving = Serving(Simulation(), None, clients=0, rate=1.0)
    port = serving.port
    with supervise(port=port) as world, supervise(port=port) as watcher, supervise(port=port) as commander:
        page = Page()
        page.look_from(np.array(CAMERA["position"]), np.array(CAMERA["look_at"]))
        live = Live(page, watcher, commander)
        thread = threading.Thread(target=_run, args=(live,))
        thread.start()
        with PageClient(page.address), PageClient(page.address) as other:
            until(lambda: len(page.get_clients()) == 2 and live.workspace._model is not None)
            other.move_camera((5.0, 5.0, 5.0))
            first, second = page.get_clients().values()
            until(lambda: second.camera.position[0] == 5.0)
            world.spawn(cart(), name="Cart", position=(20.0, -30.0, 0.3))
            until(lambda: np.linalg.norm(first.camera.look_at - (20.0, -30.0, 0.3)) < 0.5)
            assert np.linalg.norm(first.camera.position - first.camera.look_at) < 3.0
            assert second.camera.position[0] == 5.0, "somebody has looked around there"
        serving.server.stop()
        serving.result()
        thread.join(60)
        page.stop()


def test_two_teams_are_all_seen() -> None:
    """They stand all over a field; the page looks at all of them, not at the first goalkeeper."""
    corners = [(x, y, 0.3) for x in (-8.0, 8.0) for y in (-5.0, 5.0)]
    serving = Serving(Simulation(), None, clients=0, rate=1.0)
    port = serving.port
    with supervise(port=port) as world, supervise(port=port) as watcher, supervise(port=port) as commander:
        world.pause()
        world.spawn(cart(), name="Cart0", position=corners[0])
        page = Page()
        live = Live(page, watcher, commander)
        thread = threading.Thread(target=_run, args=(live,))
        thread.start()
        until(lambda: np.linalg.norm(page.initial_camera.look_at - np.array(corners[0])) < 0.5)
        for number, corner in enumerate(corners[1:], 1):  # time stands still while they come
            world.spawn(cart(), name=f"Cart{number}", position=corner)
        until(lambda: 12.0 < np.linalg.norm(page.initial_camera.position) < 25.0)
        until(lambda: np.allclose(page.initial_camera.look_at, (0.0, 0.0, 0.3), atol=0.3))
        serving.server.stop()
        serving.result()
        thread.join(60)
        page.stop()


def _run(live: Live) -> None:
    with contextlib.suppress(RefusedError, ConnectionError):
        live.run()
