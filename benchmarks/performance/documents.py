"""The robots that frames are measured with."""

from __future__ import annotations

from pathlib import Path

from tests.helpers.documents import vector
from tests.helpers.robots import segway
from ubersim.protocol.document_settings import with_settings

HERE = Path(__file__).resolve().parents[1]
SERVOS = 20


def held(name: str, latency: float, *, hertz: int = 1000) -> str:
    """The Segway of benchmarks/held_segway.xml, whose steps all cost the same; its tilt is read so often."""
    document = (HERE / "held_segway.xml").read_text()
    document = document.replace("<Frequency>100</Frequency>", f"<Frequency>{hertz}</Frequency>")
    return with_settings(document, name=name, latency=latency)


def balancing(latency: float) -> str:
    """The Segway of the demonstration, without its camera."""
    return with_settings(segway(), name="Segway", latency=latency)


def servos(name: str, latency: float) -> str:
    """A heavy bar with twenty flaps on servos, and a sensor of every joint in every frame."""
    size = "<XSize>0.08</XSize><YSize>0.2</YSize><ZSize>0.02</ZSize>"
    bodies = f"""<Body name="Bar"><Box name="bar"><Mass>20</Mass><XSize>2.4</XSize><YSize>0.3</YSize><ZSize>0.2</ZSize>
      {vector("Position", 0, 0, 0.1)}<Material>Metal</Material></Box>{"".join(map(_sensor, range(SERVOS)))}</Body>"""
    joints = motors = ""
    for index in range(SERVOS):
        x = 0.12 * (index - (SERVOS - 1) / 2)
        bodies += f"""<Body name="Flap{index}"><Box name="flap{index}"><Mass>0.2</Mass>{size}
          {vector("Position", x, 0.26, 0.3)}<Material>Metal</Material></Box></Body>"""
        joints += f"""<JointHinge name="Joint{index}"><Body1>Flap{index}</Body1><Body2>Bar</Body2>
          {vector("Axis", 1, 0, 0)}{vector("AnchorPos", x, 0.16, 0.3)}</JointHinge>"""
        gains = "<Kp>20</Kp><Kd>0.5</Kd><TorqueLimit>5</TorqueLimit>"
        motors += f'<PositionServo name="Servo{index}"><Joint>Joint{index}</Joint>{gains}</PositionServo>'
    lists = f"<RigidBodies>{bodies}</RigidBodies><Joints>{joints}</Joints><Motors>{motors}</Motors>"
    settings = f"<Name>{name}</Name><Latency>{latency}</Latency>"
    return f"<Client><CSettings>{settings}</CSettings><Entity>{lists}</Entity></Client>"


def _sensor(index: int) -> str:
    return f'<JointSensor name="Sensor{index}"><Joint>Joint{index}</Joint></JointSensor>'
