"""The Python client's own mistakes are told where they are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.robots import cart
from ubersim.client import connect
from ubersim.errors import LocalProtocolError


def test_an_unknown_property_is_named_with_near_ones(serve: Callable[..., Any]) -> None:
    serving = serve(5, clients=1)
    with connect(cart(), host="127.0.0.1", port=serving.port) as robot:
        with pytest.raises(LocalProtocolError, match=r"Motor has no property 'Veloc'; did you mean Vel"):
            robot.set("Motor", "Veloc", 1.0)
        with pytest.raises(LocalProtocolError, match=r"'zzz'; known are .*Vel2"):
            robot.set("Motor", "zzz", 1.0)
        frames = list(robot)
    assert len(frames) == 5
    assert [sorted(frame) for frame in frames] == [sorted(frame.readings) for frame in frames]
