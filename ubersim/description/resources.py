"""Where the files are that come with ÜberSim: materials.yaml, worlds/, robots/.

In the source tree they stand at the top, where people look; a wheel carries copies in the package's folder `shipped`.
"""

from __future__ import annotations

from pathlib import Path

from ubersim.errors import UberSimError
from ubersim.protocol.suggestion import suggestion

_PACKAGE = Path(__file__).resolve().parent.parent
_PLACES = (_PACKAGE / "shipped", _PACKAGE.parent)


def shipped(name: str) -> Path:
    """The path of a file that comes with ÜberSim, e.g. `worlds/ground.xml`."""
    for place in _PLACES:
        if (place / name).is_file():
            return place / name
    raise FileNotFoundError(f"{name} does not come with this installation; looked in {', '.join(map(str, _PLACES))}")


def shipped_names(folder: str, ending: str = "xml") -> list[str]:
    """The names of the files that come in a folder, without their ending, e.g. those of the `robots`."""
    return sorted({path.stem for place in _PLACES for path in (place / folder).glob(f"*.{ending}")})


def part_of_robots(name: str) -> Path | None:
    """The file of a part that comes along, such as `parts/ptz_camera.xml`, as robots name it; None: there is none."""
    path = Path(name)
    known = path.parts[:-1] == ("parts",) and path.suffix == ".xml" and path.stem in shipped_names("robots/parts")
    return shipped(f"robots/{path}") if known else None


def by_name(given: str | Path, *folders: str) -> Path:
    """A path as it is, unless there is no such file and one of that name comes along in one of the folders.

    So `segway` is robots/segway.xml, and that is the file that comes along if there is none here.
    """
    path = Path(given)
    if path.exists():
        return path
    if path.suffix or len(path.parts) != 1:
        comes_along = path.parts[:-1] in [(folder,) for folder in folders] and path.stem in shipped_names(path.parts[0])
        return shipped(str(path)) if comes_along and path.suffix == ".xml" else path
    for folder in folders:
        if path.name in shipped_names(folder):
            return shipped(f"{folder}/{path.name}.xml")
    for folder in {"robots", "worlds"}.difference(folders):
        if path.name in shipped_names(folder):
            raise UberSimError(
                f"{path.name!r} is one of the {folder} that come along; here one of the {folders[0]} is meant"
            )
    known = [name for folder in folders for name in shipped_names(folder)]
    raise UberSimError(
        f"there is no file {path.name!r}, and nothing of that name comes along; {suggestion(path.name, known)}"
    )
