"""Another run from a snapshot, with another seed: the same bits as in a simulation that was made with that seed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers.documents import ball, body, vector
from tests.helpers.robots import cart, segway
from ubersim.description import read_world
from ubersim.errors import ExplodedError, UberSimError
from ubersim.simulation import Simulation
from ubersim.simulation.local_robot import LocalRobot
from ubersim.simulation.object_ids import LAST, ObjectIds
from ubersim.simulation.snapshot import Snapshot
from ubersim.timing.latency import Constant

NOISY = "<Noise>0.01</Noise><Bias>0.1</Bias><Frequency>100</Frequency>" + (
    '<Latency model="uniform"><Min>1</Min><Max>20</Max></Latency>'
)
LATENCY = '<Latency model="uniform"><Min>1</Min><Max>30</Max></Latency>'
ROBOT = cart(latency=LATENCY, sensor=NOISY)


def run(simulation: Simulation) -> list[object]:
    found: list[object] = []
    robot = simulation.robots["Cart"]
    for k in range(40):
        robot.command("Motor", "Vel", float(k % 7))
        simulation.step(7)
        found += [robot.read("Tilt"), simulation.digest()]
    return found


@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_the_same_bits_as_from_the_beginning(seed: int) -> None:
    fresh = Simulation(seed=seed)
    fresh.spawn(ROBOT)
    expected = run(fresh)
    simulation = Simulation(seed=99)
    robot = simulation.spawn(ROBOT)
    robot.paints["Plate"].set(24, 0.5, 0)
    start, bodies = simulation.snapshot(), robot.bodies
    assert run(simulation) != expected
    simulation.push("Cart", (0.0, 50.0, 0.0), 1.0)
    for _ in range(2):
        simulation.start_over(start, seed)
        assert robot.read("Tilt") is None
        simulation.begin_frame()
        assert not robot.paints["Plate"].changed
        assert run(simulation) == expected
    assert simulation.robots["Cart"] is robot and robot.bodies is bodies


def test_with_another_latency() -> None:
    simulation = Simulation()
    robot = simulation.spawn(ROBOT)
    start = simulation.snapshot()
    simulation.start_over(start, 1, {"Cart": Constant(50.0)})
    assert robot.commands.latency == Constant(50.0)
    simulation.start_over(start, 1)
    assert robot.commands.latency.kind == "uniform"


def test_other_robots_are_refused() -> None:
    simulation = Simulation()
    simulation.spawn(ROBOT)
    start = simulation.snapshot()
    simulation.spawn(segway())
    with pytest.raises(UberSimError, match="taken with other robots"):
        simulation.start_over(start, 1)


def test_an_object_that_flies_apart_is_put_back_and_if_that_is_in_vain_the_last_to_come_is_blamed() -> None:
    world = f"<World><Ground/><Objects>{body(ball('s'), 'Ball')}</Objects></World>"
    with Simulation(read_world(world)) as simulation:
        simulation.spawn(cart("First"))
        last = simulation.spawn(cart("Last", x=5))
        thing = simulation.objects["Ball"]
        start = thing.position.copy()
        with pytest.raises(ExplodedError, match="an object of the world, which was put back: ") as put_back:
            thing.set_state(linear=(1e8, 0, 0))
            thing.add_force((1e12, 0, 0))
            simulation.step(1)
        assert np.array_equal(thing.position, start) and put_back.value.owners == (0,)
        with pytest.raises(ExplodedError, match=r"^Last: ") as blamed:
            thing.set_state(linear=(1e8, 0, 0))
            thing.add_force((1e12, 0, 0))
            simulation.step(1)
        assert blamed.value.owners == (last.owner,)


def test_a_snapshot_of_another_version_or_size_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with Simulation() as simulation:
        snapshot = simulation.snapshot()
        assert Snapshot.from_bytes(snapshot.to_bytes()).frame == snapshot.frame
        with monkeypatch.context() as patched:
            patched.setattr("ubersim.simulation.snapshot.VERSION", 0)
            old = snapshot.to_bytes()
        with pytest.raises(UberSimError, match="this snapshot is of version 0; this program reads"):
            Snapshot.from_bytes(old)
        monkeypatch.setattr("ubersim.simulation.snapshot.LARGEST", 10)
        with pytest.raises(UberSimError, match="this snapshot has more than 10 bytes"):
            Snapshot.from_bytes(old)


def test_a_robot_comes_and_goes_with_its_latency_and_numbers() -> None:
    with Simulation() as simulation:
        robot = simulation.spawn(cart())
        robot.set_latency(20.0)
        robot.command("Motor", "Vel", 3.0)
        simulation.step(15)
        assert robot.joints["Motor"].rate() == pytest.approx(0.0, abs=1e-3)
        simulation.step(40)
        assert robot.joints["Motor"].rate() > 1.0
        ids = ObjectIds(simulation.description)
        ids.enter("Many", [f"b{number}" for number in range(LAST - 8)])
        with pytest.raises(
            UberSimError, match=f"there is no number left for the bodies of 'More': pictures can tell {LAST}"
        ):
            ids.enter("More", [f"b{number}" for number in range(9)])


def test_there_is_no_place_below_a_tower() -> None:
    size = "<XSize>1</XSize><YSize>1</YSize><ZSize>2100</ZSize>"
    tower = f'<Box name="Tower">{size}{vector("Position", 0, 0, 1050)}<Material>Wood</Material></Box>'
    with Simulation(read_world(f"<World><Ground/><Static>{tower}</Static></World>")) as simulation:
        with pytest.raises(UberSimError, match="there is no place for Cart within 1000 m above that"):
            simulation.spawn(cart(), overlap="lift")
        assert not simulation.robots


def test_a_program_of_the_same_process_sends_cancels_and_starts_over_with_few_frames() -> None:
    with Simulation() as simulation:
        sparse = cart().replace("</CSettings>", "<Timestamps>readings</Timestamps><Protocol>2</Protocol></CSettings>")
        with LocalRobot(simulation, simulation.spawn(sparse)) as robot:
            assert robot.next_frame() is not None
            robot.stamp(0.05)
            robot.set("Motor", "Vel", 3.0)
            robot.cancel("Motor", 0.05)
            while robot.clock.time < 0.1:
                assert robot.next_frame() is not None
            assert robot.robot.joints["Motor"].rate() == pytest.approx(0.0, abs=1e-3)
            simulation.reset()
            frame = robot.next_frame()
            assert frame is not None and frame.time < 0.05
            robot.send("Motor", b"x")
            with pytest.raises(UberSimError, match="takes no payload of its own"):
                for _ in range(5):
                    robot.next_frame()
