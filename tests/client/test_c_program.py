"""Parameters and logs of a program in C and C++, against a real server: what it declares, is told and logs."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.c_client import CHECKED, FOLDER
from tests.helpers.heard import Heard
from tests.helpers.robots import cart
from tests.helpers.serving import Serving
from ubersim.client.supervisor import supervise
from ubersim.png import encode_png
from ubersim.protocol.document_settings import with_settings
from ubersim.simulation import Simulation

PROGRAM = r"""
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "ubersim.h"

int main(int argc, char **argv)
{
    char error[UBERSIM_ERROR_SIZE] = "";
    ubersim *robot = argc == 4 ? ubersim_connect_file(argv[1], argv[2], argv[3], error) : NULL;
    if (!robot)
        return printf("%s\n", error), 1;
    const char *const turns[] = {"left", "right", NULL};
    static double many[20000];
    const float points[] = {1, 2, 3, 4, 5, 6};
    for (int i = 0; i < 20000; i++)
        many[i] = i;
    ubersim_declare_number(robot, "gain", 12.5, 0, 50);
    ubersim_declare_number(robot, "free", -1e9, -INFINITY, INFINITY);
    ubersim_declare_switch(robot, "debug", 0);
    ubersim_declare_choice(robot, "turn", "left", turns);
    ubersim_declare_text(robot, "note", "say \"\\ \t\xc3\x9c");
    while (ubersim_next_frame(robot) > 0) {
        printf("%g %g %g %s %s\n", ubersim_parameter(robot, "gain"), ubersim_parameter(robot, "free"),
               ubersim_parameter(robot, "debug"), ubersim_parameter_text(robot, "turn"),
               ubersim_parameter_text(robot, "note"));
        ubersim_log_number(robot, "speed", 1.5);
        if (ubersim_time(robot) > 0)
            continue;
        ubersim_log_vector(robot, "many", many, 20000);
        ubersim_log_text(robot, "state", UBERSIM_WARNING, "this will not end well");
        ubersim_log_points(robot, "cloud", "Base", points, 2);
        ubersim_log_drawing(robot, "plan", "{\"lines\":[[0,0,0],[1,1,1]]}");
        FILE *file = fopen("picture.png", "rb");
        char bytes[4096];
        ubersim_log_image(robot, "view", bytes, file ? fread(bytes, 1, sizeof bytes, file) : 0);
        if (file)
            fclose(file);
    }
    printf("%s %s\n", ubersim_error(robot), isnan(ubersim_parameter(robot, "nobody")) ? "none" : "some");
    ubersim_close(robot);
    return 0;
}
"""


CPP = r"""
#include <iostream>
#include "ubersim.hpp"

int main(int, char **argv)
{
    uber::Robot robot = uber::Robot::from_file(argv[1], argv[2], argv[3]);
    robot.declare("gain", 12, 0, 50);
    robot.declare("debug", false);
    robot.declare("turn", "left", {"left", "right"});
    robot.declare("note", "none");
    while (robot.next_frame()) {
        std::cout << robot.parameter("gain") << robot.parameter("debug") << robot.parameter_text("turn") << robot.parameter_text("note") << "\n";
        robot.log("speed", 1.5);
        robot.log("place", std::vector<double>{1, 2});
        robot.log("state", "fine", UBERSIM_DEBUG);
        robot.log_points("cloud", {1, 2, 3, 4, 5, 6}, "Base");
        robot.log_drawing("ball", R"({"points": [[3, 4]], "space": "Eye"})");
        robot.log_image("view", "\xff\xd8\xff");
    }
}
"""  # noqa: E501  # as in C


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("c")
    (folder / "program.c").write_text(PROGRAM)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", *CHECKED.split()]
    sources = [folder / "program.c", FOLDER / "ubersim.c", FOLDER / "ubersim_program.c"]
    subprocess.run(["cc", *flags, f"-I{FOLDER}", "-o", folder / "program", *sources, "-lm"], check=True)
    (folder / "robot.xml").write_text(with_settings(cart(), protocol=2))
    (folder / "picture.png").write_bytes(encode_png(np.zeros((3, 4, 3), np.uint8)))
    return folder / "program"


def run(program: Path, simulation: Simulation, changes: dict[str, Any]) -> list[str]:
    """What it prints in six frames; the changes are made in frame 2."""
    serving = Serving(simulation, 6, clients=1)
    with supervise(port=serving.port) as world:
        for name, value in changes.items():
            world.set_parameter("Cart", name, value, frame=2)
        world.truth()  # all of it has come before any frame
        where = ["127.0.0.1", str(serving.port), str(program.parent / "robot.xml")]
        done = subprocess.run([program, *where], capture_output=True, text=True, timeout=60, cwd=program.parent)
    serving.result()
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_parameters_are_declared_and_changed(program: Path) -> None:
    changes = {"gain": 20.25, "free": 3.0, "debug": True, "turn": "right", "note": 'more "words" \\ Ü 🤖\n'}
    lines = run(program, Simulation(), changes)
    assert lines[:3] == ['12.5 -1e+09 0 left say "\\ \tÜ'] * 3
    assert lines[3] == '20.25 3 1 right more "words" \\ Ü 🤖'
    assert lines[-1] == " none"


def test_everything_that_can_be_logged(program: Path) -> None:
    simulation, heard = Simulation(), Heard()
    simulation.observers.append(heard)
    run(program, simulation, {})
    first = {entry.name: entry for frame, entry in heard.entries if frame == 0}
    assert first["speed"].value == 1.5 and [frame for frame, entry in heard.entries if entry.name == "speed"] == [
        *range(6)
    ]
    assert first["many"].value.tolist() == list(range(20000))
    assert (first["state"].value, first["state"].level) == ("this will not end well", "warning")
    assert first["cloud"].value.tolist() == [[1, 2, 3], [4, 5, 6]] and first["cloud"].space == "Base"
    assert first["plan"].value["lines"] == [[0, 0, 0], [1, 1, 1]]
    assert first["view"].picture_format == "png"


def test_the_same_in_cpp(program: Path, tmp_path: Path) -> None:
    (tmp_path / "program.cpp").write_text(CPP)
    for file in ("ubersim.c", "ubersim_program.c"):
        subprocess.run(["cc", "-std=c99", "-c", FOLDER / file, "-o", tmp_path / f"{file}.o"], check=True)
    objects = [tmp_path / "ubersim.c.o", tmp_path / "ubersim_program.c.o"]
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{FOLDER}"]
    subprocess.run(["c++", *flags, "-o", tmp_path / "program", tmp_path / "program.cpp", *objects], check=True)
    (tmp_path / "robot.xml").write_text(with_settings(cart(), protocol=2))
    simulation, heard = Simulation(), Heard()
    simulation.observers.append(heard)
    lines = run(tmp_path / "program", simulation, {"gain": 20.0, "debug": True, "turn": "right", "note": "go"})
    assert lines == ["120leftnone"] * 3 + ["201rightgo"] * 3
    said = {entry.name: entry for frame, entry in heard.entries if frame == 4}
    assert list(said) == ["speed", "place", "state", "cloud", "ball", "view"]
    assert said["cloud"].value.tolist() == [[1, 2, 3], [4, 5, 6]] and said["cloud"].space == "Base"
    assert said["ball"].value["points"] == [[3, 4]] and said["ball"].space == "Eye"
    assert said["view"].picture_format == "jpeg"


def test_a_robot_that_does_not_ask_for_version_2_is_told(program: Path) -> None:
    serving = Serving(Simulation(), 3, clients=1)
    (program.parent / "old.xml").write_text(cart())
    where = ["127.0.0.1", str(serving.port), str(program.parent / "old.xml")]
    done = subprocess.run([program, *where], capture_output=True, text=True, timeout=60, cwd=program.parent)
    assert "'Declare'" in done.stdout
    serving.server.stop()
