"""The files of a project that `ubersim init` writes; NAME and name stand for what the robot is called."""

from __future__ import annotations

from importlib.resources import files

FILES = ("robot.xml", "program.py", "test_robot.py", "README.md")


def project_files(name: str) -> dict[str, str]:
    """By path, the text of each file of a project for a robot of that name."""
    low = name.lower()
    folder = files("ubersim.cli.project")
    texts = {file: (folder / f"{file}.txt").read_text(encoding="utf-8") for file in FILES}
    paths = {"robot.xml": f"{low}.xml", "program.py": f"{low}.py", "test_robot.py": f"test_{low}.py"}
    return {paths.get(file, file): text.replace("@NAME@", name).replace("@name@", low) for file, text in texts.items()}
