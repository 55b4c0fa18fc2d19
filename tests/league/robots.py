"""Robots that cost little: a box with a team, a radio and a whistle."""

from __future__ import annotations


def box(name: str, team: str, number: int = 1, *, latency: float = 0, radio: str = "", place: str = "") -> str:
    """A document; `radio` goes into its radio, such as a latency."""
    where = "<Position><x>0</x><y>0</y><z>0.1</z></Position>"
    spawn = f"<Spawn><Position>{place}</Position></Spawn>" if place else ""
    return f"""<Client><CSettings><Name>{name}</Name><Latency>{latency}</Latency>
<Team>{team}</Team><Number>{number}</Number>{spawn}
</CSettings><Entity><RigidBodies><Body name="Base">
<Box name="Hull"><Mass>5</Mass><XSize>0.4</XSize><YSize>0.4</YSize><ZSize>0.2</ZSize>
{where}<Material>Metal</Material></Box>
<RefereeSensor name="Referee">{where}<Frequency>50</Frequency></RefereeSensor>
<RadioSensor name="Radio">{where}<Frequency>100</Frequency>{radio}</RadioSensor>
</Body></RigidBodies></Entity></Client>"""
