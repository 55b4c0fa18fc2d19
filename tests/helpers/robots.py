"""Small robots for tests of the server."""

from __future__ import annotations

from lxml import etree

from ubersim.description.resources import shipped

SEGWAY = shipped("robots/segway.xml")


def cart(name: str = "Cart", *, latency: str = "0", sensor: str = "", x: float | None = None) -> str:
    """A sled with a wheel on a hinge motor, and a tilt sensor with whatever elements `sensor` adds."""
    spawn = "" if x is None else f"<Spawn>{_vector('Position', x, 0, 0.3)}</Spawn>"
    model = latency if latency.startswith("<") else f"<Latency>{latency}</Latency>"
    return f"""<Client>
  <CSettings><Name>{name}</Name>{model}{spawn}</CSettings>
  <Entity>
    <RigidBodies>
      <Body name="Base">
        <Box name="Plate"><Mass>2</Mass><XSize>0.3</XSize><YSize>0.4</YSize><ZSize>0.1</ZSize>
          {_vector("Position", 0, 0, 0)}<Material>Plastic</Material></Box>
        <InclinometerSensor name="Tilt">{_vector("Position", 0, 0, 0)}{sensor}</InclinometerSensor>
      </Body>
      <Body name="Wheel">
        <Sphere name="Ball"><Mass>1</Mass><Radius>0.1</Radius>
          {_vector("Position", 0, 0.3, 0)}<Material>Rubber</Material></Sphere>
      </Body>
    </RigidBodies>
    <Joints>
      <JointHinge name="Motor"><Body1>Base</Body1><Body2>Wheel</Body2>{_vector("Axis", 1, 0, 0)}
        {_vector("AnchorPos", 0, 0.3, 0)}<FMax>5</FMax></JointHinge>
    </Joints>
  </Entity>
</Client>"""


def _vector(tag: str, x: float, y: float, z: float) -> str:
    return f"<{tag}><x>{x}</x><y>{y}</y><z>{z}</z></{tag}>"


def segway() -> str:
    """The Segway without its camera, which has nothing to do with timing and costs time."""
    root = etree.parse(SEGWAY, etree.XMLParser(remove_comments=True)).getroot()
    for camera in root.findall(".//CameraSensor"):
        next(camera.iterancestors()).remove(camera)
    return etree.tostring(root, encoding="unicode")
