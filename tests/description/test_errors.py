"""Whatever is wrong with a robot file is told: all of it, with line, element, what was found and what is allowed."""

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.documents import ANCHOR, AT_ORIGIN, SETTINGS, ball, body, robot, two_bodies, vector
from tests.helpers.paths import DATA
from ubersim.description import default_materials, load_robot, read_robot
from ubersim.errors import DescriptionError


def problems(text: str, **options: object) -> list[tuple[str, str]]:
    with pytest.raises(DescriptionError) as refused:
        read_robot(text, **options)  # type: ignore[arg-type]
    return [(problem.element, problem.message) for problem in refused.value.problems]


def sphere(old: str, new: str) -> str:
    assert old in ball("s")
    return robot(body(ball("s").replace(old, new)))


def hinge(*parts: str, kind: str = "JointHinge") -> str:
    return two_bodies(f'<{kind} name="j">{"".join(parts)}</{kind}>')


BODIES = "<Body1>A</Body1><Body2>B</Body2>"
X, Y = vector("Axis", 1, 0, 0), vector("Axis", 0, 1, 0)
X1, X2, Y2 = vector("Axis1", 1, 0, 0), vector("Axis2", 1, 0, 0), vector("Axis2", 0, 1, 0)
S = "Body[B]/Sphere[s]"
J = "{}[j]"

CAMERA = f'<CameraSensor name="{{}}"><Fov>42</Fov><Width>4096</Width><Height>4096</Height>{AT_ORIGIN}</CameraSensor>'
CASES = {
    "typo in a tag": (sphere("Radius>", "Raduis>"), f"{S}/Raduis", "unknown element Raduis; did you mean Radius?"),
    "wrong case": (sphere("Mass>", "mass>"), f"{S}/mass", "unknown element mass; did you mean Mass?"),
    "missing": (sphere("<Mass>1</Mass>", ""), S, "Mass is missing (mass, of constant density)"),
    "second": (sphere("<Mass>", "<Mass>2</Mass><Mass>"), f"{S}/Mass", "a second Mass, after that in line 1"),
    "not a number": (sphere("<Mass>1<", "<Mass>heavy<"), f"{S}/Mass", "'heavy' is not a number (1e-06 to 1e+06)"),
    "nan": (sphere("<Mass>1<", "<Mass>nan<"), f"{S}/Mass", "'nan' is not a number"),
    "infinity": (
        sphere("<Mass>1<", "<Mass>1e999<"),
        f"{S}/Mass",
        "'1e999' is out of range; allowed is 1e-06 to 1e+06 kg",
    ),
    "underscores": (sphere("<Mass>1<", "<Mass>1_0<"), f"{S}/Mass", "not a number"),
    "hexadecimal": (sphere("<Mass>1<", "<Mass>0x1<"), f"{S}/Mass", "not a number"),
    "foreign digits": (sphere("<Mass>1<", "<Mass>١<"), f"{S}/Mass", "not a number"),
    "zero mass": (sphere("<Mass>1<", "<Mass>0<"), f"{S}/Mass", "out of range"),
    "negative radius": (sphere("<Radius>0.1<", "<Radius>-0.1<"), f"{S}/Radius", "allowed is 0.0001 to 10000 m"),
    "tiny radius": (sphere("<Radius>0.1<", "<Radius>1e-300<"), f"{S}/Radius", "out of range"),
    "empty": (sphere("<Mass>1<", "<Mass> <"), f"{S}/Mass", "is empty; a number is needed (1e-06 to 1e+06)"),
    "two numbers": (sphere("<Mass>1<", "<Mass>1 2<"), f"{S}/Mass", "'1 2' is not a number"),
    "child in a number": (
        sphere("<Mass>1<", "<Mass><kg/>1<"),
        f"{S}/Mass/kg",
        "unexpected element; Mass holds a number",
    ),
    "attribute of a number": (
        sphere("<Mass>", '<Mass unit="kg">'),
        f"{S}/Mass",
        "unknown attribute 'unit'; it has none",
    ),
    "attribute of a solid": (
        sphere('name="s"', 'name="s" nmae="s"'),
        S,
        "unknown attribute 'nmae'; did you mean name?",
    ),
    "no name": (sphere(' name="s"', ""), "Body[B]/Sphere", 'has no name; write <Sphere name="...">'),
    "bad name": (sphere('"s"', '"a b"'), "Body[B]/Sphere[a b]", "'a b' is not a name"),
    "long name": (sphere('"s"', f'"{"x" * 65}"'), f"Body[B]/Sphere[{'x' * 64}]", "is not a name"),
    "reserved name": (sphere('"s"', '"Ack"'), "Body[B]/Sphere[Ack]", "the name 'Ack' is reserved; so are Ack, Client"),
    "name of the world": (robot(body(ball("s"), "World")), "Body[World]", "the name 'World' is reserved"),
    "name taken": (robot(body(ball("B"))), "Body[B]/Sphere[B]", "the name 'B' is taken by Body in line 1"),
    "stray text": (sphere("<Mass>", "hello<Mass>"), S, "unexpected text 'hello'; Sphere holds elements only"),
    "stray text behind": (sphere("</Mass>", "</Mass>, "), S, "unexpected text ','"),
    "stray text in a list": (robot(body(ball("s")) + "x"), "Client/Entity/RigidBodies", "unexpected text 'x'"),
    "vector lacks": (sphere("<y>0</y>", ""), f"{S}/Position", "y is missing"),
    "vector in attributes": (
        sphere("<Position><x>0</x><y>0</y><z>0</z></Position>", '<Position x="0" Y="1" z="2e-1"/>'),
        f"{S}/Position",
        "holds elements, not attributes; write <Position><x>0</x><y>1</y><z>2e-1</z></Position>",
    ),
    "vector in one attribute": (
        sphere("<Position><x>0</x><y>0</y><z>0</z></Position>", '<Position xyz="0 0 .5"></Position>'),
        f"{S}/Position",
        "write <Position><x>0</x><y>0</y><z>.5</z></Position>",
    ),
    "vector in capitals": (sphere("<y>0</y>", "<Y>0</Y>"), f"{S}/Position/Y", "unknown element Y; did you mean y?"),
    "vector in other attributes": (sphere("<Position>", '<Position unit="mm">'), f"{S}/Position", "attribute 'unit'"),
    "vector twice": (sphere("<y>0</y>", "<y>0</y><y>1</y>"), f"{S}/Position/y", "a second y; Position has one"),
    "vector has more": (sphere("<y>0</y>", "<y>0</y><w>0</w>"), f"{S}/Position/w", "unknown element w"),
    "far away": (sphere("<y>0</y>", "<y>2e5</y>"), f"{S}/Position/y", "allowed is -100000 to 100000 m"),
    "colour": (
        sphere("<Mass>", "<Color><r>0</r><g>1.5</g><b>0</b></Color><Mass>"),
        f"{S}/Color/g",
        "'1.5' is out of range; allowed is 0 to 1",
    ),
    "colour as text": (
        sphere("<Mass>", "<Color>1 .5 0</Color><Mass>"),
        f"{S}/Color",
        "holds elements, not text; write <Color><r>1</r><g>.5</g><b>0</b></Color>",
    ),
    "unknown primitive": (robot(body("<Bax/>" + ball("s"))), "Body[B]/Bax", "unknown element Bax; did you mean Box?"),
    "joint among bodies": (
        robot(body(ball("s")) + "<JointBall/>"),
        "Client/Entity/RigidBodies/JointBall",
        "known are Body",
    ),
    "no solid": (
        robot(body(f'<InclinometerSensor name="t">{AT_ORIGIN}</InclinometerSensor>')),
        "Body[B]",
        "has no solid; a body needs at least one",
    ),
    "no body": (robot(""), "Client/Entity/RigidBodies", "holds 0 Body; allowed are 1 to 512"),
    "too slender": (
        robot(
            body(
                f'<Box name="s"><Mass>1</Mass><XSize>1e-4</XSize><YSize>1e-4</YSize><ZSize>1e3</ZSize>{AT_ORIGIN}'
                "<Material>Wood</Material></Box>"
            )
        ),
        "Body[B]",
        "is too slender: its principal moments of inertia are 1.67e-09 and 8.33e+04",
    ),
    "no entity": (f"<Client>{SETTINGS}</Client>", "Client", "Entity is missing (the robot)"),
    "no robot name": (robot(body(ball("s")), settings="<CSettings/>"), "Client/CSettings", "Name is missing"),
    "wrong root": ("<Robot/>", "Robot", "the root element is Robot; it has to be Client"),
    "namespace": ('<Client xmlns="urn:x"/>', "{urn:x}Client", "it has to be Client"),
    "dangling body": (
        hinge("<Body1>A</Body1><Body2>C</Body2>", X, ANCHOR),
        "JointHinge[j]/Body2",
        "Body 'C' does not exist",
    ),
    "dangling, near": (
        two_bodies(f'<JointBall name="j"><Body1>Aa</Body1>{ANCHOR}</JointBall>'),
        "JointBall[j]/Body1",
        "Body 'Aa' does not exist; did you mean A?",
    ),
    "not a body": (hinge("<Body1>A</Body1><Body2>b</Body2>", X, ANCHOR), "JointHinge[j]/Body2", "Body 'b' is a Sphere"),
    "to itself": (
        hinge("<Body1>A</Body1><Body2>A</Body2>", X, ANCHOR),
        "JointHinge[j]/Body2",
        "connects body 'A' to itself",
    ),
    "to nothing": (hinge(X, ANCHOR), "JointHinge[j]", "connects nothing: give Body1, Body2 or both"),
    "world to world": (
        hinge("<Body1>World</Body1><Body2>World</Body2>", X, ANCHOR),
        "JointHinge[j]",
        "connects nothing",
    ),
    "zero axis": (hinge(BODIES, vector("Axis", 0, 0, 0), ANCHOR), "JointHinge[j]/Axis", "has no direction"),
    "stops crossed": (
        hinge(BODIES, X, ANCHOR, "<LoStop>10</LoStop><HiStop>-10</HiStop>"),
        "JointHinge[j]/LoStop",
        "the lower stop of axis 1 is above its upper stop",
    ),
    "second stops crossed": (
        hinge(BODIES, X1, Y2, ANCHOR, "<LoStop2>10</LoStop2><HiStop2>-10</HiStop2>", kind="JointUniversal"),
        "JointUniversal[j]/LoStop2",
        "the lower stop of axis 2 is above its upper stop",
    ),
    "parallel axes": (
        hinge(BODIES, X1, X2, ANCHOR, kind="JointHinge2"),
        "JointHinge2[j]/Axis2",
        "is parallel to Axis1",
    ),
    "parallel universal": (
        hinge(BODIES, X1, X2, ANCHOR, kind="JointUniversal"),
        "JointUniversal[j]/Axis2",
        "is parallel to Axis1",
    ),
    "wheel on the world": (
        hinge("<Body1>A</Body1>", X1, Y2, ANCHOR, kind="JointHinge2"),
        "JointHinge2[j]",
        "a JointHinge2 needs two bodies",
    ),
    "motor of a ball": (
        hinge(BODIES, ANCHOR, "<Vel>1</Vel>", kind="JointBall"),
        "JointBall[j]/Vel",
        "unknown element Vel",
    ),
    "stop of an axle": (
        hinge(BODIES, X1, Y2, ANCHOR, "<LoStop2>1</LoStop2>", kind="JointHinge2"),
        "JointHinge2[j]/LoStop2",
        "unknown element LoStop2; did you mean LoStop?",
    ),
    "axis that is not there": (
        hinge(BODIES, X1, "<Vel2>1</Vel2>", kind="JointAMotor"),
        "JointAMotor[j]/Vel2",
        "there is no Axis2 for it",
    ),
    "third axis alone": (
        hinge(BODIES, X1, vector("Axis3", 0, 0, 1), kind="JointAMotor"),
        "JointAMotor[j]/Axis3",
        "Axis3 needs Axis2",
    ),
    "axes in a plane": (
        hinge(BODIES, X1, Y2, vector("Axis3", 1, 1, 0), kind="JointAMotor"),
        "JointAMotor[j]",
        "the axes are parallel, or all in one plane",
    ),
    "anchor missing": (hinge(BODIES, X), "JointHinge[j]", "AnchorPos is missing (a point on the axis)"),
    "camera too large": (
        robot(body(ball("s") + f'<CameraSensor name="c"><Fov>42</Fov><Width>4097</Width>{AT_ORIGIN}</CameraSensor>')),
        "Body[B]/CameraSensor[c]/Width",
        "'4097' is out of range; allowed is 1 to 4096",
    ),
    "too many pixels": (
        robot(body(ball("s") + "".join(CAMERA.format(name) for name in "cdefg"))),
        "Client/Entity",
        "one reading of every sensor has 335544320 bytes; allowed are 268435456",
    ),
    "half a pixel": (
        robot(body(ball("s") + f'<CameraSensor name="c"><Fov>42</Fov><Width>0.5</Width>{AT_ORIGIN}</CameraSensor>')),
        "Body[B]/CameraSensor[c]/Width",
        "'0.5' is not a whole number (1 to 4096)",
    ),
    "frequency below zero": (
        robot(
            body(ball("s") + f'<InclinometerSensor name="t"><Frequency>-1</Frequency>{AT_ORIGIN}</InclinometerSensor>')
        ),
        "Body[B]/InclinometerSensor[t]/Frequency",
        "allowed is 0 to 1e+06 Hz",
    ),
    "neither true nor false": (
        robot(body(ball("s") + f'<InclinometerSensor name="t"><Stamped>yes</Stamped>{AT_ORIGIN}</InclinometerSensor>')),
        "Body[B]/InclinometerSensor[t]/Stamped",
        "'yes' is neither true nor false",
    ),
    "mesh file on the wire": (
        robot(body(f'<Mesh name="m"><Mass>1</Mass>{AT_ORIGIN}<Material>Wood</Material><File>a.stl</File></Mesh>')),
        "Body[B]/Mesh[m]/File",
        "a mesh file has to be inlined before it can be read",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_one_mistake_one_problem(case: str) -> None:
    text, element, message = CASES[case]
    found = problems(text)
    assert [place for place, _ in found] == [element]
    assert message in found[0][1]


LATENCIES = {
    "-1": "'-1' is out of range; allowed is 0 to 60000 ms",
    "": "is not a number",
    "<Min>1</Min>": 'has parts but no model; write <Latency model="...">, one of constant, normal, uniform',
}
MODELS = {
    ("gamma", ""): "unknown model 'gamma'; known are constant, normal, uniform",
    ("uniform", "<Min>3</Min>"): "Max is missing",
    ("uniform", "<Min>3</Min><Max>2</Max>"): "Max 2 is below Min 3",
    ("uniform", "<Min>3</Min><Max>4</Max><Mean>3</Mean>"): "unknown element Mean",
    ("normal", "<Mean>3</Mean><Sigma>-1</Sigma>"): "out of range",
    ("constant", "<Value>3</Value><Loss>1.5</Loss>"): "'1.5' is out of range; allowed is 0 to 1",
    ("constant", "<Value>3</Value><Order>random</Order>"): "'random' is not one of keep, break",
    ("constant", "3"): "unexpected text '3'",
}


def test_a_latency_model_in_attributes() -> None:
    latency = '<Latency model="normal" mean="20" sigma="4"/>'
    found = problems(robot(body(ball("s")), settings=f"<CSettings><Name>R</Name>{latency}</CSettings>"))
    ((place, message),) = found
    assert place == "Client/CSettings/Latency"
    assert message.endswith("elements, not attributes; write <Mean>20</Mean><Sigma>4</Sigma>")


@pytest.mark.parametrize(
    ("latency", "message"),
    [(f"<Latency>{content}</Latency>", message) for content, message in LATENCIES.items()]
    + [(f'<Latency model="{model}">{parts}</Latency>', message) for (model, parts), message in MODELS.items()],
)
def test_latencies(latency: str, message: str) -> None:
    found = problems(robot(body(ball("s")), settings=f"<CSettings><Name>R</Name>{latency}</CSettings>"))
    assert any(message in told for _, told in found)
    assert all(place.startswith("Client/CSettings/Latency") for place, _ in found)


def test_all_problems_at_once_each_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(
        """<Client>
  <CSettings><Name>R</Name><Latncy>1</Latncy></CSettings>
  <Entity>
    <RigidBodies>
      <Body name="A">
        <Sphere name="s">
          <Mass>-1</Mass>
          <Radius>big</Radius>
          <Position><x>0</x><y>0</y><z>0</z></Position>
          <Material>Ruber</Material>
        </Sphere>
      </Body>
    </RigidBodies>
    <Joints>
      <JointBall name="s">
        <Body1>A</Body1>
        <Body2>Q</Body2>
        <AnchorPos><x>0</x><y>0</y><z>0</z></AnchorPos>
      </JointBall>
    </Joints>
  </Entity>
</Client>"""
    )
    with pytest.raises(DescriptionError) as refused:
        load_robot(path, materials=default_materials())
    assert str(refused.value).split("\n") == [
        f"{path}:2: Client/CSettings/Latncy: unknown element Latncy; did you mean Latency?",
        f"{path}:7: Body[A]/Sphere[s]/Mass: '-1' is out of range; allowed is 1e-06 to 1e+06 kg",
        f"{path}:8: Body[A]/Sphere[s]/Radius: 'big' is not a number (0.0001 to 10000)",
        f"{path}:10: Body[A]/Sphere[s]/Material: unknown material 'Ruber'; did you mean Rubber?",
        f"{path}:15: JointBall[s]: the name 's' is taken by Sphere in line 6; names are unique",
        f"{path}:17: JointBall[s]/Body2: Body 'Q' does not exist; known are A",
    ]


def test_without_a_list_of_materials_every_name_will_do() -> None:
    assert read_robot(sphere("Rubber", "Cheese")).bodies[0].solids[0].material == "Cheese"


def test_not_well_formed_names_the_line() -> None:
    with pytest.raises(DescriptionError, match=r"^<robot>:2: not well-formed XML: .*mismatch"):
        read_robot("<Client>\n</Klient>")


def test_a_flood_of_problems_is_cut_off() -> None:
    found = problems(robot(body(ball("s") + "<Nothing/>" * 200)))
    assert len(found) == 101
    assert ("", "more than 100 problems: the rest is not read") in found


@given(st.text(max_size=30))
def test_any_text_in_place_of_a_number_is_a_number_or_refused(text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    try:
        mass = read_robot(sphere("<Mass>1<", f"<Mass>{escaped}<")).bodies[0].solids[0].mass
    except DescriptionError:
        return
    assert math.isfinite(mass) and 1e-6 <= mass <= 1e6
    assert re.fullmatch(r"\s*[+-]?[\d.]+([eE][+-]?\d+)?\s*", text)


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_any_number_is_taken_exactly_or_refused(value: float) -> None:
    text = sphere("<Mass>1<", f"<Mass>{value!r}<")
    if 1e-6 <= value <= 1e6:
        assert read_robot(text).bodies[0].solids[0].mass == value
    else:
        assert problems(text)


@given(st.data())
def test_a_damaged_document_is_read_or_refused_but_never_breaks_the_reader(data: st.DataObject) -> None:
    text = (DATA / "paper_figures.xml").read_bytes()
    start = data.draw(st.integers(0, len(text) - 1))
    length = data.draw(st.integers(0, 40))
    damaged = text[:start] + data.draw(st.binary(max_size=8)) + text[start + length :]
    try:
        read_robot(damaged)
    except DescriptionError as error:
        assert error.problems
