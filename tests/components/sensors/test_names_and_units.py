"""Every sensor that comes along says what its values are, and programs ask for them by name."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tests.helpers.serving import Serving
from ubersim import connect
from ubersim.description.base import SensorDescription
from ubersim.description.registry import registry
from ubersim.description.resources import shipped, shipped_names
from ubersim.errors import UberSimError
from ubersim.simulation import Simulation

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
                with pytest.raises(KeyError, match="no 'speed'; it has position"):
                    frame["RearWheel.speed"]
            else:
                with pytest.raises(KeyError, match="Imu sent nothing in this frame"):
                    frame["Imu"]
            with pytest.raises(KeyError, match="no sensor 'Imo'; did you mean Imu"):
                frame["Imo"]
    assert seen == 3
