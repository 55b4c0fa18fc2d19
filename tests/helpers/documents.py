"""Documents for tests: a small sound robot, cut so that a test can change one place of it."""

SETTINGS = "<CSettings><Name>R</Name></CSettings>"
AT_ORIGIN = "<Position><x>0</x><y>0</y><z>0</z></Position>"
BALL = f'<Sphere name="{{name}}"><Mass>1</Mass><Radius>0.1</Radius>{AT_ORIGIN}<Material>Rubber</Material></Sphere>'
ANCHOR = "<AnchorPos><x>0</x><y>0</y><z>0</z></AnchorPos>"


def vector(tag: str, x: float, y: float, z: float) -> str:
    return f"<{tag}><x>{x}</x><y>{y}</y><z>{z}</z></{tag}>"


def ball(name: str) -> str:
    """A sphere."""
    return BALL.format(name=name)


def body(content: str, name: str = "B") -> str:
    return f'<Body name="{name}">{content}</Body>'


def robot(bodies: str, joints: str = "", settings: str = SETTINGS) -> str:
    """A robot in few lines, on one line of text."""
    entity = f"<RigidBodies>{bodies}</RigidBodies><Joints>{joints}</Joints>"
    return f"<Client>{settings}<Entity>{entity}</Entity></Client>"


def two_bodies(joint: str) -> str:
    """A robot of two bodies, A and B, and one joint."""
    return robot(body(ball("a"), "A") + body(ball("b"), "B"), joint)
