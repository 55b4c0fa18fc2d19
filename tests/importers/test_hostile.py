"""Files that mean harm, or are broken: each is one line that says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.importers.files import written
from tests.importers.test_urdf import INERTIAL, joint, link
from ubersim.errors import DescriptionError
from ubersim.importers import import_robot
from ubersim.importers.packages import LARGEST_FILE

BOMB = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><robot name="&b;"/>'
ODD_MASS = INERTIAL.replace('mass value="1"', 'mass value="{}"')


def robot(content: str) -> str:
    return f'<robot name="test">{content}</robot>'


def shape(form: str, origin: str = "") -> str:
    return f"<collision><origin {origin}/><geometry>{form}</geometry></collision>"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "has a DOCTYPE"),
        ("<robot name='a'", "not well-formed XML"),
        ("<sdf><model/></sdf>", "the root element is sdf"),
        (robot("${width}").replace("test", "${name}"), "this is a xacro file: run `xacro robot.urdf > robot.urdf`"),
        (robot(link().replace('mass value="1"', 'mass value="nan"')), "a number is not finite"),
        (robot(link().replace('ixx="0.1"', 'ixx="inf"')), "a number is not finite"),
        (robot(link().replace('mass value="1"', 'mass value="heavy"')), "cannot be understood"),
        (robot(link() + link()), "link 'tip' is there twice"),
        (robot(link(name="base") + joint("fixed")), "names no link: 'tip'"),
        (robot(link() + link(name="base") + joint("fixed") + joint("fixed", parent="tip", child="base", name="j")),
         "hangs on itself"),
        (robot(link() + link(name="base") + joint("fixed") + joint("fixed", name="j")), "both hold link 'tip'"),
        (robot(link() + link(name="base") + joint("revolute").replace("0 0 2", "0 0 0")), "its axis is no direction"),
        (robot(link().replace("<inertial>", '<inertial><origin xyz="1 2"/>')), "xyz of origin is '1 2', not 3 finite"),
        (robot(link(shape('<box size="1 2"/>'))), "size of box is '1 2', not 3 finite numbers"),
        (robot(link(shape('<capsule radius="" length="1"/>'))), "radius of capsule is '', not 1 finite number"),
        (robot(link(shape('<box size="1 1 1"/>', 'rpy="1e400 0 0"'))), "rpy of origin is '1e400 0 0', not 3 finite"),
        (robot(link(shape('<sphere radius="1e30"/>'))), "a shape of link tip: a number is not finite, or beyond"),
        (robot(link(shape('<box size="1 1 1"/>', 'xyz="1e200 0 0"'))), "a shape of link tip: a number is not finite"),
        (robot(link().replace('mass value="1"', 'mass value="1e300"')), "the inertia of link tip: a number is not"),
        ("<mujoco><worldbody><body name='a' pos='1e30 0 0'><geom size='1'/></body></worldbody></mujoco>",
         "the place of link a: a number is not finite, or beyond 100000"),
        ("<mujoco><worldbody><body name='a'><joint/></body></worldbody></mujoco>", "MuJoCo refuses it: Error: mass"),
        ("<mujoco><worldbody/></mujoco>", "it has no bodies"),
        ("<mujoco><worldbody><replicate count='999'><replicate count='999'><geom size='1'/></replicate></replicate>"
         "</worldbody></mujoco>", "replicate makes 9.98e+05; allowed are 10000"),
        ("<mujoco><asset><texture type='2d' builtin='flat' width='99999' height='99999'/></asset></mujoco>",
         "texture makes 1e+10; allowed are"),
        ("<mujoco><asset><mesh file='/etc/passwd'/></asset><worldbody/></mujoco>", "leaves the robot's folder"),
        ("<mujoco><include file='/etc/passwd'/><worldbody/></mujoco>", "leaves the robot's folder"),
    ],
)  # fmt: skip
def test_what_is_no_robot_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    folder = tmp_path / "a" / "b" / "c"
    with pytest.raises(DescriptionError) as caught:
        import_robot(written(folder, text))
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../../../../etc/passwd", "leaves the robot's folder"),
        ("package://../../etc/passwd", "leaves the robot's folder"),
        ("file:///etc/passwd", "leaves the robot's folder"),
        ("http://example.com/a.stl", "http:// is not known"),
        ("missing.stl", "the file is not there"),
        ("huge.stl", f"allowed are {LARGEST_FILE}"),
        ("broken.obj", "no triangles"),
        ("nan.obj", "no triangles"),
    ],
)
def test_meshes_that_cannot_be_had_are_dropped_with_their_line(tmp_path: Path, name: str, message: str) -> None:
    folder = tmp_path / "a" / "b" / "c"
    text = robot("\n" + link(f'<collision><geometry><mesh filename="{name}"/></geometry></collision>'))
    path = written(folder, text)
    with (folder / "huge.stl").open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    (folder / "broken.obj").write_text("nothing")
    (folder / "nan.obj").write_text("v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    made = import_robot(path)
    (finding,) = made.report.of("dropped")
    assert finding.line == 2 and message in finding.detail
    made.description()
