"""Long lists of numbers and names in elements: each that does not fit is quoted."""

from __future__ import annotations

import pytest

from tests.helpers.documents import AT_ORIGIN, body, robot
from ubersim.components.solids.mesh import Mesh
from ubersim.description import read_robot
from ubersim.errors import DescriptionError

CORNERS, SIDES = "0 0 0 1 0 0 0 1 0 0 0 1", "0 2 1 0 1 3 0 3 2 1 2 3"
TWELVE = "9 9 9 9 9 9 9 9 9 9 9 9"


def mesh(corners: str = CORNERS, sides: str = SIDES, more: str = "") -> str:
    return robot(
        body(
            f'<Mesh name="m"><Vertices>{corners}</Vertices><Triangles>{sides}</Triangles>{more}<Mass>1</Mass>'
            f"{AT_ORIGIN}<Material>Wood</Material></Mesh>"
        )
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (mesh("0 0 0 1 0 0 0 1 0 0 0 1e9"), "farther than 10000 m"),
        (mesh("0 0 0 1 0 0 0 1 0 0 0 1..2"), r"'1\.\.2' is not a number from"),
        (mesh(CORNERS + " 5"), "group"),
        (mesh(sides="0 2 1 0 1 3 0 3 2 1 2"), "group"),
        (mesh(sides="0 2 1 0 1 3 0 3 2 1 2 -3"), "'-3' is not a whole number from 0"),
        (mesh(sides="0 2 1 0 1 3 0 3 2 1 2 99999999999"), "'99999999999' is not a whole number from 0"),
        (
            mesh(more=f"<VertexColors>{TWELVE}</VertexColors><FaceColors>{TWELVE}</FaceColors>"),
            "is coloured in two ways",
        ),
        (mesh("0 0 0 1e-5 0 0 0 1e-5 0 0 0 1e-5"), "Mesh"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_quoted(text: str, reason: str) -> None:
    with pytest.raises(DescriptionError, match=reason):
        read_robot(text)


def test_numbers_of_any_spelling_are_read() -> None:
    found = read_robot(mesh("0 0 0 +1 0 0 0 1.0e0 0 0 0 .1e1")).bodies[0].solids[0]
    assert isinstance(found, Mesh) and found.vertices == (0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1)
