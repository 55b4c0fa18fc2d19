"""Robots are read as the contract says: the paper's figures, units, defaults, latency models."""

import math
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.documents import AT_ORIGIN, ball, body, robot, two_bodies, vector
from tests.helpers.paths import DATA
from tests.helpers.robots import cart
from ubersim.components.joints.hinge2 import JointHinge2
from ubersim.components.sensors.camera import CameraSensor
from ubersim.components.sensors.inclinometer import InclinometerSensor
from ubersim.components.solids.box import Box
from ubersim.components.solids.sphere import Sphere
from ubersim.description import load_robot, read_robot, summary
from ubersim.description.component import camel_case
from ubersim.errors import DescriptionError
from ubersim.timing.latency import Constant
from ubersim.timing.normal import Normal
from ubersim.timing.uniform import Uniform


def test_the_papers_figures_load_as_printed() -> None:
    found = load_robot(DATA / "paper_figures.xml")
    main, wheel = found.bodies
    platform, camera = main.primitives
    assert isinstance(platform, Box) and isinstance(camera, CameraSensor)
    assert (platform.mass, platform.size, platform.position) == (15.0, (0.4, 0.28, 0.08), (0.0, 0.0, -0.03))
    assert (platform.material, platform.name) == ("Plastic", "Platform")
    assert camera.fov == pytest.approx(math.radians(42.0), rel=1e-15)
    assert (camera.width, camera.height, camera.shape) == (320, 240, (240, 320, 4))
    assert wheel.solids == (Sphere(name="B1", mass=3.0, radius=0.15, position=(-0.36, 0.0, 0.0), material="Rubber"),)
    assert found.joints == (
        JointHinge2(
            name="LMotor",
            body1="MainBody",
            body2="LWheel",
            axis1=(0.0, 0.0, 1.0),
            axis2=(1.0, 0.0, 0.0),
            anchor_pos=(-0.36, 0.0, 0.0),
        ),
    )
    assert found.settings.latency == Constant(20.0)
    assert found.source_text == (DATA / "paper_figures.xml").read_text()


def test_what_is_left_out_has_its_default() -> None:
    found = read_robot(robot(body(ball("s") + f'<InclinometerSensor name="T">{AT_ORIGIN}</InclinometerSensor>')))
    assert found.settings.latency == Constant(0.0)
    assert (found.settings.spawn, found.settings.token, found.settings.self_collision) == (None, None, True)
    tilt = found.sensors[0]
    assert isinstance(tilt, InclinometerSensor)
    assert (tilt.frequency, tilt.latency, tilt.noise, tilt.stamped) == (None, Constant(0.0), 0.0, False)
    assert (tilt.rotation, tilt.resolution) == ((0.0, 0.0, 0.0), 0.0)
    assert found.joints == ()


def test_degrees_become_radians_and_stops_of_sliders_stay_metres() -> None:
    settings = (
        "<CSettings><Name>R</Name><Token> s e </Token><SelfCollision>false</SelfCollision>"
        f"<Spawn>{vector('Position', 1, 2, 3)}<Heading>90</Heading></Spawn></CSettings>"
    )
    hinge = (
        f'<JointHinge name="h"><Body1>A</Body1>{vector("Axis", 1, 0, 0)}{vector("AnchorPos", 0, 0, 0)}'
        "<LoStop>-90</LoStop><HiStop>45</HiStop><Vel>2</Vel><FMax>3</FMax></JointHinge>"
    )
    slider = f'<JointSlider name="s"><Body1>B</Body1>{vector("Axis", 1, 0, 0)}<LoStop>-0.5</LoStop></JointSlider>'
    text = two_bodies(hinge + slider).replace("<CSettings><Name>R</Name></CSettings>", settings)
    found = read_robot(text.replace(ball("a"), ball("a").replace("<Mass>", f"{vector('Rotation', 90, 0, -30)}<Mass>")))
    spawn = found.settings.spawn
    assert spawn is not None and found.settings.token == "s e" and not found.settings.self_collision
    assert spawn.position == (1.0, 2.0, 3.0) and spawn.heading == pytest.approx(math.pi / 2)
    np.testing.assert_array_equal(spawn.pose.apply((1, 0, 0)), (1, 3, 3))
    assert found.bodies[0].solids[0].rotation == pytest.approx((math.pi / 2, 0, -math.pi / 6))
    assert found.joints[0].initial == pytest.approx({0: -math.pi / 2, 1: math.pi / 4, 2: 2.0, 3: 3.0})
    assert found.joints[1].initial == {0: -0.5}
    assert (found.joints[0].body1, found.joints[0].body2) == ("A", "World")


@pytest.mark.parametrize(
    ("xml", "model"),
    [
        ("<Latency> 20 </Latency>", Constant(20.0)),
        ('<Latency model="constant"><Value>3</Value><Loss>0.5</Loss></Latency>', Constant(3.0, loss=0.5)),
        ('<Latency model="uniform"><Min>10</Min><Max>30</Max></Latency>', Uniform(10.0, 30.0)),
        (
            '<Latency model="normal"><Mean>20</Mean><Sigma>4</Sigma><Min>5</Min><Seed>7</Seed></Latency>',
            Normal(20.0, 4.0, 5.0, seed=7),
        ),
        (
            '<Latency model="normal"><Mean>20</Mean><Sigma>4</Sigma><Order>break</Order></Latency>',
            Normal(20.0, 4.0, order="break"),
        ),
    ],
)
def test_latency_models(xml: str, model: object) -> None:
    found = read_robot(robot(body(ball("s")), settings=f"<CSettings><Name>R</Name>{xml}</CSettings>"))
    assert found.settings.latency == model


def test_comments_processing_instructions_and_a_schema_hint_are_welcome() -> None:
    text = robot(body("<!-- a <ball> -->" + ball("s")))
    text = '<?xml version="1.0" encoding="UTF-8"?><!-- <!DOCTYPE no> --><?editor x?>\n' + text.replace(
        "<Client>",
        '<Client xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="robot.xsd">',
        1,
    )
    assert read_robot(text) == read_robot(robot(body(ball("s"))))
    assert read_robot(b"\xef\xbb\xbf" + text.encode()) == read_robot(text)


def test_the_encoding_is_utf8_whatever_the_document_declares() -> None:
    settings = "<CSettings><Name>R</Name><Token>Ü</Token></CSettings>"
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>' + robot(body(ball("s")), settings=settings)
    assert read_robot(text.encode()).settings.token == "Ü"
    assert read_robot(text).settings.token == "Ü"


def test_components_are_frozen_and_comparable() -> None:
    first, second = (read_robot(robot(body(ball("s")))) for _ in range(2))
    assert first == second and first.bodies[0].solids[0] == second.bodies[0].solids[0]
    with pytest.raises(AttributeError):
        first.bodies[0].name = "other"  # type: ignore[misc]


def test_tags_are_camel_case_of_the_fields() -> None:
    assert [camel_case(name) for name in ("lo_stop2", "f_max", "fov", "self_collision")] == [
        "LoStop2",
        "FMax",
        "Fov",
        "SelfCollision",
    ]


def test_the_lowest_point_is_that_of_all_bodies() -> None:
    found = read_robot(robot(body(ball("s")) + body(ball("t").replace("<z>0</z>", "<z>-1</z>"), "C")))
    assert found.lowest(np.eye(3)) == pytest.approx(-1.1)
    upside_down = np.diag([1.0, -1.0, -1.0])
    assert found.lowest(upside_down) == pytest.approx(-0.1)


def test_a_sensors_pose_is_seen_from_the_centre_of_mass() -> None:
    found = load_robot(DATA / "paper_figures.xml").bodies[0]
    np.testing.assert_allclose(found.seen_from_center(found.sensors[0]).position, (0, 0.12, 0.58), atol=1e-15)


def test_the_summary_names_masses_centres_inertia_joints_and_sensors() -> None:
    text = summary(load_robot(DATA / "paper_figures.xml"))
    for part in (
        "PaperSegway: 2 bodies, 18 kg",
        "MainBody: 15 kg",
        "-0.06",
        "0.298",
        "JointHinge2 LMotor: MainBody - LWheel",
    ):
        assert part in text
    assert "CameraSensor Cam on MainBody: every frame" in text


def test_a_missing_file_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match=r"gone\.xml: cannot be read: No such file"):
        load_robot(tmp_path / "gone.xml")


def test_who_takes_no_payload_refuses_every_one() -> None:
    with pytest.raises(ValueError, match="a JointHinge takes no payload of its own"):
        read_robot(cart()).joints[0].decoded(b"")
