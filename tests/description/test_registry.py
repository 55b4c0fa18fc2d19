"""Components come from entry points, anybody's like our own; a broken one harms nobody else."""

import sys
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

from tests.helpers.documents import AT_ORIGIN, ball, body, robot
from ubersim.description.reader import read_document
from ubersim.description.registry import GROUP, Registry, registry
from ubersim.description.robot import RobotDescription
from ubersim.description.schema import xsd
from ubersim.errors import DescriptionError

SONAR = '''
from ubersim.description.component import component
from ubersim.description.fields import angle, choice
from ubersim.components.sensors.base import SensorDescription


@component
class BatSensor(SensorDescription):
    """Measures the distance to the nearest thing."""

    dtype = "<f8"
    cone: float = angle("opening of the beam", low=1, high=90)
    medium: str = choice("what it is in", "air", "water", default="air")

    def build(self, mount, rng):
        return None


class NoDataclass(SensorDescription):
    pass


@component
class Unfinished(SensorDescription):
    pass
'''


@pytest.fixture
def sonar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "third_party_sonar.py").write_text(SONAR)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("third_party_sonar", None)


def point(tag: str, value: str) -> EntryPoint:
    return EntryPoint(tag, value, GROUP)


def test_the_built_in_components_register_as_anybody_does() -> None:
    found = registry()
    assert not found.broken
    assert {"Box", "Sphere", "CappedCylinder", "Cylinder", "Mesh", "InclinometerSensor", "CameraSensor"} <= set(
        found.components
    )
    joints = {"JointBall", "JointHinge", "JointHinge2", "JointSlider", "JointUniversal", "JointFixed", "JointAMotor"}
    assert joints <= set(found.components)
    assert {entry.name for entry in entry_points(group=GROUP)} == {*found.components, *found.latency_models}


@pytest.mark.usefixtures("sonar")
def test_a_third_partys_component_is_read_checked_and_in_the_schema() -> None:
    components = Registry([*entry_points(group=GROUP), point("BatSensor", "third_party_sonar:BatSensor")])
    text = robot(body(ball("s") + f'<BatSensor name="n">{AT_ORIGIN}<Cone>45</Cone></BatSensor>'))
    sensor = read_document(RobotDescription, text, "x", None, components).sensors[0]
    assert (sensor.tag, sensor.dtype, sensor.medium) == ("BatSensor", "<f8", "air")  # type: ignore[attr-defined]
    with pytest.raises(DescriptionError, match=r"BatSensor\[n\]/Medium: 'oil' is not one of air, water"):
        wet = text.replace("<Cone>", "<Medium>oil</Medium><Cone>")
        read_document(RobotDescription, wet, "x", None, components)
    assert 'name="BatSensor"' in xsd("robot", components)


@pytest.mark.parametrize(
    ("tag", "value", "reason"),
    [
        ("Gone", "no_such_module:Gone", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("Gone", "third_party_sonar:Gone", "AttributeError"),
        ("NoDataclass", "third_party_sonar:SONAR", "AttributeError"),
        ("Other", "third_party_sonar:BatSensor", "its tag is BatSensor, its entry point is named Other"),
        ("Unfinished", "third_party_sonar:Unfinished", "it lacks build"),
        ("EntryPoint", "importlib.metadata:EntryPoint", "it is not a component class"),
    ],
)
@pytest.mark.usefixtures("sonar")
def test_a_broken_one_is_named_and_skipped(tag: str, value: str, reason: str) -> None:
    with pytest.warns(RuntimeWarning, match=f"component {tag} .* is not available"):
        components = Registry([*entry_points(group=GROUP), point(tag, value)])
    assert reason in components.broken[tag].reason
    assert set(components.components) == set(registry().components)
    with pytest.raises(DescriptionError) as refused:
        read_document(RobotDescription, robot(body(ball("s") + f'<{tag} name="g"/>')), "x", None, components)
    assert f"component {tag} ({value}) is not available: " in str(refused.value)


@pytest.mark.usefixtures("sonar")
def test_a_tag_belongs_to_the_first_who_claims_it() -> None:
    class Box:
        tag = "Box"

    with pytest.warns(RuntimeWarning, match="not available"):
        components = Registry([*entry_points(group=GROUP), point("Box", "ubersim.components.solids.sphere:Sphere")])
    assert components.components["Box"].__module__ == "ubersim.components.solids.box"
