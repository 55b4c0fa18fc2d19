"""World files: the same grammar as robots, and the worlds that come along."""

import math
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.documents import AT_ORIGIN, ball, body, vector
from ubersim.components.lights.directional import DirectionalLight
from ubersim.components.lights.spot import SpotLight
from ubersim.components.solids.box import Box
from ubersim.description import default_materials, default_world, load_world, read_world, shipped, shipped_names
from ubersim.errors import DescriptionError
from ubersim.physics.build import build_world
from ubersim.simulation import Simulation
from ubersim.simulation.scene import scene_of

BOX = f'<Box name="w"><XSize>1</XSize><YSize>1</YSize><ZSize>1</ZSize>{AT_ORIGIN}<Material>Wood</Material></Box>'

TILT = f'<InclinometerSensor name="t">{AT_ORIGIN}</InclinometerSensor>'


def test_an_empty_world_has_defaults_and_no_ground() -> None:
    found = read_world("<World/>")
    assert found.settings.gravity == (0.0, 0.0, -9.81)
    assert (found.settings.step, found.settings.solver, found.settings.erp, found.settings.cfm) == (
        None,
        "auto",
        0.2,
        0.0,
    )
    assert (found.ground, found.static, found.objects, found.lights, found.spawn_points) == (None, (), (), (), ())


def test_everything_that_a_world_can_have() -> None:
    down = vector("Direction", 0, 0, -1)
    found = read_world(
        f"""<World>
          <Settings>{vector("Gravity", 0, 0, -1.62)}<Step>0.002</Step><Solver>quick</Solver><ERP>0.3</ERP>
            <CFM>1e-5</CFM><Iterations>50</Iterations></Settings>
          <Ground><Material>Carpet</Material></Ground>
          <Static>{BOX}</Static>
          <Objects>{body(ball("b"), "Ball")}</Objects>
          <Lights>
            <AmbientLight name="l1"/>
            <DirectionalLight name="l2">{down}<CastsShadow>false</CastsShadow></DirectionalLight>
            <PointLight name="l3">{vector("Position", 0, 0, 2)}</PointLight>
            <SpotLight name="l4">{vector("Position", 0, 0, 2)}{down}<Cone>90</Cone></SpotLight>
          </Lights>
          <Sky><r>0</r><g>0.5</g><b>1</b></Sky>
          <SpawnPoints><SpawnPoint>{vector("Position", 1, 2, 0)}<Heading>180</Heading></SpawnPoint></SpawnPoints>
        </World>""",
        materials=default_materials(),
    )
    settings = found.settings
    assert (settings.gravity[2], settings.step, settings.solver, settings.iterations) == (-1.62, 0.002, "quick", 50)
    assert found.ground is not None and found.ground.material == "Carpet"
    assert isinstance(found.static[0], Box) and found.static[0].mass == 0.0
    assert found.objects[0].mass_properties().mass == 1.0
    _, directional, _, spot = found.lights
    assert isinstance(directional, DirectionalLight) and not directional.casts_shadow
    assert isinstance(spot, SpotLight) and spot.casts_shadow and spot.cone == pytest.approx(math.pi / 2)
    assert found.sky == (0.0, 0.5, 1.0)
    assert found.spawn_points[0].heading == pytest.approx(math.pi)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("<Grond/>", "World/Grond: unknown element Grond; did you mean Ground?"),
        (f"<Static>{BOX.replace('<XSize>', '<Mass>1</Mass><XSize>')}</Static>", "Mass has no place in a Box here"),
        (f"<Static>{BOX}{BOX}</Static>", "Box[w]: the name 'w' is taken by Box in line 1"),
        ("<Static><JointBall/></Static>", "unknown element JointBall; known are Box, CappedCylinder"),
        ("<Settings><Solver>fast</Solver></Settings>", "'fast' is not one of exact, quick, auto"),
        ("<Settings><Solver>Exact</Solver></Settings>", "not one of exact, quick, auto; did you mean exact?"),
        ("<Settings><Step>0</Step></Settings>", "'0' is out of range; allowed is 1e-05 to 0.1 s"),
        ("<Ground><Material>Gruond</Material></Ground>", "unknown material 'Gruond'; did you mean Ground?"),
        (
            f"<Objects>{body(ball('b') + TILT)}</Objects>",
            "World/Objects: Body 'B' has a sensor, which nobody could read",
        ),
        ('<Lights><SpotLight name="l"/></Lights>', "SpotLight[l]: Cone is missing"),
        (
            f'<Lights><DirectionalLight name="l">{vector("Direction", 0, 0, 0)}</DirectionalLight></Lights>',
            "DirectionalLight[l]/Direction: has no direction",
        ),
    ],
)
def test_mistakes_in_worlds(content: str, problem: str) -> None:
    with pytest.raises(DescriptionError) as refused:
        read_world(f"<World>{content}</World>", source="w.xml", materials=default_materials())
    assert problem in str(refused.value)
    assert str(refused.value).startswith("w.xml:1: ")


def test_the_default_world_is_an_empty_ground_with_room_for_many() -> None:
    world = default_world()
    assert world.ground is not None and world.static == () and world.objects == ()
    places = np.array([point.position for point in world.spawn_points])
    assert len(places) >= 8 and (places[:, 2] == 0).all() and not places[0].any()
    distances = np.linalg.norm(places[:, None] - places[None], axis=2) + 100 * np.eye(len(places))
    assert distances.min() >= 2


@pytest.mark.parametrize("name", shipped_names("worlds"))
def test_every_shipped_world_stands_still_by_itself(name: str) -> None:
    materials = default_materials()
    world, objects = build_world(load_world(shipped(f"worlds/{name}.xml"), materials=materials), materials)
    before = {key: item.position.copy() for key, item in objects.items()}
    world.run(500)
    for key, item in objects.items():
        np.testing.assert_allclose(item.position, before[key], atol=1e-4)


def test_the_rooms_ramp_meets_ground_and_platform_flush() -> None:
    room = load_world(shipped("worlds/room.xml"))
    solids = {solid.name: solid for solid in room.static}
    ramp, platform = solids["Ramp"], solids["Platform"]
    # The upper edges of the ramp, in the world.
    lower, upper = (ramp.pose.apply((0, side * 0.9, 0.05)) for side in (-1, 1))
    assert lower[2] == pytest.approx(0, abs=1e-6)
    assert upper[2] == pytest.approx(platform.bounds()[1][2], abs=1e-5)
    assert upper[1] == pytest.approx(platform.bounds()[0][1], abs=1e-5)
    assert {"Step1", "Step2", "Step3"} <= set(solids)


def test_a_file_that_does_not_come_along_is_told() -> None:
    with pytest.raises(FileNotFoundError, match=r"worlds/mars\.xml does not come with this installation"):
        shipped("worlds/mars.xml")


def test_shipped_files_are_also_found_in_an_installed_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ubersim.description import resources

    (tmp_path / "shipped" / "worlds").mkdir(parents=True)
    (tmp_path / "shipped" / "worlds" / "moon.xml").write_text("<World/>")
    monkeypatch.setattr(resources, "_PLACES", (tmp_path / "shipped", tmp_path))
    assert shipped("worlds/moon.xml") == tmp_path / "shipped" / "worlds" / "moon.xml"
    assert shipped_names("worlds") == ["moon"]


@pytest.mark.parametrize(("lights", "shadows", "drawn"), [(8, 4, True), (9, 0, False), (5, 5, False)])
def test_no_more_lights_than_are_drawn(lights: int, shadows: int, drawn: bool) -> None:
    """What is read can be rendered, and what cannot is refused here."""
    text = "".join(
        f'<PointLight name="l{number}">{vector("Position", number, 0, 2)}'
        f"<CastsShadow>{str(number < shadows).lower()}</CastsShadow></PointLight>"
        for number in range(lights)
    )
    text = f"<World><Lights><AmbientLight name='sky'/>{text}</Lights></World>"
    if drawn:
        with Simulation(read_world(text)) as simulation:
            assert len(scene_of(simulation).lights.sources) == lights
    else:
        with pytest.raises(DescriptionError, match="allowed are 8, and 4 with shadows"):
            read_world(text)
