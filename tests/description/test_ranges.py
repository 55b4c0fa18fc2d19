"""Numbers that a document wants drawn: from the seed and their own place alone, checked for all that may come."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.helpers.robots import cart
from ubersim.description import load_materials, read_robot, read_world
from ubersim.errors import DescriptionError
from ubersim.recording import Log, Recorder
from ubersim.recording.event import RecordedEvent
from ubersim.recording.replay import replay
from ubersim.simulation import Simulation
from ubersim.timing.latency import Constant

MASS = '<Mass min="1" max="3"/>'


def document(mass: str = MASS, *, name: str = "Cart", latency: str = "<Latency>5</Latency>", sensor: str = "") -> str:
    return cart(name, latency=latency, sensor=sensor).replace("<Mass>2</Mass>", mass, 1)


def mass_of(text: str, **options: object) -> float:
    robot = read_robot(text, **options)  # type: ignore[arg-type]
    return robot.bodies[0].mass_properties().mass


def test_each_seed_has_its_own_and_always_the_same() -> None:
    masses = [mass_of(document(), seed=seed) for seed in range(80)]
    assert masses == [mass_of(document(), seed=seed) for seed in range(80)]
    assert len(set(masses)) == 80 and 1 <= min(masses) < 1.2 and 2.8 < max(masses) <= 3
    assert np.mean(masses) == pytest.approx(2.0, abs=0.2)


def test_what_else_is_drawn_changes_nothing() -> None:
    alone = mass_of(document(), seed=4)
    more = document(latency='<Latency min="5" max="9"/>', sensor='<Noise mean="0.01" sigma="0.002" min="0"/>')
    assert mass_of(more, seed=4) == alone
    assert mass_of(document(name="Other"), seed=4) != alone
    assert mass_of(document(name="Other"), seed=4, name="Cart") == alone


def test_latencies_noise_places_colours_and_lights() -> None:
    text = document(
        latency='<Latency model="uniform"><Min min="1" max="4"/><Max mean="20" sigma="3" min="10"/></Latency>',
        sensor='<Noise min="0.01" max="0.02"/><Latency min="3" max="8"/>',
    ).replace("<x>0</x>", '<x min="-0.01" max="0.01"/>', 1)
    robot = read_robot(text, seed=2)
    latency = robot.settings.latency.to_dict()
    assert 1 <= latency["min"] <= 4 and 10 <= latency["max"] <= 40
    (tilt,) = robot.sensors
    assert 0.01 <= tilt.noise <= 0.02 and isinstance(tilt.latency, Constant) and 3 <= tilt.latency.value <= 8
    assert 0 < abs(robot.bodies[0].solids[0].position[0]) <= 0.01
    world = """<World><Ground><Color><r min="0.1" max="0.2"/><g>0</g><b>0</b></Color></Ground>
      <Lights><AmbientLight name="Hall"><Intensity min="0.3" max="0.6"/></AmbientLight></Lights></World>"""
    drawn = [read_world(world, seed=seed) for seed in range(3)]
    assert len({each.lights[0].intensity for each in drawn}) == 3
    assert all(each.ground is not None and 0.1 <= each.ground.color[0] <= 0.2 for each in drawn)


def test_a_bell_curve_with_bounds() -> None:
    masses = [mass_of(document('<Mass mean="2" sigma="0.5" min="1.5"/>'), seed=seed) for seed in range(120)]
    assert min(masses) == 1.5 and np.median(masses) == pytest.approx(2.0, abs=0.15) and max(masses) > 2.6


def test_friction(tmp_path: Path) -> None:
    file = tmp_path / "materials.yaml"
    file.write_text(
        "materials: {Ground: a, Rubber: b}\ndefault: {mu: {min: 0.2, max: 0.4}, bounce: 0.1}\n"
        "pairs:\n  Rubber + Ground: {mu: {mean: 0.9, sigma: 0.05, max: 1.0}, rolling: 0.001}  # tyres\n"
    )
    drawn = [load_materials(file, seed=seed) for seed in range(50)]
    assert all(0.2 <= each.default.mu <= 0.4 for each in drawn)
    mus = [each.surface("Ground", "Rubber").mu for each in drawn]
    assert (
        len(set(mus)) > 40
        and max(mus) <= 1.0
        and all(each.surface("Ground", "Rubber").rolling == 0.001 for each in drawn)
    )
    assert "# tyres" in drawn[0].source_text and "sigma" not in drawn[0].source_text
    for wrong, message in [
        ("{min: 0.2}", "drawn between min and max"),
        ("{min: 0.2, max: x}", "'x' is not a number"),
        ("{min: -1, max: 1}", "may be out of range"),
    ]:
        file.write_text(f"materials: {{Ground: a}}\ndefault:\n  mu: {wrong}\n")
        with pytest.raises(DescriptionError, match=f"yaml:3: default/mu: .*{message}"):
            load_materials(file)


@pytest.mark.parametrize(
    ("mass", "message"),
    [
        ('<Mass min="1"/>', "drawn between min and max, or about mean with sigma; here are min"),
        ('<Mass min="1" max="a"/>', "max 'a' is not a number"),
        ('<Mass min="3" max="1"/>', "max 1 is below min 3"),
        ('<Mass mean="2" sigma="-1"/>', "sigma -1 is below 0"),
        ('<Mass min="1" max="3">2</Mass>', "drawn or given, not both"),
        ('<Mass min="1" max="3" step="1"/>', "no attribute 'step'"),
        ('<Mass min="-1" max="3"/>', "'-1.0' is out of range"),
        ('<Mass min="1" max="1e300"/>', "out of range"),
    ],
)
def test_what_is_wrong_is_told_with_its_line_whatever_the_seed(mass: str, message: str) -> None:
    for seed in range(3):
        with pytest.raises(DescriptionError, match=rf"cart.xml:6: .*Box\[Plate\]/Mass: .*{message}"):
            read_robot(document(mass), source="cart.xml", seed=seed)


def test_a_run_has_the_draws_in_its_log(tmp_path: Path) -> None:
    simulation = Simulation(seed=11)
    with Recorder(simulation, tmp_path / "run.mcap"):
        robot = simulation.spawn(document())
        other = simulation.spawn(document(), name="Other")
        simulation.step(200)
    masses = [each.description.bodies[0].mass_properties().mass for each in (robot, other)]
    assert masses[0] == mass_of(document(), seed=11) != masses[1] == mass_of(document(), seed=11, name="Other")
    log = Log(tmp_path / "run.mcap")
    assert replay(log) is None
    joined = [item for item in log.items() if isinstance(item, RecordedEvent) and item.kind == "joined"]
    assert [repr(mass) in event.document for mass, event in zip(masses, joined, strict=True)] == [True, True]


def test_bytes_are_drawn_as_text_is() -> None:
    text = document()
    for data in (text.encode(), b"\xef\xbb\xbf" + text.encode()):
        assert mass_of(data, seed=5) == mass_of(text, seed=5) != mass_of(data, seed=6)  # type: ignore[arg-type]
    with pytest.raises(DescriptionError, match="the document is not UTF-8: byte"):
        read_robot(text.encode().replace(b"Plastic", b"Pl\xffstic"))
