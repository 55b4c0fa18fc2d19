"""The schema for editors accepts what the reader accepts, and refuses what an editor can see."""

from pathlib import Path

import pytest
from lxml import etree

from tests.helpers.documents import AT_ORIGIN, ball, body, robot, two_bodies, vector
from tests.helpers.paths import DATA
from ubersim.description import read_robot, shipped, shipped_names, xsd
from ubersim.errors import DescriptionError


@pytest.fixture(scope="module")
def schemas() -> dict[str, etree.XMLSchema]:
    return {
        "robot": etree.XMLSchema(etree.fromstring(xsd("robot"))),
        "world": etree.XMLSchema(etree.fromstring(xsd("world"))),
    }


@pytest.mark.parametrize(
    ("kind", "path"),
    [("robot", DATA / "paper_figures.xml")]
    + [("robot", shipped(f"robots/{name}.xml")) for name in shipped_names("robots")]
    + [("world", shipped(f"worlds/{name}.xml")) for name in shipped_names("worlds")],
    ids=lambda value: getattr(value, "name", value),
)
def test_shipped_files_are_valid(schemas: dict[str, etree.XMLSchema], kind: str, path: Path) -> None:
    schemas[kind].assertValid(etree.parse(path))


MODEL = '<Latency model="normal"><Mean>20</Mean><Sigma>4</Sigma></Latency>'
AXES = vector("Axis1", 1, 0, 0) + vector("Axis2", 0, 1, 0)
MESH = "<Vertices>0 0 0 1 0 0 0 1 0 0 0 1</Vertices><Triangles>0 2 1 0 1 3 0 3 2 1 2 3</Triangles>"


@pytest.mark.parametrize(
    "text",
    [
        robot(body(ball("s"))),
        robot(body(ball("s")), settings=f"<CSettings>{MODEL}<Name> R </Name></CSettings>"),
        robot(body(f'<Mesh name="m">{AT_ORIGIN}{MESH}<Mass>1</Mass><Material>Wood</Material></Mesh>')),
        two_bodies(f'<JointAMotor name="j"><FMax2>1</FMax2><Body2>World</Body2><Body1>A</Body1>{AXES}</JointAMotor>'),
        robot(body(ball("s") + f'<CameraSensor name="c"><Fov>42</Fov>{AT_ORIGIN}<Stamped>1</Stamped></CameraSensor>')),
    ],
)
def test_both_accept(schemas: dict[str, etree.XMLSchema], text: str) -> None:
    read_robot(text)
    schemas["robot"].assertValid(etree.fromstring(text))


@pytest.mark.parametrize(
    "text",
    [
        robot(""),
        robot(body(ball("s").replace("Radius", "Raduis"))),
        robot(body(ball("s").replace("<Material>Rubber</Material>", ""))),
        robot(body(ball("s").replace("<Mass>1<", "<Mass>0<"))),
        robot(body(ball("s").replace("<Mass>1<", "<Mass>INF<"))),
        robot(body(ball("s").replace("<Mass>", "<Mass>2</Mass><Mass>"))),
        robot(body(ball("a b"))),
        robot(body(ball("s").replace(' name="s"', ""))),
        robot(body(ball("s") + "<JointBall/>")),
        robot(body(ball("s") + f'<CameraSensor name="c"><Fov>42</Fov>{AT_ORIGIN}<Width>4097</Width></CameraSensor>')),
        robot(body(ball("s")), settings="<CSettings/>"),
        robot(body(ball("s")), settings='<CSettings><Name>R</Name><Latency model="odd"/></CSettings>'),
        two_bodies('<JointFixed name="j"><Body1>A</Body1><Vel>1</Vel></JointFixed>'),
        robot(body(ball("s"))).replace("<x>0</x>", "<x>0</x><w>0</w>"),
    ],
)
def test_both_refuse(schemas: dict[str, etree.XMLSchema], text: str) -> None:
    assert not schemas["robot"].validate(etree.fromstring(text))
    with pytest.raises(DescriptionError):
        read_robot(text)


def test_static_solids_have_no_mass(schemas: dict[str, etree.XMLSchema]) -> None:
    static = "<World><Static>{}</Static></World>"
    assert not schemas["world"].validate(etree.fromstring(static.format(ball("s"))))
    schemas["world"].assertValid(etree.fromstring(static.format(ball("s").replace("<Mass>1</Mass>", ""))))


def test_editors_are_told_meaning_and_unit() -> None:
    assert "<xs:documentation>radius [m]</xs:documentation>" in xsd("robot")
