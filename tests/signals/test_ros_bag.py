"""ROS 2 bags, written by rosbags itself, both kinds of storage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from ubersim.errors import UberSimError
from ubersim.signals import open_signals


def write(folder: Path, storage: StoragePlugin) -> None:
    """A hundred commands and joint states; the states are captured 30 ms before they are received."""
    store = get_typestore(Stores.ROS2_HUMBLE)
    types = store.types
    vector, stamp = types["geometry_msgs/msg/Vector3"], types["builtin_interfaces/msg/Time"]
    zero, nothing = vector(0.0, 0.0, 0.0), np.zeros(0)
    with Writer(folder, version=9, storage_plugin=storage) as writer:
        twists = writer.add_connection("/cmd_vel", "geometry_msgs/msg/Twist", typestore=store)
        states = writer.add_connection("/joint_states", "sensor_msgs/msg/JointState", typestore=store)
        for number in range(100):
            now = 1_000_000_000 + number * 10_000_000
            twist = types["geometry_msgs/msg/Twist"](vector(0.1 * number, 0.0, 0.0), zero)
            writer.write(twists, now, store.serialize_cdr(twist, twists.msgtype))
            captured = stamp(1, number * 10_000_000)
            header = types["std_msgs/msg/Header"](captured, "base")
            state = types["sensor_msgs/msg/JointState"](header, ["a", "b"], nothing, np.array([1.0, number]), nothing)
            writer.write(states, now + 30_000_000, store.serialize_cdr(state, states.msgtype))


@pytest.mark.parametrize("storage", [StoragePlugin.SQLITE3, StoragePlugin.MCAP])
def test_signals_of_a_bag(tmp_path: Path, storage: StoragePlugin) -> None:
    write(tmp_path / "bag", storage)
    source = open_signals(tmp_path / "bag")
    command, response = source.signal("/cmd_vel.linear.x"), source.signal("/joint_states.velocity[1]")
    assert command.stamps is None and command.values[3] == pytest.approx(0.3)
    assert response.stamps is not None and response.values[7] == 7.0
    assert np.allclose(response.times - response.stamps, 0.03, atol=1e-9)
    assert response.period == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        ("/cmd.linear.x", "there is no '/cmd.linear.x' in .*; there are /cmd_vel"),
        ("/cmd_vel.linear.w", "there is no 'w'; there is x, y, z"),
        ("/cmd_vel.linear", "is no number; it has x, y, z"),
        ("/joint_states.velocity[5]", r"there is no 'velocity\[5\]'"),
    ],
)
def test_what_is_not_there(tmp_path: Path, topic: str, said: str) -> None:
    write(tmp_path / "bag", StoragePlugin.MCAP)
    with pytest.raises(UberSimError, match=said):
        open_signals(tmp_path / "bag").signal(topic)
