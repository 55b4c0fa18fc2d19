"""A model with wrong numbers is fitted to the log of one with right ones."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.command_line import ubersim
from tests.helpers.documents import body, robot, vector
from tests.helpers.spun_wheel import STEP, ProgramLog
from ubersim.errors import UberSimError
from ubersim.identification import identify
from ubersim.identification.model_fit import ModelFit, fit_model
from ubersim.identification.simulated import Rehearsal, rehearse
from ubersim.signals import open_signals
from ubersim.simulation import Simulation
from ubersim.sweeps.executors import workplace


@dataclass(frozen=True)
class Flywheel:
    """A wheel on a DC motor, on a stand."""

    mass: float = 2.0
    constant: float = 0.1
    resistance: float = 1.5
    latency: float = 18.0

    def document(self) -> str:
        high = vector("Position", 0, 0, 5)
        box = f'<Box name="Block"><Mass>50</Mass><XSize>1</XSize><YSize>1</YSize><ZSize>1</ZSize>{high}'
        meter = (
            f'<JointSensor name="Meter"><Joint>Axle</Joint>{high}<RateNoise>0.3</RateNoise><Frequency>250</Frequency>'
        )
        tyre = f'<Sphere name="Tyre"><Mass>{self.mass}</Mass><Radius>0.05</Radius>{vector("Position", 2, 0, 5)}'
        hinge = f"<Body1>Base</Body1><Body2>Rim</Body2>{vector('Axis', 1, 0, 0)}{vector('AnchorPos', 2, 0, 5)}"
        motor = f"<Joint>Axle</Joint><NominalVoltage>24</NominalVoltage><Resistance>{self.resistance}</Resistance>"
        motor += f"<TorqueConstant>{self.constant}</TorqueConstant>"
        return robot(
            body(f"{box}<Material>Rubber</Material></Box>{meter}</JointSensor>", "Base")
            + body(f"{tyre}<Material>Rubber</Material></Sphere>", "Rim"),
            f'<JointFixed name="Stand"><Body1>Base</Body1></JointFixed><JointHinge name="Axle">{hinge}</JointHinge>',
            f"<CSettings><Name>Flywheel</Name><Latency>{self.latency}</Latency></CSettings>",
        ).replace("</Joints>", f'</Joints><Motors><DCMotor name="Drive">{motor}</DCMotor></Motors>')

    def log(self, path: Path, seed: int = 0) -> Path:
        rng = np.random.default_rng(seed)
        with Simulation(step=STEP, seed=seed) as simulation:
            spun = simulation.spawn(self.document())
            log = ProgramLog(simulation, stamped=False)
            simulation.observers.append(log)
            for _ in range(14):
                voltage = float(rng.uniform(-12, 12))
                log.sent(voltage)
                spun.command("Drive", "Voltage", voltage)
                simulation.step(int(rng.integers(100, 200)))
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["time", "command", "rate"])
            writer.writerows(row[:3] for row in log.rows)
        return path


def fitted(path: Path, model: Flywheel, *paths: str) -> ModelFit:
    source = open_signals(path)
    command, rate = source.signal("command"), source.signal("rate")
    latency = 1000 * identify(command, rate).total
    rehearsal = Rehearsal.of(model.document(), "Drive/Voltage", "Meter.1", command, rate, STEP)
    with workplace("local=2") as place:
        return fit_model(rehearsal, rate, float(command.times[0]), paths, latency, place)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its noise is not that of a model's simulation, which has the seed 0."""
    return Flywheel().log(tmp_path_factory.mktemp("log") / "log.csv", seed=5)


def test_mass_motor_constant_and_latency(log: Path) -> None:
    found = fitted(log, Flywheel(mass=3.0, constant=0.08, latency=0.0), "Tyre/Mass", "Drive/TorqueConstant")
    assert found.numbers["Tyre/Mass"] == pytest.approx(2.0, rel=0.02)
    assert found.numbers["Drive/TorqueConstant"] == pytest.approx(0.1, rel=0.02)
    assert found.numbers["CSettings/Latency"] == pytest.approx(18.0, abs=1.0)
    assert found.explained > 0.999 and not found.unknown
    assert found.rms == pytest.approx(0.3, rel=0.1), "the noise of the log alone is left"
    for name, true in (("Tyre/Mass", 2.0), ("Drive/TorqueConstant", 0.1)):
        assert abs(found.numbers[name] - true) < 4 * found.uncertain[name] + 0.002 * true


def test_what_a_log_cannot_tell_is_said(log: Path) -> None:
    """Mass and resistance make the time constant together; speeds alone never tell them apart."""
    found = fitted(log, Flywheel(mass=3.0, latency=18.0), "Tyre/Mass", "Drive/Resistance")
    assert any("Tyre/Mass and Drive/Resistance apart" in what for what in found.unknown)


def test_wrong_numbers(log: Path) -> None:
    with pytest.raises(UberSimError, match="fits no element"):
        fitted(log, Flywheel(), "Tyre/Weight")
    with pytest.raises(UberSimError, match="at least one number"):
        fitted(log, Flywheel())


def test_the_command_line(log: Path, tmp_path: Path) -> None:
    (tmp_path / "model.xml").write_text(Flywheel(constant=0.09, latency=5.0).document())
    words = ["identify", log, "--command", "command", "--response", "rate"]
    words += ["--model", tmp_path / "model.xml", "--drives", "Drive/Voltage", "--reads", "Meter.1"]
    done = ubersim(*words, "--fit", "Drive/TorqueConstant", "--on", "local=1")
    assert (done.returncode, done.stderr) == (0, "")
    (found,) = re.findall(r"Drive/TorqueConstant: ([\d.]+) ±", done.stdout)
    assert float(found) == pytest.approx(0.1, rel=0.02)


def test_how_a_model_is_driven_and_read(log: Path) -> None:
    command, rate = (open_signals(log).signal(name) for name in ("command", "rate"))
    document = Flywheel().document()
    with pytest.raises(UberSimError, match=r"Component/Property and read by Sensor\.column, not Drive, Meter\.1"):
        Rehearsal.of(document, "Drive", "Meter.1", command, rate, STEP)
    with pytest.raises(UberSimError, match="the model has no sensor 'Nose'; it has Meter"):
        rehearse(Rehearsal.of(document, "Drive/Voltage", "Nose", command, rate, STEP), {})
    with pytest.raises(UberSimError, match="CSettings/Latency is 0; only positive numbers can be fitted"):
        fitted(log, Flywheel(latency=0.0), "CSettings/Latency")
