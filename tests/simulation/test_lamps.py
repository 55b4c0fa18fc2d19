"""Lights that robots carry: they shine where the robot is, take commands, and are kept in snapshots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.helpers.cameras import camera, play, sled, vector, wall, weightless
from ubersim.client import connect
from ubersim.description import read_robot, read_world, summary
from ubersim.errors import DescriptionError
from ubersim.simulation import Simulation
from ubersim.simulation.scene import scene_of

LAMP = f"""<SpotLight name="Lamp">{vector("Position", 0, 0.15, 0)}{vector("Direction", 0, 1, 0)}<Cone>40</Cone>
    <Range>50</Range>{{}}</SpotLight>"""
NIGHT = f"""<World><Settings>{vector("Gravity", 0, 0, 0)}</Settings><Lights><AmbientLight name="Night">
    <Intensity>0</Intensity></AmbientLight></Lights><Static>{wall("Wall", 3.0)}</Static></World>"""


def lamps(*elements: str) -> str:
    return f"<Lights>{''.join(elements)}</Lights>"


def robot(*lights: str, eye: str = "", name: str = "Sled") -> str:
    return sled(camera(eye), lamps(*(lights or (LAMP.format(""),))), name=name)


def test_a_lamp_lights_what_is_before_it_and_follows_its_body() -> None:
    with Simulation(read_world(NIGHT)) as simulation:
        sled = simulation.spawn(robot())
        channel = sled.sensors["Eye"]
        simulation.begin_frame()
        seen: Any = channel.value()
        # The blue wall is as bright as light at 2.85 m, and black outside of the cone.
        strength = 1 / (1 + (3 - 0.15) ** 2 / 50**2)
        assert abs(int(seen[60, 80, 0]) - 255 * np.sqrt(strength)) <= 1
        focal = 80 / np.tan(np.radians(30))
        edge = focal * np.tan(np.radians(20)) * 2.85 / 2.88  # the lamp is 3 cm before the camera
        lit = np.nonzero(seen[60, :, 0])[0]
        assert abs(lit[0] + 0.5 - (80 - edge)) <= 1.5
        assert abs(lit[-1] + 0.5 - (80 + edge)) <= 1.5
        for body in sled.bodies.values():
            body.set_state(position=np.add(body.position, (0, 0, 1.9)))
        simulation.step()
        simulation.begin_frame()
        raised: Any = channel.value()
        assert raised[70, 80, 0] > 200  # where its light would not reach if it had stayed below


def test_its_colour_takes_commands_and_snapshots_keep_it() -> None:
    with Simulation(read_world(NIGHT)) as simulation:
        simulation.spawn(robot(LAMP.format("<Color><r>1</r><g>0</g><b>0</b></Color>")))
        red = [source.color for source in scene_of(simulation).lights.sources]
        kept = simulation.snapshot()
        simulation.robots["Sled"].obey(("Lamp", 26, 1.0), simulation.frame)
        assert scene_of(simulation).lights.sources[0].color == (1.0, 0.0, 1.0)
        lit = simulation.snapshot()
        simulation.restore(kept)
        assert [source.color for source in scene_of(simulation).lights.sources] == red
        simulation.restore(lit)
        assert scene_of(simulation).lights.sources[0].color == (1.0, 0.0, 1.0)


def test_a_client_switches_it_off_over_the_wire_from_the_frame_on_in_which_that_executes() -> None:
    def program(port: int) -> list[bool]:
        lit = []
        with connect(robot(), port=port, latency=2) as sled:
            for count, frame in enumerate(sled):
                lit.append(bool(np.asarray(frame["Eye"])[..., :3].any()))
                if count == 0:
                    for part in ("Red", "Green", "Blue"):
                        sled.set("Lamp", part, 0.0)
        return lit

    with Simulation(read_world(NIGHT)) as simulation:
        (lit,) = play(simulation, 6, program)
    assert lit == [True, True, True, False, False, False]


def test_the_sun_that_a_world_without_lights_has_stays() -> None:
    with Simulation(weightless()) as simulation:
        simulation.spawn(robot())
        sun, lamp = scene_of(simulation).lights.sources
        assert sun.color == (0.85, 0.83, 0.78)
        assert lamp.body == simulation.robots["Sled"].bodies["Base"].row  # type: ignore[union-attr]


def test_four_lights_cast_shadows_and_the_others_shine_without() -> None:
    with Simulation(weightless()) as simulation:
        for number in range(6):
            simulation.spawn(robot(name=f"Sled{number}").replace('"Lamp"', f'"Lamp{number}"'))
        sources = scene_of(simulation).lights.sources
        assert [source.shadow for source in sources] == [True] * 4 + [False] * 3


@pytest.mark.parametrize(
    ("light", "complaint"),
    [
        ('<AmbientLight name="Glow"/>', "a AmbientLight shines from nowhere, so a body cannot carry it"),
        (f'<DirectionalLight name="Sun">{vector("Direction", 0, 0, -1)}</DirectionalLight>', "shines from nowhere"),
        (LAMP.format("<Radiation>light infrard</Radiation>"), "unknown radiation 'infrard'; did you mean infrared?"),
    ],
)
def test_what_a_body_cannot_carry(light: str, complaint: str) -> None:
    from ubersim.description import default_materials

    with pytest.raises(DescriptionError, match=complaint):
        read_robot(robot(light), materials=default_materials())


def test_check_tells_of_them_and_of_what_cameras_see() -> None:
    told = summary(read_robot(robot(eye="<Radiation>infrared</Radiation><Format>grey</Format>")))
    assert told.endswith("1 light\n  SpotLight Lamp on Base: light")
    assert "CameraSensor Eye on Base: every frame, late by 0 ms; 160 x 120 pixels, 60°, infrared, grey" in told


def test_nine_lamps_are_too_many() -> None:
    many = [LAMP.format("").replace('"Lamp"', f'"Lamp{number}"') for number in range(9)]
    with pytest.raises(DescriptionError, match="8"):
        read_robot(robot(*many))
