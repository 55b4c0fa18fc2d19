"""Plans and matches that are no YAML, or YAML that means harm: one line with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from ubersim.errors import UberSimError
from ubersim.league.yaml_file import mapping_of
from ubersim.sweeps.plan_file import load_plan

HARM = {
    "deep": "[" * 800,
    "a date that is none": "robot: 2020-99-99",
    "a number of many digits": "frames: " + "9" * 5000,
    "a list within itself": "robot: &a [*a]\n? *a\n: 1",
    "an object": "!!python/object/apply:os.system ['true']",
    "tabs": "a:\n\t- b",
}


@pytest.mark.parametrize("text", HARM.values(), ids=list(HARM))
def test_one_line_says_why(text: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    with pytest.raises(UberSimError, match=r"plan\.yaml"):
        load_plan(path)
    with pytest.raises(UberSimError, match=r"match\.yaml"):
        mapping_of(text, "match.yaml")
