"""Imports every robot that the PyPI packages of the extra `bench` contain, and lets each stand or fall for 2 s.

    python -m benchmarks.imports [--write docs/import.md] [--sheet docs/images/imported.png] [WORD ...]

With words, only the files whose paths contain one of them. Each file has a process of its own, and a time limit.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

SECONDS = 2.0
"""How long each robot is simulated [s]."""
STEP = 0.001
LIMIT = 240.0
"""How long a file may take [s]."""
FEW_BODIES = 30
LEFT_OUT = {"random_urdfs", "test_assets"}
"""A thousand nameless pieces of pybullet_data, and what dm_control's own tests find fault with."""
FARTHEST = 100.0
"""What is farther away than it could have fallen has exploded [m]."""
SIX = ("panda.urdf", "go2.urdf", "talos_full_v2.urdf", "r2d2.urdf", "ur5_robot.urdf", "pr2.urdf")
_SECTION = re.compile(r"(<!-- generated: imports -->\n).*?(<!-- end -->)", re.DOTALL)


def files() -> Iterator[tuple[str, Path]]:
    """Package and file."""
    for package, patterns in (
        ("mujoco", ("*.xml",)),
        ("gymnasium", ("*.xml",)),
        ("dm_control", ("*.xml",)),
        ("pybullet_data", ("*.urdf",)),
        ("cmeel.prefix/share/example-robot-data/robots", ("*.urdf",)),
    ):
        folder = _folder(package)
        found = sorted({path for pattern in patterns for path in folder.rglob(pattern)}) if folder else []
        for path in found:
            if not LEFT_OUT & set(path.parts):
                yield package.split("/")[-2 if "/" in package else 0], path


def _folder(package: str) -> Path | None:
    top, _, rest = package.partition("/")
    if top == "cmeel.prefix":
        spec = find_spec("cmeel")
        home = Path(spec.origin).parent.parent if spec is not None and spec.origin else None
        return None if home is None else home / top / rest
    spec = find_spec(top)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def tried(path: Path) -> dict[str, Any]:
    """What came of a file, in this process."""
    import numpy as np

    from ubersim.errors import UberSimError
    from ubersim.importers import import_robot
    from ubersim.simulation import Simulation

    began = time.perf_counter()
    try:
        made = import_robot(path)
        robot = made.description()
    except UberSimError as error:
        why = re.sub(r"'[^' ]*/", "'", str(error).split(": ", 1)[-1])  # without the folders of what it names
        return {"result": "refused", "why": why[:160]}
    seconds = time.perf_counter() - began
    losses = Counter(_kind(finding.outcome, finding.what) for finding in made.report.losses)
    about = {"bodies": len(robot.bodies), "joints": len(robot.joints), "import": seconds, "losses": dict(losses)}
    with Simulation(step=STEP) as simulation:
        try:
            simulation.spawn(robot)
            simulation.step(10)  # whatever happens only once
            began = time.process_time()  # of this process alone, whatever else the machine does
            simulation.step(round(SECONDS / STEP))
        except UberSimError as error:
            return about | {"result": "exploded", "why": str(error)[:160]}
        took = time.process_time() - began
        farthest = float(np.abs(simulation.world.positions).max())
    exploded = not farthest < FARTHEST + float(np.abs([body.mass_properties().center for body in robot.bodies]).max())
    return about | {"result": "exploded" if exploded else "fine", "speed": SECONDS / took, "why": ""}


def _kind(outcome: str, what: str) -> str:
    """A finding without the names in it."""
    words = what.split()
    return f"{outcome} {words[1] if words[0].isdigit() else words[0]}"


def _in_a_process(path: Path, sender: Any) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        sender.send(json.dumps(tried(path)))
    except BaseException as error:
        sender.send(json.dumps({"result": "failed", "why": f"{type(error).__name__}: {error}"[:160]}))


def survey(words: list[str]) -> Iterator[tuple[str, Path, dict[str, Any]]]:
    """Every file and what came of it."""
    # All that takes time to import is imported once; each file then has a copy of this process.
    import mujoco  # noqa: F401
    import trimesh  # noqa: F401
    import yourdfpy  # noqa: F401

    from ubersim.description import default_materials, default_world
    from ubersim.simulation import Simulation  # noqa: F401

    default_world(), default_materials()
    context = multiprocessing.get_context("fork")
    for package, path in files():
        if words and not any(word in str(path) for word in words):
            continue
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_in_a_process, args=(path, sender))
        process.start()
        sender.close()
        try:
            found = (
                json.loads(receiver.recv()) if receiver.poll(LIMIT) else {"result": "too slow", "why": f"{LIMIT:g} s"}
            )
        except EOFError:
            found = {"result": "crashed", "why": ""}
        if process.is_alive():
            process.kill()
        process.join()
        yield package, path, found


def table(rows: list[tuple[str, Path, dict[str, Any]]]) -> str:
    """The page's section."""
    whole = [row for row in rows if not _is_part(row[2])]
    fine = [row for row in whole if row[2]["result"] == "fine"]
    slow = [row for row in fine if row[2]["bodies"] < FEW_BODIES and row[2]["speed"] < 1]
    lines = [
        f"{len(whole)} robots, of which {len(fine)} ({100 * len(fine) / max(len(whole), 1):.1f} %) import, and stand "
        f"or fall for {SECONDS:g} s without exploding; {len(slow)} of those with fewer than {FEW_BODIES} bodies run "
        f"slower than real time. {len(rows) - len(whole)} more files are no robots: parts that others include, macros, "
        "or files that name others which their packages do not have.",
        "",
        "| package | file | result | bodies | joints | speed | changed or dropped |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for package, path, found in sorted(rows, key=lambda row: (row[0], str(row[1]))):
        lost = ", ".join(f"{count} {kind}" for kind, count in sorted(found.get("losses", {}).items()))
        result = "no robot" if _is_part(found) else found["result"]
        speed = f"{found['speed']:.3g} x" if "speed" in found else ""
        name = "/".join(path.parts[-2:])
        why = (found["why"] or lost).replace("|", "/")
        lines.append(
            f"| {package} | {name} | {result} | {found.get('bodies', '')} | {found.get('joints', '')} | {speed} "
            f"| {why} |"
        )
    return "\n".join(lines)


def sheet(out: Path) -> None:
    """Six of them on one sheet, each as `ubersim show` draws it."""
    from PIL import Image

    width, height = 480, 360
    whole = Image.new("RGB", (3 * width, 2 * height))
    found = {path.name: path for _, path in files()}
    for number, name in enumerate(SIX):
        with tempfile.NamedTemporaryFile(suffix=".png") as picture:
            size = f"{2 * width}x{2 * height}"
            command = [
                sys.executable,
                "-m",
                "ubersim.cli",
                "show",
                str(found[name]),
                "-o",
                picture.name,
                "--size",
                size,
            ]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            small = Image.open(picture.name).convert("RGB").resize((width, height), Image.Resampling.LANCZOS)
        whole.paste(small, (number % 3 * width, number // 3 * height))
    whole.save(out, optimize=True)


def _is_part(found: dict[str, Any]) -> bool:
    """A file that is no robot by itself, and is told to be none."""
    marks = ("a part for other files", "xacro file", "the root element is", "it has no links", "Error opening file")
    return found["result"] == "refused" and any(mark in found["why"] for mark in marks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*", help="only files whose paths contain one of them")
    parser.add_argument("--write", type=Path, help="page whose table is brought up to date")
    parser.add_argument("--sheet", type=Path, help="draw six of them, and nothing else")
    arguments = parser.parse_args()
    if arguments.sheet is not None:
        sheet(arguments.sheet)
        return
    rows = []
    for package, path, found in survey(arguments.words):
        rows.append((package, path, found))
        speed = f"{found['speed']:8.1f} x" if "speed" in found else " " * 10
        print(
            f"{found['result']:10}{speed} {package}/{'/'.join(path.parts[-2:])}: {found['why']}",
            file=sys.stderr,
            flush=True,
        )
    print(table(rows).split("\n")[0])
    if arguments.write is not None:
        text = arguments.write.read_text(encoding="utf-8")
        arguments.write.write_text(_SECTION.sub(lambda found: found[1] + table(rows) + "\n" + found[2], text), "utf-8")


if __name__ == "__main__":
    main()
