"""The page itself: for this machine only, and without anything from other hosts."""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from ubersim.errors import UberSimError
from ubersim.viewer.ground import set_ground
from ubersim.viewer.lights import PageLights, daylight

try:
    import rich
    import viser
    from viser import uplot as uplot

    from ubersim.viewer.guard import Guard, guarded_by
except ImportError:
    raise UberSimError("the live page needs viser: pip install 'ubersim[view]'") from None

HOST = "127.0.0.1"
"""The page can do everything with the simulation, so it is for this machine only."""
USUAL_FOV = math.radians(75.0)
"""Of a browser's camera, from top to bottom [rad]."""
_NEAR = 0.01
"""What is as near as this is the same place [m]."""
BRAND = (136, 43, 30)
"""Dark enough for its lighter shades to be read on white."""


class Page(viser.ViserServer):
    """viser's server, without what connects to other hosts, and with a guard at its door."""

    def __init__(self, port: int = 0, title: str = "ÜberSim", *, token: str | None = None) -> None:
        """With a token, only browsers that give it get in."""
        rich.get_console().quiet = True  # what viser prints at its start
        # nor of a tab that is closed while it is told something
        warnings.filterwarnings("ignore", "Queued a .* on a closed connection", UserWarning)
        # nor of what knocks and does not want a page: a check whether it is up, another program at the wrong port
        logging.getLogger("websockets.server").setLevel(logging.CRITICAL)
        self._guard = Guard(token, title)
        self.title = title
        """In the browser's tab, and in what it keeps."""
        self.routes = self._guard.routes
        """What the page's own script may ask for."""
        with guarded_by(self._guard):
            super().__init__(host=HOST, port=port, label=title, verbose=False)
        if not self._guard.installed:
            self.stop()
            raise UberSimError(f"viser {viser.__version__} starts its server in a way that cannot be guarded")
        self.lights = PageLights(self.scene)
        """What shines in the scene."""
        self._inbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=BRAND)
        self.initial_camera.near, self.initial_camera.far = 0.05, 300.0
        self.look_from(np.array([1.9, 2.2, 1.95]), np.array([0.0, 0.0, 0.45]))

    @property
    def address(self) -> str:
        """What to open in a browser; with a token, it has the token in it."""
        return f"http://{HOST}:{self.get_port()}{self._guard.path()}"

    def look_from(self, place: Any, target: Any) -> None:
        """Where a browser looks from, and at, that opens the page."""
        self.initial_camera.look_at = target
        self.initial_camera.position = place

    def where_all_begin(self) -> list[viser.ClientHandle]:
        """The browsers whose camera nobody has moved since they opened the page."""
        begin = self.initial_camera
        return [
            client
            for client in self.get_clients().values()
            if np.allclose(client.camera.position, begin.position, atol=_NEAR)
            and np.allclose(client.camera.look_at, begin.look_at, atol=_NEAR)
        ]

    def later(self, action: Callable[[], None], control: Any = None) -> None:
        """Puts off an action to the page's own thread; viser reports clicks and changes in threads of its own.

        One of a `control` that has been removed by then is not done.
        """
        self._inbox.put(action if control is None else lambda: None if control._impl.removed else action())

    def catch_up(self) -> None:
        """Does what was put off."""
        while True:
            try:
                action = self._inbox.get_nowait()
            except Empty:
                return
            action()

    def show_error(self, reason: str) -> None:
        """Shows it in all browsers for a while."""
        for client in self.get_clients().values():
            client.add_notification("That did not work", sendable(reason), color="red", auto_close_seconds=8.0)

    def request_share_url(self, verbose: bool = True) -> str | None:
        """Refused: it would make the page public, by way of a server elsewhere."""
        return None

    def set_surroundings(self, scene: Mapping[str, Any]) -> None:
        """Ground, sky and lights."""
        set_ground(self.scene, scene["ground"], daylight(scene["lights"]))
        sky = scene["sky"]
        self.scene.set_background_image(_gradient(sky["zenith"], sky["horizon"]), format="png")
        self.lights.build(scene["lights"])


def sendable(text: str) -> str:
    """A text from elsewhere, without what has no UTF-8 form: no browser would get anything any more."""
    return text.encode(errors="replace").decode()


def _gradient(zenith: Any, horizon: Any) -> Any:
    """A sky, one pixel wide."""
    share = np.linspace(0.0, 1.0, 256)[:, None, None] ** 0.8
    sky = (1 - share) * np.array(zenith) + share * np.array(horizon)
    return np.repeat((255 * sky).round().astype(np.uint8), 2, axis=1)
