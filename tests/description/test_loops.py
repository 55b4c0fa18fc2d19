"""Closed loops that cannot hold their own weight, against the closed form of a leaning parallelogram."""

from __future__ import annotations

import pytest

from ubersim.description import read_robot
from ubersim.description.plausibility import warnings

LEAN, TOP, LEG, G = 0.3, 40.0, 1.0, 9.81
LIMIT = G * (TOP * LEAN + 2 * LEG * LEAN / 2) / 2
"""Of each of the two motors, so that both together hold it [N m]."""


def body(name: str, x: float, z: float, size: tuple[float, float, float], mass: float) -> str:
    sizes = "".join(f"<{axis}Size>{length}</{axis}Size>" for axis, length in zip("XYZ", size, strict=True))
    return (
        f'<Body name="{name}"><Box name="{name}Box"><Mass>{mass}</Mass>{sizes}'
        f"<Position><x>{x}</x><y>0</y><z>{z}</z></Position><Material>Plastic</Material></Box></Body>"
    )


def hinge(name: str, first: str, second: str, x: float, z: float, more: str = "") -> str:
    return (
        f'<JointHinge name="{name}"><Body1>{first}</Body1><Body2>{second}</Body2>'
        f"<Axis><x>0</x><y>1</y><z>0</z></Axis><AnchorPos><x>{x}</x><y>0</y><z>{z}</z></AnchorPos>{more}</JointHinge>"
    )


def parallelogram(strength: float, base: str = "Base", more: str = "", motors: str = "") -> list[str]:
    """What is said of a table on two legs that lean by 0.3 m, each with a motor at its foot."""
    most = f"<FMax>{strength}</FMax>"
    bodies = [
        body("Left", -0.5 + LEAN / 2, 0.5, (0.05, 0.05, 0.5), LEG),
        body("Right", 0.5 + LEAN / 2, 0.5, (0.05, 0.05, 0.5), LEG),
        body("Top", LEAN, 1.0, (1.2, 0.3, 0.1), TOP),
    ]
    if base == "Base":
        bodies.append(body("Base", 0.0, 0.05, (2.0, 2.0, 0.1), 50.0))
    joints = [
        hinge("LeftFoot", base, "Left", -0.5, 0.2, most),
        hinge("RightFoot", "Right", base, 0.5, 0.2, most),
        hinge("LeftTop", "Top", "Left", -0.5 + LEAN, 0.8),
        hinge("RightTop", "Top", "Right", 0.5 + LEAN, 0.8, more),
    ]
    return list(
        warnings(
            read_robot(
                "<Client><CSettings><Name>Table</Name></CSettings><Entity>"
                f"<RigidBodies>{''.join(bodies)}</RigidBodies><Joints>{''.join(joints)}</Joints>"
                f"<Motors>{motors}</Motors></Entity></Client>"
            )
        )
    )


@pytest.mark.parametrize("base", ["Base", "World"])
def test_a_parallelogram_that_leans(base: str) -> None:
    assert parallelogram(1.001 * LIMIT, base) == []
    (said,) = parallelogram(0.5 * LIMIT, base)
    assert said == "LeftFoot, RightFoot can hold 50 % of the weight on their loop of 4 joints"


def test_every_motor_of_a_loop_helps() -> None:
    assert parallelogram(0.5 * LIMIT, more=f"<FMax>{1.001 * LIMIT}</FMax>") == []


def test_nothing_is_said_of_what_nothing_drives_or_a_spring_holds() -> None:
    assert parallelogram(0.0) == []
    spring = '<SpringDamper name="Spring"><Joint>LeftTop</Joint><Stiffness>5000</Stiffness></SpringDamper>'
    assert parallelogram(0.5 * LIMIT, motors=spring) == []
