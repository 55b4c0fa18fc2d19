"""materials.yaml: what is in it, how pairs are found, and what is told about mistakes."""

from pathlib import Path

import pytest

from ubersim.description import Materials, Surface, default_materials, load_materials, read_materials
from ubersim.errors import DescriptionError, UberSimError

GOOD = """
materials: {Rubber: tyres, Ground: the floor, Ice: slippery}
default: {mu: 0.5, mu2: 0.4, bounce: 0.1, rolling: 0.001}
pairs:
  Rubber + Ground: {mu: 0.9}
  Ice+Ice: {bounce: 0.3}
  Rubber  +  Rubber: {mu: 1.1, mu2: 0.2, slip: 0.01, soft_erp: 0.3, soft_cfm: 1.0e-5}
"""


def test_pairs_are_symmetric_and_take_the_rest_from_the_default() -> None:
    found = read_materials(GOOD)
    assert found.names == ("Rubber", "Ground", "Ice")
    assert found.surface("Rubber", "Ground") == found.surface("Ground", "Rubber")
    assert found.surface("Rubber", "Ground") == Surface(mu=0.9, bounce=0.1, rolling=0.001)
    assert found.surface("Ice", "Ice") == Surface(mu=0.5, mu2=0.4, bounce=0.3, rolling=0.001)
    assert found.surface("Ice", "Ground") == found.default == Surface(mu=0.5, mu2=0.4, bounce=0.1, rolling=0.001)
    assert found.surface("Rubber", "Rubber").mu2 == 0.2
    assert found.surface("Rubber", "Rubber").soft_cfm == 1e-5
    matrix = found.matrix()
    assert all(matrix[i][j] == matrix[j][i] for i in range(3) for j in range(3))
    assert matrix[found.index("Rubber")][found.index("Ground")].mu == 0.9


def test_names_are_looked_up_and_the_near_one_is_told() -> None:
    found = read_materials(GOOD)
    assert "Rubber" in found and "Ruber" not in found and list(found) == ["Rubber", "Ground", "Ice"]
    assert found.unknown("Ruber") == "unknown material 'Ruber'; did you mean Rubber?"
    with pytest.raises(UberSimError, match="known are Ground, Ice, Rubber; the materials have to have it"):
        found.index("Cheese")


def test_the_shipped_file_has_what_robots_and_worlds_need() -> None:
    found = default_materials()
    for name in ("Plastic", "Rubber", "Metal", "Wood", "Concrete", "Ground", "Carpet", "Felt", "Ball"):
        assert name in found
    # A ball comes to rest on everything.
    assert all(found.surface("Ball", other).rolling > 0 for other in found)
    assert found.surface("Rubber", "Ground").mu > found.surface("Rubber", "Ice").mu


CASES = {
    "typo in a section": (GOOD.replace("pairs:", "piars:"), 4, "piars", "unknown key; did you mean pairs?"),
    "typo in a key": (
        GOOD.replace("{mu: 0.9}", "{roling: 0.9}"),
        5,
        "pairs/Rubber + Ground/roling",
        "did you mean rolling?",
    ),
    "unknown material": (GOOD.replace("Rubber + Gr", "Ruber + Gr"), 5, "pairs/Ruber + Ground", "did you mean Rubber?"),
    "negative": (
        GOOD.replace("0.9", "-0.9"),
        5,
        "pairs/Rubber + Ground/mu",
        "-0.9 is out of range; allowed is a number",
    ),
    "not a number": (GOOD.replace("0.9", "much"), 5, "pairs/Rubber + Ground/mu", "'much' is not a number"),
    "infinite": (GOOD.replace("0.9", "inf"), 5, "pairs/Rubber + Ground/mu", "inf is out of range"),
    "yaml's infinity": (GOOD.replace("0.9", ".inf"), 5, "pairs/Rubber + Ground/mu", "is not a number"),
    "list": (GOOD.replace("0.9", "[1]"), 5, "pairs/Rubber + Ground/mu", "a list or nothing is not a number"),
    "more than elastic": (GOOD.replace("0.3}", "1.5}"), 6, "pairs/Ice+Ice/bounce", "1.5 is out of range"),
    "not a pair": (GOOD.replace("Ice+Ice", "Ice"), 6, "pairs/Ice", "is not a pair; write `One + Other`"),
    "twice": (GOOD + "  Ice+Ice: {mu: 1}\n", 8, "pairs/Ice+Ice", "occurs twice, first in line 6"),
    "twice, turned over": (GOOD + "  Ground + Rubber: {mu: 1}\n", 8, "pairs/Ground + Rubber", "twice, first in line 5"),
    "twice, on one line": (
        GOOD.replace("{mu: 0.9}", "{mu: 0.9, mu: 0.8}"),
        5,
        "pairs/Rubber + Ground/mu",
        "occurs twice",
    ),
    "material twice": (GOOD.replace("Ice: s", "Rubber: s"), 2, "materials/Rubber", "occurs twice"),
    "bad name": (GOOD.replace("Ice: slippery", "'I ce': x"), 2, "materials", "'I ce' is not a name"),
    "no mapping": (GOOD.replace("{mu: 0.9}", "0.9"), 5, "pairs/Rubber + Ground", "is not a mapping"),
    "no materials": ("default: {mu: 1}", 0, "", "the section materials is missing"),
    "empty list": ("materials: {}", 1, "materials", "0 materials; allowed are 1 to 256"),
    "empty": ("", 0, "", "the file is empty"),
    "not YAML": ("materials: {", 1, "", "not YAML"),
}


@pytest.mark.parametrize("case", CASES)
def test_mistakes_are_told_with_their_line(case: str) -> None:
    text, line, element, message = CASES[case]
    with pytest.raises(DescriptionError) as refused:
        read_materials(text)
    assert any(
        problem.line == line and problem.element == element and message in problem.message
        for problem in refused.value.problems
    ), refused.value


def test_all_mistakes_at_once(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(GOOD.replace("0.9", "-1").replace("bounce: 0.3", "bonce: 0.3"))
    with pytest.raises(DescriptionError) as refused:
        load_materials(path)
    assert [problem.line for problem in refused.value.problems] == [5, 6]
    assert str(refused.value).startswith(f"{path}:5: pairs/Rubber + Ground/mu: ")


def test_a_program_can_make_its_own() -> None:
    found = Materials(("A", "B"), pairs={("A", "B"): Surface(mu=0.0)})
    assert found.surface("B", "A").mu == 0.0 and found.surface("A", "A") == Surface()
