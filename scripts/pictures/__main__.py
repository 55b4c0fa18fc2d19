"""Takes the documentation's pictures of the live page, of plots and of marks again: docs/images/NAME.png.

usage: python -m scripts.pictures [NAME ...]        # all of them, or some; look at each before it is committed
"""

from __future__ import annotations

import argparse
from pathlib import Path

from scripts.pictures.pages import PAGES
from scripts.pictures.plots import PLOTS

ROOT = Path(__file__).parents[2]
PICTURES = {**PLOTS, **PAGES}


def main() -> None:
    """Takes what is asked for, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m scripts.pictures", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images", help="folder for them")
    options = parser.parse_args()
    if unknown := set(options.names) - set(PICTURES):
        parser.error(f"there is no picture {', '.join(sorted(unknown))}; there are {', '.join(PICTURES)}")
    for name in options.names or PICTURES:
        file = options.out / f"{name}.png"
        PICTURES[name](file)
        print(file, flush=True)


if __name__ == "__main__":
    main()
