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
    assert {"constant", "normal", "uniform"} <= set(found.latency_models)
    own = {entry.value for entry in entry_points(group=GROUP) if entry.dist and entry.dist.name == "ubersim"}
    assert own == {"ubersim.components", "ubersim.timing"}
    assert not {"Measurement", "Optics", "RotaryMotor", "AxisMotor", "Lens"} & set(found.components)  # bases, and parts


PACKAGE = {
    "__init__.py": "",
    "bat.py": SONAR
    + """

@component
class Base(SensorDescription, abstract=True):
    pass
""",
    "deep/__init__.py": "",
    "deep/slow.py": '''
from dataclasses import dataclass
from ubersim.timing.latency import LatencyModel

@dataclass(frozen=True)
class Slow(LatencyModel):
    """Always late."""

    kind = "slow"
    minimum = 100.0

    def draw(self, rng, memory):
        return 100.0
''',
    "failing/__init__.py": "raise ImportError('a library is missing')",
    "failing/never.py": "raise AssertionError('its package failed')",
    "wrong.py": "1 / 0",
    "__main__.py": "raise AssertionError('not to be run')",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in PACKAGE.items():
        path = tmp_path / "third_party_package" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.startswith("third_party_package")]:
        del sys.modules[name]


@pytest.mark.usefixtures("package")
def test_an_entry_point_may_name_a_package_and_a_broken_module_harms_no_other() -> None:
    with pytest.warns(RuntimeWarning, match="not available"):
        found = Registry([*entry_points(group=GROUP), point("theirs", "third_party_package")])
    assert set(found.components) - set(registry().components) == {"BatSensor"}
    assert set(found.latency_models) - set(registry().latency_models) == {"slow"}
    assert {broken.tag: broken.reason for broken in found.refused} == {
        "Unfinished": "TypeError: it lacks build",
        "NoDataclass": "TypeError: it lacks build",
        "third_party_package.failing": "ImportError: a library is missing",
        "third_party_package.wrong": "ZeroDivisionError: division by zero",
    }
    assert [module.tag for module in found.unread] == ["third_party_package.failing", "third_party_package.wrong"]
    with pytest.raises(DescriptionError) as refused:
        read_document(RobotDescription, robot(body(ball("s") + '<Missing name="g"/>')), "x", None, found)
    assert "it may be in what could not be loaded: third_party_package.failing, third_party_package.wrong" in str(
        refused.value
    )


@pytest.mark.usefixtures("package")
def test_a_module_that_cannot_be_imported_is_named() -> None:
    with pytest.warns(RuntimeWarning, match="component theirs .* is not available: ZeroDivisionError"):
        found = Registry([*entry_points(group=GROUP), point("theirs", "third_party_package.wrong")])
    assert [module.tag for module in found.unread] == ["theirs"]


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
