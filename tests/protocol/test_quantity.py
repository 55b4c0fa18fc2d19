"""Names and units of the values of readings."""

from __future__ import annotations

import numpy as np
import pytest

from ubersim.protocol.quantity import POSE, Quantity, from_plain, of_each, part_of, split, to_plain, vector

IMU = (*vector("orientation", "", "wxyz"), *vector("rate", "rad/s"), *vector("force", "m/s^2"))


def test_there_and_back() -> None:
    assert from_plain(to_plain(IMU)) == IMU
    assert str(IMU[-1]) == "force.z [m/s^2]" and str(IMU[0]) == "orientation.w"


def test_parts_are_numbers_groups_and_columns() -> None:
    reading = np.arange(10.0)
    assert part_of(reading, IMU, "force.x") == 7.0
    assert np.asarray(part_of(reading, IMU, "rate")).tolist() == [4.0, 5.0, 6.0]
    assert part_of(reading, IMU, "for") is None and part_of(reading, IMU, "mass") is None
    assert part_of(np.float64(0.25), (Quantity("pitch", "rad"),), "pitch") == 0.25  # type: ignore[arg-type]
    scan = np.ones(5)
    assert part_of(scan, (Quantity("distance", "m"),), "distance") is scan
    seen = (Quantity("number"), Quantity("bearing", "rad"))
    rows = np.array([[1.0, 0.1], [2.0, 0.2], [3.0, 0.3]])
    for count in (3, 1, 0):  # a single row is a list, too
        column = np.asarray(part_of(rows[:count], seen, "bearing", listed=True))
        assert column.tolist() == [0.1, 0.2, 0.3][:count]


@pytest.mark.parametrize(
    ("quantities", "count", "names"),
    [
        ((), 1, ["value"]),
        ((), 3, ["0", "1", "2"]),
        ((Quantity("distance", "m"),), 2, ["0 [m]", "1 [m]"]),
        ((Quantity("pitch", "rad"),), 1, ["pitch [rad]"]),
        ((Quantity("a"), Quantity("b", "m")), 4, ["0.a", "0.b [m]", "1.a", "1.b [m]"]),
        ((Quantity("a"), Quantity("b")), 3, ["0", "1", "2"]),
    ],
)
def test_every_value_has_a_name(quantities: tuple[Quantity, ...], count: int, names: list[str]) -> None:
    assert [str(each) for each in of_each(quantities, count)] == names


def test_sensors_names_may_have_dots() -> None:
    assert split("Imu.force.x", {"Imu"}) == ("Imu", "force.x")
    assert split("A.B", {"A", "A.B"}) == ("A.B", "")
    assert split("A.B.x", {"A", "A.B"}) == ("A.B", "x")
    assert split("Other.x", {"A"}) == ("Other.x", "")


def test_a_pose_has_thirteen_values() -> None:
    assert len(POSE) == 13
