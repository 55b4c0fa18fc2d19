"""What the tests of logs record: a small car with a noisy sensor and latency, and a world with a ball in it."""

from __future__ import annotations

from pathlib import Path

from tests.helpers.documents import ANCHOR, body, robot, vector
from ubersim.recording import Recorder
from ubersim.recording.block import ENCODING, Block
from ubersim.recording.block import TOPIC as BLOCKS
from ubersim.recording.chunks import Chunks
from ubersim.recording.file import LogWriter, Schema
from ubersim.simulation import Simulation

WORLD = f"""<World><Ground/><Objects><Body name="Ball">
  <Sphere name="Skin">
    <Mass>0.4</Mass><Radius>0.1</Radius>{vector("Position", 0, 1, 0.5)}<Material>Rubber</Material>
  </Sphere>
</Body></Objects></World>"""
LATENCY = '<Latency model="uniform"><Min>2</Min><Max>9</Max><Loss>0.1</Loss></Latency>'


def _solid(tag: str, name: str, size: str, z: float, x: float = 0.0) -> str:
    place = vector("Position", x, 0, z)
    return f'<{tag} name="{name}"><Mass>1</Mass>{size}{place}<Material>Rubber</Material></{tag}>'


def car(latency: str = LATENCY, sensors: str = "") -> str:
    """A body on two wheels that drags its tail; its tilt sensor is noisy and late."""
    box = _solid("Box", "Box", "<XSize>0.3</XSize><YSize>0.5</YSize><ZSize>0.1</ZSize>", 0.1)
    tilt = f'<InclinometerSensor name="Tilt">{vector("Position", 0, 0, 0.1)}<Frequency>200</Frequency>'
    tilt += "<Latency>3</Latency><Noise>0.5</Noise><Stamped>true</Stamped></InclinometerSensor>"
    wheels = "".join(
        body(_solid("Sphere", f"{side}Tyre", "<Radius>0.1</Radius>", 0.1, x), f"{side}Wheel")
        for side, x in (("L", -0.25), ("R", 0.25))
    )
    joints = "".join(
        f'<JointHinge name="{side}Motor"><Body1>Chassis</Body1><Body2>{side}Wheel</Body2>{vector("Axis", 1, 0, 0)}'
        f"{ANCHOR.replace('<x>0', f'<x>{x}').replace('<z>0', '<z>0.1')}<FMax>2</FMax></JointHinge>"
        for side, x in (("L", -0.25), ("R", 0.25))
    )
    settings = f"<CSettings><Name>Car</Name>{latency}</CSettings>"
    return robot(body(box + tilt + sensors, "Chassis") + wheels, joints, settings)


def world(folder: Path) -> Path:
    """The world as a file."""
    path = folder / "world.xml"
    path.write_text(WORLD)
    return path


def drive(simulation: Simulation, frames: int, period: int = 7) -> None:
    """Every car goes its own way, on what it reads; frames do not have to be a multiple of anything."""
    end = simulation.frame + frames
    while simulation.frame < end:
        for number, one in enumerate(simulation.robots.values(), 1):
            reading = one.read("Tilt")
            swerve = reading if isinstance(reading, float) else 0.0
            one.command("LMotor", "Vel", 4.0 + number + 20 * swerve)
            one.command("RMotor", "Vel", 5.0 - 20 * swerve)
        simulation.step(min(period, end - simulation.frame))


def record(path: Path, folder: Path, frames: int = 2500) -> Simulation:
    """A run with two cars, one of which comes late and goes early."""
    simulation = Simulation(world(folder), seed=3)
    simulation.spawn(car(), name="One", position=(0.0, 0.0, 0.01))
    with Recorder(simulation, path):
        drive(simulation, 300)
        simulation.spawn(car(), name="Two", position=(1.0, 0.0, 0.01), heading=0.5)
        drive(simulation, frames - 800)
        simulation.mark("now it goes")
        simulation.remove("Two")
        drive(simulation, 500)
    return simulation


def forge(source: Path, target: Path, change: object) -> None:
    """A copy of a log in which `change(block)` stands in place of every block."""
    chunks, writer = Chunks(source), LogWriter(target)
    writer.describe(chunks.metadata["ubersim"], {name: ("", data) for name, data in chunks.attachments.items()})
    for number in range(len(chunks.places)):
        for message in chunks.messages(number):
            topic, data = chunks.topics[message.channel_id], message.data
            if topic == BLOCKS:
                data = change(Block.decode(data)).encode()  # type: ignore[operator]
            writer.add(topic, Schema("copy", messages=ENCODING), message.log_time, data)
        writer.flush()
    writer.close()
    chunks.close()
