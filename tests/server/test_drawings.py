"""What clients draw, and what supervisors are told of robots and forces: beside the simulation, which never notices."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.helpers.robots import cart
from ubersim.client import connect
from ubersim.client.supervisor import Supervisor, supervise
from ubersim.errors import LocalProtocolError
from ubersim.protocol.drawings import LARGEST, drawing
from ubersim.protocol.events import Ack
from ubersim.protocol.messages import encode
from ubersim.protocol.server_lane import ACK, CommandReader
from ubersim.simulation import Simulation

GRAVITY = 9.81


def drawn(world: Supervisor, count: int) -> list[tuple[str, str, dict[str, Any]]]:
    """The next drawings."""
    found: list[tuple[str, str, dict[str, Any]]] = []
    for _ in range(200):
        world.next_truth(0.1)
        found += world.take_drawings()
        if len(found) >= count:
            return found
    raise AssertionError(f"{count} drawings did not come, but {found}")


def test_drawings_reach_who_watches(serve: Any) -> None:
    port = serve(rate=1.0).port
    picture = np.zeros((4, 5, 3), np.uint8)
    with supervise(port=port) as world, connect(cart(), port=port) as robot:
        world.watch(hertz=100.0, drawings=True)
        robot.next_frame()
        robot.draw("plan", lines=[[(0, 0, 0), (1, 2, 3)]], color=(0, 1, 0), body="Base")
        robot.draw("view", image=picture)
        robot.next_frame()
        found = {name: content for _, name, content in drawn(world, 2)}
        assert found["plan"] == {"lines": [[[0, 0, 0], [1, 2, 3]]], "color": [0, 1, 0], "width": 0.01, "body": "Base"}
        assert found["view"]["png"].startswith("iVBOR")  # what PNG begins with


@pytest.mark.parametrize("shape", [(480, 640), (333, 517), (3000, 2)])
def test_large_pictures_come_coarser(serve: Any, shape: tuple[int, int]) -> None:
    """Noise does not compress: a picture with some structure under it that can be recognised in what has come."""
    port = serve(rate=1.0).port
    rows, columns = np.indices(shape)
    picture = np.random.default_rng(1).integers(0, 56, (*shape, 3), np.uint8)
    picture[rows / shape[0] > columns / shape[1]] += 200
    with supervise(port=port) as world, connect(cart(), port=port) as robot:
        world.watch(hertz=100.0, drawings=True)
        robot.next_frame()
        robot.draw("view", image=picture, text="long " * 1000)
        robot.next_frame()
        ((_, _, content),) = drawn(world, 1)
    came = np.array(Image.open(io.BytesIO(base64.b64decode(content["png"]))))
    block = round(shape[0] / len(came))
    assert came.shape == (-(-shape[0] // block), -(-shape[1] // block), 3) and block < 8
    whole = came[: shape[0] // block, : shape[1] // block]
    means = picture[: len(whole) * block, : whole.shape[1] * block].reshape(len(whole), block, -1, block, 3)
    assert np.abs(means.mean(axis=(1, 3)) - whole).max() <= 0.5


def test_of_one_name_the_newest_comes(serve: Any) -> None:
    port = serve(rate=1.0).port
    with supervise(port=port) as world, connect(cart(), port=port) as robot:
        world.pause()
        robot.next_frame()
        world.watch(hertz=1.0, drawings=True)
        world.next_truth(60.0)
        for number in range(300):
            robot.draw("count", text=str(number))
        world.resume()
        robot.next_frame()
        seen = [("", "", {"text": ""})]
        while seen[-1][2]["text"] != "299":  # the server may have read them in pieces
            seen += drawn(world, 1)
        assert {(name, drawing_name) for name, drawing_name, _ in seen[1:]} == {("Cart", "count")}
        assert len(seen) < 100


def test_drawing_changes_no_bit(serve: Any) -> None:
    def digest(draws: bool) -> str:
        serving = serve(frames=200, clients=1)
        with supervise(port=serving.port) as world, connect(cart(latency="5"), port=serving.port) as robot:
            if draws:
                world.watch(hertz=500.0, drawings=True, contacts=True, forces="Cart")
            for frame in robot:
                robot.set("Motor", "Vel", 3.0 * frame.time)
                if draws:
                    robot.draw("time", text=f"{frame.time}")
                    robot.draw("rubbish", points=[(1e9, 0, 0)], width=-1.0)
        return str(serving.result().digest())

    assert digest(draws=True) == digest(draws=False)


def test_component_of_that_name_comes_first() -> None:
    reader = CommandReader({"Draw": frozenset({2})})
    reader.read(encode(drawing("x", text="y")))
    assert reader.error is not None
    reader = CommandReader({"Motor": frozenset({2})})
    assert reader.read(encode(drawing("x", text="y")) + encode(Ack(0.5))) == [(ACK, 0.5)]
    assert [json.loads(payload.partition(b"\0")[2])["text"] for payload in reader.drawings] == ["y"]


@pytest.mark.parametrize("what", [{"text": "x" * LARGEST}, {"lines": [[(0, 0, 0), (float("inf"), 0, 0)]]}])
def test_what_cannot_be_sent_is_refused_here(what: dict[str, Any]) -> None:
    with pytest.raises(LocalProtocolError, match="drawing 'big'"):
        drawing("big", **what)


def test_forces_of_a_body_at_rest_are_its_weight(serve: Any) -> None:
    """A cart of 3 kg stands on its plate and its wheel: the ground bears 3 g."""
    port = serve(simulation=Simulation()).port
    with supervise(port=port) as world:
        world.pause()
        world.spawn(cart())
        world.watch(every=1, forces="Cart")
        world.step(1500)
        while (truth := world.next_truth(60.0)) is not None and truth.frame < 1500:
            pass
        assert truth is not None
        forces = truth.forces
        assert forces is not None
        assert forces[:, 3:].sum(axis=0) == pytest.approx([0, 0, 3 * GRAVITY], abs=0.01)
        assert (np.abs(forces[:, 2]) < 0.01).all()


def test_scene_says_where_sensors_are(serve: Any) -> None:
    port = serve().port
    with supervise(port=port) as world:
        world.pause()
        world.spawn(cart(latency="7"))
        about = world.scene()["robots"]["Cart"]
        assert about["latency"] == 7.0
        assert about["bodies"]["Wheel"] == {"center": [0.0, 0.3, 0.0], "solids": ["Ball"]}
        assert about["sensors"]["Tilt"]["body"] == "Base"
        assert about["sensors"]["Tilt"]["position"] == [0.0, 0.0, 0.0]
