"""What one robot may cost the others: refused before it is spent, with an Error to its client alone."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.helpers.documents import ball, body, robot, vector
from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from tests.helpers.waiting import until
from ubersim.description import read_robot
from ubersim.errors import BudgetError, DescriptionError, ExplodedError, RemoteProtocolError, UberSimError
from ubersim.physics import KINDS
from ubersim.simulation import Simulation
from ubersim.simulation.budget import RobotBudget


def camera(parts: str, name: str = "Cam") -> str:
    return f'<CameraSensor name="{name}">{vector("Position", 0, 0, 0)}<Fov>60</Fov>{parts}</CameraSensor>'


def balls(bodies: int, each: int = 1, joint: str = "") -> str:
    content = [body("".join(ball(f"s{b}_{n}") for n in range(each)), f"B{b}") for b in range(bodies)]
    joints = [
        f'<{joint} name="J{b}"><Body1>B{b}</Body1><Body2>B{b + 1}</Body2>{vector("Axis", 1, 0, 0)}'
        f"{vector('AnchorPos', 0, 0, 0)}</{joint}>"
        for b in range(bodies - 1 if joint else 0)
    ]
    return robot("".join(content), "".join(joints))


def cube(name: str, x: float, z: float, sizes: str = "<XSize>0.2</XSize><YSize>0.2</YSize>") -> str:
    place = vector("Position", x, 0, z)
    return f'<Box name="{name}"><Mass>1</Mass>{sizes}<ZSize>0.1</ZSize>{place}<Material>Metal</Material></Box>'


TOO_MUCH = {
    "bodies": (balls(6), RobotBudget(bodies=5), "has 6 bodies; this server allows a robot 5"),
    "solids": (balls(2, 3), RobotBudget(solids=5), "has 6 solids; this server allows a robot 5"),
    "rows": (balls(3, joint="JointHinge"), RobotBudget(rows=13), "has 14 rows of constraints"),
    "pictures": (
        robot(body(ball("s") + camera("<Width>100</Width><Height>100</Height><Samples>4</Samples>"))),
        RobotBudget(sight=159_999_999),
        "draw 160000000 bytes in a simulated second, mostly of 'Cam'",
    ),
    "rays": (
        robot(
            body(
                ball("s") + f'<LidarSensor name="L">{vector("Position", 0, 0, 0)}<Range>5</Range>'
                "<Beams>100</Beams></LidarSensor>"
            )
        ),
        RobotBudget(sight=25_599_999),
        "draw 25600000 bytes",
    ),
}


@pytest.mark.parametrize("case", TOO_MUCH)
def test_beyond_its_budget_a_robot_is_refused(case: str) -> None:
    document, budget, reason = TOO_MUCH[case]
    simulation = Simulation()
    simulation.spawn(cart("Other", x=5.0))
    simulation.budget = budget
    rows = len(simulation.world.bodies)
    with pytest.raises((BudgetError, RemoteProtocolError), match=reason):
        simulation.spawn(document)
    assert list(simulation.robots) == ["Other"] and len(simulation.world.bodies) == rows
    simulation.budget = None
    simulation.spawn(document)


def test_a_frequency_is_refused_that_draws_too_much() -> None:
    simulation = Simulation()
    simulation.budget = RobotBudget(sight=4_000_000)
    sensor = camera("<Width>100</Width><Height>100</Height><Frequency>10</Frequency>")
    spawned = simulation.spawn(robot(body(ball("s") + sensor)))
    spawned.command("Cam", "Frequency", 100.0)
    with pytest.raises(UberSimError, match="lower the frequency or the size"):
        spawned.command("Cam", "Frequency", 101.0)
    with pytest.raises(UberSimError, match="draw 40000000 bytes"):
        spawned.command("Cam", "Frequency", 0.0)


def test_a_picture_has_no_more_samples_than_the_largest_has_pixels() -> None:
    largest = camera("<Width>4096</Width><Height>4096</Height>")
    assert read_robot(robot(body(ball("s") + largest))).sensors[0].largest_reading == 2**26
    with pytest.raises(DescriptionError, match="134217728 samples; allowed are 16777216"):
        read_robot(robot(body(ball("s") + largest.replace("</CameraSensor>", "<Samples>8</Samples></CameraSensor>"))))


def test_pictures_that_take_long_to_compress_count_more_often() -> None:
    large = "<Frequency>1</Frequency><Width>4096</Width><Height>2048</Height>"
    file = large + "<Compression>png</Compression>"

    def seeing(*cameras: str) -> str:
        return robot(body(ball("s") + "".join(camera(parts, f"Cam{number}") for number, parts in enumerate(cameras))))

    read_robot(seeing(file))  # a second of a frame, at the most
    read_robot(seeing(*[large] * 8))
    with pytest.raises(DescriptionError, match="as pictures count that become files"):
        read_robot(seeing(file, file))


def test_contacts_beyond_its_budget_cost_the_robot_that_has_them() -> None:
    """Sixty boxes in one place, upon a plate of another robot: the plate has as many contacts, but is one solid."""
    crowd = [body(cube(f"c{n}", 0.001 * n, 0.11), f"B{n}") for n in range(60)]
    simulation = Simulation()
    simulation.spawn(
        robot(body(cube("plate", 0.0, 0.05, "<XSize>3</XSize><YSize>3</YSize>"))),
        name="Plate",
        position=(0.0, 0.0, 0.0),
    )
    simulation.budget = RobotBudget(contacts=200)
    simulation.step(10)
    simulation.spawn(robot("".join(crowd)), name="Crowd", position=(0.0, 0.0, 0.0))
    with pytest.raises(ExplodedError, match=r"Crowd: .*more than 200 contacts in one step"):
        simulation.step(10)
    simulation.remove("Crowd")
    simulation.step(10)
    assert list(simulation.robots) == ["Plate"]


def test_a_heap_without_a_budget_is_simulated_all_the_same() -> None:
    simulation = Simulation()
    simulation.spawn(robot("".join(body(cube(f"c{n}", 0.001 * n, 0.11), f"B{n}") for n in range(30))))
    simulation.step(3)
    assert len(simulation.world.contacts().a) > 200


def test_thousands_of_boxes_in_one_place_take_no_memory(serve: Callable[..., Any]) -> None:
    """1,024 solids that all overlap have half a million pairs: the step is given up long before all are looked at."""
    bodies = [body("".join(cube(f"c{b}_{n}", 1e-4 * n, 0.2) for n in range(32)), f"B{b}") for b in range(32)]
    simulation = Simulation()
    simulation.budget = RobotBudget()
    simulation.spawn(robot("".join(bodies)), name="Crowd")
    with pytest.raises(ExplodedError, match="more than 1024 contacts"):
        simulation.step()


def test_rows_of_every_kind_of_joint() -> None:
    rows = {name: kind.rows for name, kind in KINDS.items()}
    assert (rows["fixed"], rows["ball"], rows["hinge"], rows["hinge2"], rows["amotor"]) == (6, 3, 7, 8, 6)


def test_its_client_is_told_and_the_others_go_on(serve: Callable[..., Any]) -> None:
    serving = serve(80, clients=1, budget=RobotBudget(bodies=3))
    counted: list[int] = []
    good = RawClient(serving.port, cart("Good", x=5.0))
    assert "allows a robot 3" in RawClient(serving.port, balls(4)).error()
    thread = threading.Thread(target=lambda: counted.append(good.serve_to_the_end()), daemon=True)
    thread.start()
    serving.result()
    thread.join(60)
    assert counted == [80]


def test_the_longest_document_is_the_servers_to_say(serve: Callable[..., Any]) -> None:
    serving = serve(20, clients=1, max_document=4096)
    long = cart("Long").replace("</Client>", " " * 4096 + "</Client>")
    assert "longer than the 4096 bytes allowed" in RawClient(serving.port, long).error()
    assert RawClient(serving.port, cart("Short")).serve_to_the_end() == 20
    serving.result()


def test_a_document_beyond_the_usual_length_is_read_where_the_server_allows_it(serve: Callable[..., Any]) -> None:
    serving = serve(5, clients=1, max_document=40 * 2**20)
    long = cart("Long").replace("</Client>", f"<!--{' ' * 2**20}-->" * 33 + "</Client>")
    assert RawClient(serving.port, long).serve_to_the_end() == 5
    serving.result()


def test_documents_on_their_way_have_a_bound_together(serve: Callable[..., Any]) -> None:
    """Eight of the greatest length: who comes then is told to try again."""
    serving = serve(20, clients=1, max_document=4096)
    halves = [socket.create_connection(("127.0.0.1", serving.port)) for _ in range(20)]
    for half in halves:
        half.sendall(b"<Client>" + b" " * 3000)
    refused = len(halves) - 8 * 4096 // 3008
    until(lambda: len(select.select(halves, [], [], 0)[0]) >= refused)
    told, _, _ = select.select(halves, [], [], 0.2)
    assert len(told) == refused and all(b"too many large documents" in half.recv(1000) for half in told)
    for half in halves:
        half.close()
    assert RawClient(serving.port, cart()).serve_to_the_end() == 20
    serving.result()
