"""Parameters of programs on the live page: sliders, switches and menus that a running program obeys."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from functools import partial

from tests.helpers.page_client import PageClient
from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from tests.helpers.waiting import until
from ubersim.client import connect
from ubersim.client.supervisor import supervise
from ubersim.errors import RefusedError
from ubersim.protocol.program_parameters import Parameter
from ubersim.simulation import Simulation
from ubersim.viewer.live import Live
from ubersim.viewer.page import Page

Declared = dict[str, Parameter]


def drive(port: int, declared: Declared) -> None:
    """A program with a parameter of every kind."""
    with connect(cart(), port=port, protocol=2) as robot:
        declared["gain"] = robot.parameter("gain", 12.0, low=0, high=50)
        declared["offset"] = robot.parameter("offset", 0.5)
        declared["debug"] = robot.parameter("debug", False)
        declared["role"] = robot.parameter("role", "keeper", choices=("keeper", "striker"))
        declared["note"] = robot.parameter("note", "-")
        for _ in robot:
            robot.set("Motor", "Vel", float(declared["gain"]) / 100)


def test_controls_of_every_kind_reach_the_program() -> None:
    serving = Serving(Simulation(), None, clients=1, rate=1.0)
    declared: Declared = {}
    program = threading.Thread(target=drive, args=(serving.port, declared), daemon=True)
    program.start()
    with (
        supervise(port=serving.port) as world,
        supervise(port=serving.port) as eye,
        supervise(port=serving.port) as hand,
    ):
        page = Page()
        live = Live(page, eye, hand)
        thread = threading.Thread(target=_quietly, args=(live.run,))
        thread.start()
        panel = live.parameters
        with PageClient(page.address) as client:
            until(lambda: ("Cart", "note") in panel._shown)
            assert panel.control("Cart", "gain").max == 50
            assert panel.control("Cart", "gain").precision == panel.control("Cart", "offset").precision == 6
            for name, value in {"gain": 20.0, "offset": 2.0, "debug": True, "role": "striker", "note": "go"}.items():
                client.set(panel.control("Cart", name), value)
                until(partial(_has, declared[name], value))
            world.set_parameter("Cart", "gain", 33.0)
            until(lambda: panel.control("Cart", "gain").value == 33.0)
        serving.server.stop()
        serving.result()
        thread.join(60)
        page.stop()
    program.join(60)


def _quietly(run: Callable[[], None]) -> None:
    with contextlib.suppress(RefusedError, ConnectionError):
        run()


def _has(parameter: Parameter, value: object) -> bool:
    return parameter.value == value
