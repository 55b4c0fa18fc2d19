"""A browser as far as the live page can tell: it looks, and changes what the page offers; it draws nothing."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request, urlopen

import msgspec
import zstandard
from viser import __version__ as version
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from tests.helpers.waiting import until
from ubersim.viewer.page import Page
from ubersim.viewer.routes import HEADER, ROOT

CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": [1, 0, 0, 0], "position": [30, 3, 3], "fov": 1.0, "near": 0.1, "far": 100.0,
    "image_height": 800, "image_width": 1200, "look_at": [0, 0, 0], "up_direction": [0, 0, 1],
}  # fmt: skip

_REMEMBERED = 1 << 20


class PageClient:
    """Speaks as viser's own page does."""

    def __init__(self, address: str, token: str = "") -> None:
        place = urlsplit(address)
        self._place, self._token = place.netloc, token
        self._wire = connect(
            f"ws://{place.netloc}",
            origin=Origin(f"http://{place.netloc}"),
            additional_headers={"Authorization": f"Bearer {quote(token)}"} if token else None,
            subprotocols=[Subprotocol(f"viser-v{version}")],
            max_size=None,
            compression=None,
        )
        self._heard = bytearray()
        self._send(CAMERA)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> PageClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._wire.close()
        self._reader.join(10)

    def set(self, control: Any, value: object) -> None:
        """Moves a slider, ticks a box, chooses from a menu or presses one of a group of buttons."""
        self._send({"type": "GuiUpdateMessage", "uuid": control._impl.uuid, "updates": {"value": value}})

    def ask(self, path: str, **values: object) -> str:
        """As the page's own script asks; the answer's text."""
        request = Request(f"http://{self._place}{ROOT}{path}?{urlencode(values)}", headers={HEADER: "1"})
        if self._token:
            request.add_header("Authorization", f"Bearer {quote(self._token)}")
        with urlopen(request, timeout=120) as answer:
            return str(answer.read().decode())

    def click(self, node: Any, instance: int) -> None:
        """On one of the shapes that a node of the scene draws."""
        ray = {"ray_origin": [0, 0, 1], "ray_direction": [0, 1, 0], "screen_pos": [0.5, 0.5], "modifier": None}
        self._send({"type": "SceneNodeClickMessage", "name": node.name, "instance_index": instance, "owner": "", **ray})

    def move_camera(self, to: Sequence[float]) -> None:
        """Looks from somewhere else [m]."""
        self._send(CAMERA | {"position": list(to)})

    def grab(self, handles: Any) -> None:
        """Begins to drag handles of the scene."""
        self._send({"type": "TransformControlsDragStartMessage", "name": handles.name, "owner": ""})

    def drag(self, handles: Any, to: Sequence[float]) -> None:
        """Moves them to a place [m]."""
        pose = {"wxyz": [1, 0, 0, 0], "position": list(to)}
        self._send({"type": "TransformControlsUpdateMessage", "name": handles.name, "owner": "", **pose})

    def release(self, handles: Any) -> None:
        """Lets them go."""
        self._send({"type": "TransformControlsDragEndMessage", "name": handles.name, "owner": ""})

    def hear(self, words: str) -> None:
        """Waits until the page has sent these words."""
        until(lambda: words.encode() in self._heard)

    def _send(self, message: dict[str, object]) -> None:
        self._wire.send(msgspec.msgpack.encode(message))

    def _read(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                message = self._wire.recv(decode=False)
                size = int.from_bytes(message[8:16], "little")  # compressed; then follow numbers
                self._heard += zstandard.decompress(message[16 : 16 + size])
                del self._heard[:-_REMEMBERED]


def control(page: Page, label: str) -> Any:
    """The newest control of a page with this label, as soon as there is one."""
    controls = page.gui._gui_input_handle_from_uuid

    def found() -> list[Any]:
        return [item for item in list(controls.values()) if getattr(item, "label", "") == label]

    until(found)
    return found()[-1]
