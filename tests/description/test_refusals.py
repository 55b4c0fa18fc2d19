"""Refusals that take a document of their own: what is too much, what stands twice, what is no number."""

from __future__ import annotations

import math
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest
import trimesh
from lxml import etree

from tests.helpers.documents import AT_ORIGIN, ball, body, robot, two_bodies, vector
from ubersim.description import mesh_library, read_materials, read_robot, value_types, xsd
from ubersim.description.editing import number_at
from ubersim.description.mesh_library import load_meshes
from ubersim.description.plausibility import warnings
from ubersim.description.ranges import variants
from ubersim.description.registry import GROUP, Registry, registry
from ubersim.description.schema import _Schema
from ubersim.description.texture import picture_size
from ubersim.errors import DescriptionError, UberSimError

LAMPS, LAMP = "<Lights>{}</Lights>", f'<PointLight name="{{}}">{AT_ORIGIN}{{}}</PointLight>'
ODOMETRY = f'<OdometrySensor name="o">{AT_ORIGIN}<Wheels>{{}}</Wheels></OdometrySensor>'
ORACLE = '<OracleSensor name="o"><Target>{}</Target></OracleSensor>'


def lit(more: str) -> str:
    return robot(body(ball("s") + LAMPS.format(LAMP.format("l", more))))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (robot(body(ball("s") + ORACLE.format("a&#9;b"))), r"'a\\tb' is not up to \d+ characters on one line"),
        (robot(body(ball("s") + ODOMETRY.format("a! b c"))), "'a!' is not a name; allowed are 1 to 64 of"),
        (robot(body(ball("s").replace("<x>0</x><y>0</y><z>0</z>", "one two three"))), "x is missing"),
    ],
)  # fmt: skip
def test_what_is_no_text_name_or_number_is_told(text: str, reason: str) -> None:
    with pytest.raises(DescriptionError, match=reason):
        read_robot(text)


def test_indices_may_be_parted_by_any_blank() -> None:
    corners = "<Vertices>0 0 0 1 0 0 0 1 0 0 0 1</Vertices>"
    rest = f"<Mass>1</Mass>{AT_ORIGIN}<Material>Wood</Material>"
    text = f'<Mesh name="m">{corners}<Triangles>{{}}</Triangles>{rest}</Mesh>'
    plain, wide = (
        read_robot(robot(body(text.format(sides)))).entity
        for sides in ("0 2 1 0 1 3 0 3 2 1 2 3", "0 2 1 0 1 3 0 3 2 1 2\u20033")
    )
    assert plain == wide and hash(plain) == hash(wide)


def test_there_are_up_to_sixteen_classes_of_radiation() -> None:
    many = " ".join(f"c{count}" for count in range(17))
    with pytest.raises(DescriptionError, match="names 17; allowed are 1 to 16"):
        read_robot(lit(f"<Radiation>{many}</Radiation>"))
    classes = ", ".join(f"c{count}: {{}}" for count in range(17))
    with pytest.raises(DescriptionError, match="radiation: 17 classes; allowed are 16"):
        read_materials(f"materials: {{Wood: w}}\nradiation: {{{classes}}}")


def test_all_bodies_together_carry_eight_lights() -> None:
    lamps = ["".join(LAMP.format(f"l{place}{lamp}", "") for lamp in range(3)) for place in range(3)]
    bodies = [body(ball(f"s{place}") + LAMPS.format(each), f"B{place}") for place, each in enumerate(lamps)]
    assert read_robot(robot("".join(bodies[:2])))
    with pytest.raises(DescriptionError, match="its bodies carry 9 lights; allowed are 8"):
        read_robot(robot("".join(bodies)))


def test_commands_set_numbers_and_nothing_else() -> None:
    with pytest.raises(TypeError, match="commands set numbers; text is none"):
        value_types.Text(64).limits()


SLIDER = (
    f'<JointSlider name="{{}}"><Body1>A</Body1><Body2>B</Body2>{vector("Axis", 0, 0, 1)}<FMax>5</FMax></JointSlider>'
)


def warned(joints: str, motors: str = "") -> list[str]:
    text = two_bodies(joints).replace("</Joints>", f"</Joints><Motors>{motors}</Motors>")
    return list(warnings(read_robot(text)))


def test_a_servo_that_is_faster_than_a_frame() -> None:
    servo = (
        '<PositionServo name="m"><Joint>j</Joint><TorqueLimit>9</TorqueLimit><Kp>1000</Kp><Kd>0.1</Kd></PositionServo>'
    )
    assert "PositionServo m has the time constant Kd/Kp = 0.1 ms; a frame lasts 1 ms" in warned(
        SLIDER.format("j"), servo
    )


def test_a_slider_is_too_weak_where_nothing_else_holds_its_bodies() -> None:
    assert "JointSlider j exerts 5 N at most; to hold A takes 9.81" in warned(SLIDER.format("j"))
    assert not [warning for warning in warned(SLIDER.format("j") + SLIDER.format("k")) if "takes" in warning]


def test_a_jpeg_file_that_ends_before_its_size() -> None:
    with pytest.raises(ValueError, match="does not tell its size"):
        picture_size(b"\xff\xd8\xff\xe0\x00\x10JFIF")


def test_a_number_that_is_a_word() -> None:
    with pytest.raises(UberSimError, match="Settings/Name is 'R' in the model, which is no number"):
        number_at(robot(body(ball("s"))), "CSettings/Name", "the model")


def test_attributes_that_look_like_a_range_may_be_in_a_comment() -> None:
    text = robot(body(ball("s"))).replace("<Entity>", '<!-- <Mass min="1" max="2"/> --><Entity>')
    assert variants(text, 1) == [text]


def test_a_mesh_of_too_many_triangles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_library, "MOST_TRIANGLES", 11)
    trimesh.creation.box().export(tmp_path / "cube.stl")
    with pytest.raises(ValueError, match="it has more than 11 triangles"):
        load_meshes(tmp_path / "cube.stl")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_mesh_with_a_corner_nowhere(tmp_path: Path) -> None:
    cube = trimesh.creation.box()
    corners = cube.vertices.copy()
    corners[0, 0] = math.inf
    trimesh.Trimesh(corners, cube.faces, process=False).export(tmp_path / "cube.glb")
    with pytest.raises(ValueError, match="a vertex is not finite"):
        load_meshes(tmp_path / "cube.glb")


LATENCIES = """
from dataclasses import dataclass
from ubersim.description.fields import text
from ubersim.timing.latency import LatencyModel

@dataclass(frozen=True)
class Wordy(LatencyModel):
    kind = "wordy"
    mean: str = text("a word where others have a number", default="much")

    minimum = 0.0

    def draw(self, rng, memory):
        return 0.0
"""


def test_latency_models_of_others_may_be_named_wrongly_or_want_other_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "third_party_latencies.py").write_text(LATENCIES)
    monkeypatch.syspath_prepend(str(tmp_path))
    known = entry_points(group=GROUP)
    with pytest.warns(RuntimeWarning, match="whose `kind` is 'silent', the name of its entry point"):
        assert (
            "silent"
            not in Registry([*known, EntryPoint("silent", "third_party_latencies:Wordy", GROUP)]).latency_models
        )
    both = Registry([*known, EntryPoint("wordy", "third_party_latencies:Wordy", GROUP)])
    assert "wordy" in both.latency_models
    schema = etree.XMLSchema(etree.fromstring(xsd("robot", both).encode()))
    for mean in ("much", "5"):
        latency = f'<Latency model="wordy"><Mean>{mean}</Mean></Latency>'
        settings = f"<CSettings><Name>R</Name>{latency}</CSettings>"
        schema.assertValid(etree.fromstring(robot(body(ball("s")), settings=settings)))


def test_a_kind_of_value_without_a_schema_is_told() -> None:
    with pytest.raises(TypeError, match="no schema for"):
        _Schema(registry())._type(object())
