"""Every sensor that comes along says what its values are, and programs ask for them by name."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tests.helpers.documents import vector
from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from ubersim import connect
from ubersim.description.base import SensorDescription
from ubersim.description.loading import read_world
from ubersim.description.registry import registry
from ubersim.description.resources import shipped, shipped_names
from ubersim.errors import UberSimError
from ubersim.protocol.frames import FrameDecoder
from ubersim.simulation import Simulation
from ubersim.simulation.introduction import introduction_of

WITHOUT = {"LegendSensor", "RadioSensor"}
"""Their readings are texts, or messages."""


def test_all_sensors_name_their_values() -> None:
    members = registry().members(SensorDescription)
    assert {tag for tag, sensor in members.items() if not sensor.quantities} == WITHOUT


@pytest.mark.parametrize("name", shipped_names("robots"))
def test_there_are_as_many_as_values(name: str) -> None:
    with Simulation() as simulation:
        robot = simulation.spawn(shipped(f"robots/{name}.xml"))
        for channel in robot.sensors.values():
            count = math.prod(channel.description.shape)
            assert len(channel.quantities) in (0, 1, count)
            assert len({each.name for each in channel.quantities}) == len(channel.quantities)


def test_a_program_in_process_reads_parts() -> None:
    with Simulation() as simulation:
        robot = simulation.spawn(shipped("robots/car.xml"))
        simulation.step(20)
        whole = robot.read("Imu")
        assert np.asarray(robot.read("Imu.force")).tolist() == np.asarray(whole)[7:].tolist()
        assert robot.read("Imu.force.z") == np.asarray(whole)[9]
        assert [str(each) for each in robot.sensors["RearWheel"].quantities] == [
            "position [rad]",
            "rate [rad/s]",
            "effort [N m]",
        ]
        with pytest.raises(UberSimError, match=r"have no 'mass'; they have orientation\.w"):
            robot.read("Imu.mass")
        with pytest.raises(UberSimError, match=r"no sensor 'Imo\.force'"):
            robot.read("Imo.force")


def test_a_single_thing_in_sight_is_a_list_as_well() -> None:
    """In process and as a client reads it: a column has as many rows as the list."""
    eye = f'<CameraSensor name="Eye">{vector("Position", 0, 0.5, 0.1)}<Fov>60</Fov><Level>objects</Level>'
    watching = cart().replace("<InclinometerSensor", f"{eye}</CameraSensor><InclinometerSensor")
    crate = f'<Body name="Crate"><Sphere name="c"><Mass>1</Mass><Radius>0.2</Radius>{vector("Position", 0, 3, 0.2)}'
    world = read_world(f"<World><Objects>{crate}<Material>Wood</Material></Sphere></Body></Objects></World>")
    with Simulation(world) as simulation:
        robot = simulation.spawn(watching, position=(0.0, 0.0, 0.3))
        assert np.asarray(robot.read("Eye")).shape == (1, 5)
        distances = np.asarray(robot.read("Eye.distance"))
        assert distances.shape == (1,)
        ((_, payload),) = (reading for reading in robot.readings if reading[0] == "Eye")
        about = {"Eye": introduction_of(robot)["sensors"]["Eye"]}
        frame = FrameDecoder(about).frame(0.0, [("Eye", payload)])
        assert np.asarray(frame["Eye.distance"]).tolist() == distances.tolist()


def test_a_program_over_the_wire_reads_parts(serve: Callable[..., Serving]) -> None:
    serving = serve(30, clients=1)
    with connect(shipped("robots/car.xml"), port=serving.port) as robot:
        assert robot.settings["sensors"]["RearWheel"]["quantities"][0] == ["position", "rad"]
        seen = 0
        for frame in robot:
            if "Imu.rate" in frame:
                seen += 1
                assert np.asarray(frame["Imu.rate"]).tolist() == np.asarray(frame["Imu"])[4:7].tolist()
                assert frame["RearWheel.rate"] == np.asarray(frame["RearWheel"])[1]
                with pytest.raises(KeyError, match="no 'speed'; they have position"):
                    frame["RearWheel.speed"]
            else:
                with pytest.raises(KeyError, match="Imu sent nothing in this frame"):
                    frame["Imu"]
            with pytest.raises(KeyError, match="no sensor 'Imo'; did you mean Imu"):
                frame["Imo"]
    assert seen == 3
