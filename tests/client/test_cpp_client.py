"""The C++ client on top of the C one: the same bits, and errors as exceptions."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import pytest

from tests.helpers.c_client import CHECKED, FOLDER, Peer, build_segway
from tests.helpers.robots import segway
from tests.helpers.serving import Serving
from ubersim.protocol import End, Error, FrameEnd, Reading, Timestamp, Welcome
from ubersim.simulation import Simulation

PROBE = r"""
#include <cstdio>
#include "ubersim.hpp"

int main(int, char **argv)
{
    try {
        uber::Robot robot(argv[1], argv[2], argv[3]);
        std::printf("%s\n", std::string(robot.welcome()).c_str());
        while (robot.next_frame()) {
            auto picture = robot.bytes("Cam");
            std::printf("%.2f %zu %g\n", robot.time(), picture ? picture->as<unsigned short>().size() : 0,
                        robot.number("Tilt").value_or(-1));
            robot.send("Declare", "{}");
            robot.stamp(robot.time());
            robot.set("Wheel", UBERSIM_VEL, 1);
        }
        std::printf("%s\n", std::string(robot.end().value_or("no end")).c_str());
        robot.send("Log", std::string(1 << 16, 'x'));
    } catch (const uber::Error &error) {
        std::printf("%s\n", error.what());
    }
}
"""


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cpp")
    (folder / "probe.cpp").write_text(PROBE)
    flags = [*CHECKED.split(), f"-I{FOLDER}", "-Wall", "-Wextra", "-Wpedantic"]
    subprocess.run(["cc", "-std=c99", *flags, "-c", "-o", folder / "u.o", FOLDER / "ubersim.c"], check=True)
    command = ["c++", "-std=c++17", *flags, "-o", folder / "probe", folder / "probe.cpp", folder / "u.o"]
    subprocess.run([*map(str, command), "-lm"], check=True)
    return folder / "probe"


def test_all_that_it_offers(probe: Path) -> None:
    peer = Peer(probe, "<Client/>")
    assert peer.handshake() == b"<Client/>"
    tilt = Reading("Tilt", bytes.fromhex("0000803e"))
    peer.send(Welcome(protocol=2, name="C", step=0.01, frame=0))
    peer.send(Timestamp(0.0), tilt, Reading("Cam", bytes(6)), FrameEnd(), Timestamp(0.01), FrameEnd())
    peer.send(End("finished", 2, "done"))
    _, out, _ = peer.finish()
    assert out.splitlines()[1:] == [
        "0.00 3 0.25",
        "0.01 0 -1",
        '{"reason": "finished", "frame": 2, "text": "done"}',
        "a message is longer than 64 KiB: Log",
    ]


def test_errors_are_exceptions(probe: Path) -> None:
    peer = Peer(probe, "<Client/>")
    peer.handshake()
    peer.send(Error("no such robot"))
    assert peer.finish()[1] == "no such robot\n"


def test_the_same_bits_as_in_c(tmp_path: Path) -> None:
    subprocess.run(["make", "-s", "-C", FOLDER, "cpp", f"BUILD={tmp_path}", "CFLAGS=-O1 -Werror"], check=True)
    (tmp_path / "robot.xml").write_text(segway())
    digests = []
    for program, *more in ((tmp_path / "segway_pd_cpp",), (build_segway(tmp_path), "0")):
        digest = io.StringIO()
        serving = Serving(Simulation(), 200, clients=1, digest=digest)
        command = [str(program), "127.0.0.1", str(serving.port), str(tmp_path / "robot.xml"), *map(str, more)]
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
        assert said.startswith("200 frames")
        serving.result()
        digests.append(digest.getvalue())
    assert digests[0] == digests[1]
