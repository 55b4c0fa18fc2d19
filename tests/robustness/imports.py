"""Robots of other formats by chance: sound or nearly sound URDF and MJCF files, with meshes that are there or not.

Whatever is in them, importing ends with a document that can be read, or with one error of ours.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from random import Random

from tests.robustness.chance import ODD_NUMBERS, chance, damaged_bytes, pick
from ubersim.errors import UberSimError
from ubersim.importers import import_robot

LONGEST = 20.0
"""Processor time that a small file may take [s]."""
ODD_TEXTS = (
    "",
    "heavy",
    "1e400",
    "-inf",
    "nan",
    "0x10",
    "1 2",
    "1,2,3",
    "&#27;[2J",
    "a" * 3000,
    "${width}",
    "../../etc/passwd",
)
MESHES = {
    "good.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    "flat.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    "far.obj": b"v 0 0 0\nv 1e30 0 0\nv 0 1e30 0\nv 0 0 1e30\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    "index.obj": b"v 0 0 0\nf 1 99999999 -5\n",
    "empty.stl": b"",
    "long.stl": bytes(80) + b"\xff\xff\xff\xff" + bytes(100),
    "bomb.dae": b'<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]><COLLADA>&c;</COLLADA>',
    "self.dae": b"<COLLADA><library_geometries/></COLLADA>",
    "text.ply": b"ply\nformat ascii 1.0\nelement vertex 999999999\nproperty float x\nend_header\n",
    "scene.gltf": b'{"buffers": [{"uri": "/etc/passwd", "byteLength": 10}]}',
}


def number(random: Random, usual: float = 1.0) -> str:
    """As people write it, mostly."""
    if chance(random, 0.03):
        return pick(random, ODD_TEXTS)
    if chance(random, 0.05):
        return repr(pick(random, ODD_NUMBERS))
    return f"{usual * random.uniform(0.1, 3.0):.4g}"


def numbers(random: Random, count: int, usual: float = 1.0) -> str:
    """So many, or now and then another count."""
    return " ".join(number(random, usual) for _ in range(count if not chance(random, 0.02) else random.randrange(9)))


def _mesh(random: Random) -> str:
    return pick(random, [*MESHES, "missing.stl", "good.obj", "good.obj", "package://here/good.obj", "/dev/zero", "."])


def urdf(random: Random) -> str:
    """A URDF file: a tree, mostly."""
    count = pick(random, [1, 2, 3, 6])
    links = "".join(_link(random, f"l{place}") for place in range(count))
    joints = "".join(_urdf_joint(random, place, count) for place in range(1, count))
    extras = pick(random, ["", "", '<gazebo reference="l0"><sensor type="camera" name="c"/></gazebo>', "<material/>"])
    return f'<robot name="{pick(random, ["r", "r", "", "a b", "&lt;"])}">{links}{joints}{extras}</robot>'


def _link(random: Random, name: str) -> str:
    form = pick(
        random,
        [
            f'<box size="{numbers(random, 3, 0.2)}"/>',
            f'<sphere radius="{number(random, 0.1)}"/>',
            f'<cylinder radius="{number(random, 0.1)}" length="{number(random, 0.3)}"/>',
            f'<capsule radius="{number(random, 0.1)}" length="{number(random, 0.3)}"/>',
            f'<mesh filename="{_mesh(random)}" scale="{numbers(random, 3)}"/>',
            f'<mesh filename="{_mesh(random)}"/>',
            "<plane/>",
            "",
        ],
    )
    origin = f'<origin xyz="{numbers(random, 3)}" rpy="{numbers(random, 3)}"/>'
    inertia = " ".join(f'{name}="{number(random, 0.1)}"' for name in ("ixx", "iyy", "izz"))
    inertial = (
        f'<inertial>{origin}<mass value="{number(random)}"/><inertia {inertia} ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    shape = "".join(f"<{kind}>{origin}<geometry>{form}</geometry></{kind}>" for kind in ("visual", "collision"))
    return f'<link name="{name}">{inertial if chance(random, 0.8) else ""}{shape if chance(random, 0.8) else ""}</link>'


def _urdf_joint(random: Random, place: int, count: int) -> str:
    parent = place - 1 if chance(random, 0.9) else random.randrange(count)
    kinds = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical", "odd")
    limit = f'<limit lower="{number(random)}" upper="{number(random)}" effort="{number(random)}" velocity="1"/>'
    mimic = f'<mimic joint="j{random.randrange(count)}" multiplier="{number(random)}"/>' if chance(random, 0.1) else ""
    dynamics = f'<dynamics damping="{number(random)}" friction="{number(random)}"/>' if chance(random, 0.3) else ""
    return (
        f'<joint name="j{place}" type="{pick(random, kinds)}"><origin xyz="{numbers(random, 3)}"/>'
        f'<parent link="l{parent}"/><child link="l{place}"/><axis xyz="{numbers(random, 3)}"/>'
        f"{limit if chance(random, 0.7) else ''}{mimic}{dynamics}</joint>"
    )


def mjcf(random: Random) -> str:
    """An MJCF file: bodies within bodies."""
    bodies = ""
    for place in reversed(range(pick(random, [1, 2, 4, 30]))):
        kind = pick(random, ["hinge", "slide", "ball", "free", "odd"])
        joint = f'<joint name="j{place}" type="{kind}" axis="{numbers(random, 3)}" range="{numbers(random, 2)}"/>'
        shape = pick(random, ["sphere", "box", "capsule", "cylinder", "ellipsoid", "plane", "mesh"])
        geom = f'<geom type="{shape}" size="{numbers(random, 3, 0.1)}" pos="{numbers(random, 3)}"/>'
        bodies = (
            f'<body name="b{place}" pos="{numbers(random, 3)}">{joint if chance(random, 0.8) else ""}'
            f"{geom if chance(random, 0.95) else ''}{bodies}</body>"
        )
    asset = f'<asset><mesh name="m" file="{_mesh(random)}"/></asset>' if chance(random, 0.3) else ""
    actuator = (
        f'<actuator><motor joint="j0" gear="{number(random)}"/><position joint="j1" kp="{number(random)}"/></actuator>'
    )
    include = f'<include file="{pick(random, ["robot.xml", "other.xml", "missing.xml", "/etc/passwd"])}"/>'
    more = (actuator if chance(random, 0.3) else "") + (include if chance(random, 0.1) else "")
    return f'<mujoco model="m">{asset}<worldbody>{bodies}</worldbody>{more}</mujoco>'


def run(random: Random) -> None:
    """One file."""
    foreign = chance(random, 0.6)
    text = (urdf(random) if foreign else mjcf(random)).encode()
    if chance(random, 0.2):
        text = damaged_bytes(random, text)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "a" / "here"
        folder.mkdir(parents=True)
        for name, content in MESHES.items():
            (folder / name).write_bytes(content)
        (folder / "other.xml").write_bytes(b'<mujoco><include file="robot.xml"/></mujoco>')
        path = folder / ("robot.urdf" if foreign else "robot.xml")
        path.write_bytes(text)
        began = time.process_time()
        try:
            import_robot(path).description()
        except UberSimError as error:
            assert str(error)
        finally:
            assert time.process_time() - began < LONGEST, "it takes too long"
