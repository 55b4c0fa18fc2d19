"""Wrong names of components and properties are refused in the client, with the near name; a server may start late."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.serving import Serving
from ubersim import connect
from ubersim.client.command_names import CommandNames
from ubersim.client.documents import document_of
from ubersim.errors import LocalProtocolError, UberSimError
from ubersim.server import Server
from ubersim.simulation import Simulation

WELCOME = {
    "sensors": {"Tilt": {"properties": {"Frequency": 0, "Latency": 1, "Noise": 2}}, "Eye": {}},
    "joints": {"LMotor": {"axes": 2}, "Wheel": {"axes": 1}, "Old": {}},
    "motors": {"Drive": {"properties": {"Speed": 38}}},
}
DOCUMENT = """<Client><Body name="Hull"><Box color="red"
    name="Lamp"/><CameraSensor name="Asleep"/></Body><JointHinge name='LMotor'/></Client>"""


def test_names_become_numbers() -> None:
    names = CommandNames(DOCUMENT, WELCOME)
    assert (
        names.number("LMotor", "Vel2") == 0x102
        and names.number("Old", "Vel3") == 0x202
        and names.number("Drive", "Speed") == 38
    )
    assert names.number("Lamp", "Red") == 24 and names.number("Tilt", "Noise") == 2
    assert names.number("Eye", "Fov") == 16, "of a server that does not tell"
    assert names.number("LMotor", 77) == 77 and names.number("Client", "Latency") == 0


@pytest.mark.parametrize(
    ("component", "name", "said"),
    [
        ("LMoter", "Vel", "no component 'LMoter'; did you mean LMotor?"),
        ("LMotor", "Vell", "LMotor has no property 'Vell'; did you mean Vel?"),
        ("Wheel", "Vel2", "Wheel has no property 'Vel2'; did you mean Vel?"),
        ("Tilt", "Vel", "Tilt has no property 'Vel'"),
        ("Tilt", "Fov", "Tilt has no property 'Fov'; known are Frequency, Latency, Noise"),
        ("Lamp", "Vel", "Lamp has no property 'Vel'; known are Blue, Green, Red"),
        ("Hull", "Red", "there is no component 'Hull'"),
        ("Asleep", "Fov", "there is no component 'Asleep'"),
        ("Drive", "Torque", "Drive has no property 'Torque'; known are Speed"),
    ],
)
def test_names_that_there_are_not(component: str, name: str, said: str) -> None:
    with pytest.raises(LocalProtocolError) as caught:
        CommandNames(DOCUMENT, WELCOME).number(component, name)
    assert said in str(caught.value)


def test_a_robot_that_comes_along(serve: Callable[..., Serving]) -> None:
    serving = serve(20, clients=1)
    with connect("segway", port=serving.port) as robot:
        with pytest.raises(LocalProtocolError, match="did you mean LMotor"):
            robot.set("LMotr", "Vel", 1.0)
        with pytest.raises(LocalProtocolError, match="no component 'Arm'"):
            robot.send("Arm", b"up")
        for wrong in (-1, 60_001, float("nan")):
            with pytest.raises(LocalProtocolError, match="a latency must be between 0 and 60000 ms"):
                robot.set_latency(wrong)
        with pytest.raises(KeyError, match="there is no sensor 'Titl'; did you mean Tilt"):
            robot.latest["Titl"]
        with pytest.raises(KeyError, match=r"Tilt.pitch has sent nothing so far"):
            robot.latest["Tilt.pitch"]
        for _ in robot:
            robot.set("LMotor", "Vel", 1.0)
        assert robot.latest["Tilt.pitch"] == robot.latest["Tilt"]
    serving.result()


def test_an_empty_file_is_no_robot(tmp_path: Path) -> None:
    (tmp_path / "robot.xml").write_text("\n")
    with pytest.raises(UberSimError, match=r"robot\.xml: the document is empty"):
        document_of(tmp_path / "robot.xml")


def test_a_server_that_starts_late() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ConnectionRefusedError, match="ubersim serve"):
        connect("segway", port=port)

    def start() -> None:
        time.sleep(0.3)
        with Server(Simulation(), port=port, clients=1) as server:
            server.run(5)

    thread = threading.Thread(target=start)
    thread.start()
    with connect("segway", port=port, wait=30.0) as robot:
        assert sum(1 for _ in robot) == 5
    thread.join(30)
