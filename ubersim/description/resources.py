"""Where the files are that come with ÜberSim: materials.yaml, worlds/, robots/.

In the source tree they stand at the top, where people look; a wheel carries copies in the package's folder `shipped`.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
_PLACES = (_PACKAGE / "shipped", _PACKAGE.parent)


def shipped(name: str) -> Path:
    """The path of a file that comes with ÜberSim, e.g. `worlds/ground.xml`."""
    for place in _PLACES:
        if (place / name).is_file():
            return place / name
    raise FileNotFoundError(f"{name} does not come with this installation; looked in {', '.join(map(str, _PLACES))}")


def shipped_names(folder: str) -> list[str]:
    """The names of the files that come in a folder, without their endings, e.g. those of the `robots`."""
    return sorted({path.stem for place in _PLACES for path in (place / folder).glob("*.xml")})
