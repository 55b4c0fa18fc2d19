"""What `ubersim` runs.

Every verb is one module of this package, which registers its function with the app. What only one verb needs is
imported inside its function, so that `ubersim --help` is quick, too.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from ubersim.errors import UberSimError

INTERRUPTED = 130
"""The exit code of what Ctrl-C has ended, as shells have it."""


def main() -> None:
    """Runs one verb. An error that ÜberSim or the system explains is one line on stderr, and exit code 1."""
    try:
        from ubersim.cli.app import app  # takes a moment, in which there may be an interrupt, too

        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except UberSimError as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error))
    finally:
        _drop_unread_complaints()


def _fail(reason: str) -> NoReturn:
    """Without what could command the terminal: names of files may have anything in them."""
    from ubersim.description.messages import printable

    print("\n".join(map(printable, reason.split("\n"))), file=sys.stderr)
    sys.exit(1)


def _drop_unread_complaints() -> None:
    """If nothing reads stderr any more, what could not be said stays in its buffer: some Pythons then exit with 120."""
    try:
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
