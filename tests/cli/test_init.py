"""`init` writes a project whose tests pass at once, and that editors can check."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree
from typer.testing import CliRunner

from ubersim.cli.app import app
from ubersim.errors import UberSimError

pytest_plugins = "pytester"


def test_a_project(pytester: pytest.Pytester) -> None:
    folder = pytester.path / "mine"
    result = CliRunner().invoke(app, ["init", "Wobbler", "--folder", str(folder)])
    assert result.exit_code == 0
    files = {path.name for path in folder.iterdir()}
    assert files == {"wobbler.xml", "wobbler.py", "test_wobbler.py", "robot.xsd", "README.md"}
    schema = etree.XMLSchema(etree.parse(folder / "robot.xsd"))
    schema.assertValid(etree.parse(folder / "wobbler.xml"))
    assert "@" not in "".join(path.read_text() for path in folder.iterdir())
    assert CliRunner().invoke(app, ["check", str(folder / "wobbler.xml"), "--strict"]).exit_code == 0
    pytester.runpytest_subprocess(folder).assert_outcomes(passed=2)
    again = CliRunner().invoke(app, ["init", "Wobbler", "--folder", str(folder)])
    assert isinstance(again.exception, UberSimError) and "exists already" in str(again.exception)


@pytest.mark.parametrize("name", ["1-2", "Class", "random", "numpy", "UberSim", "x" * 33])
def test_names_that_cannot_be(name: str, tmp_path: Path) -> None:
    """Those of Python's words and modules neither: a program `random.py` would be what everybody else imports."""
    result = CliRunner().invoke(app, ["init", name, "--folder", str(tmp_path / "x")])
    assert isinstance(result.exception, UberSimError) and not (tmp_path / "x").exists()


def test_what_to_do_next_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "duo").mkdir()
    assert "now: cd 'my robot' && pytest" in CliRunner().invoke(app, ["init", "Duo", "--folder", "my robot"]).output
    assert "now: cd duo && pytest" in CliRunner().invoke(app, ["init", "Duo"]).output
