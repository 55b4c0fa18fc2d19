"""Names that our documents allow: short, plain, each once."""

from __future__ import annotations

import re

from ubersim.description.parse_context import RESERVED
from ubersim.importers.report import ImportReport

LONGEST = 64


class UniqueNames:
    """The names that a document has so far."""

    def __init__(self, report: ImportReport) -> None:
        self._report = report
        self._taken = set(RESERVED)

    def keep(self, wanted: str, what: str, line: int, ending: str = "") -> str:
        """A name of the source, or the nearest that is allowed, which is reported; `ending` is tried if it is taken."""
        found = self.make(wanted, ending)
        if found != wanted:
            self._report.changed(line, f"{what} {wanted}", f"is called {found}")
        return found

    def make(self, wanted: str, ending: str = "") -> str:
        """A name that nothing has yet."""
        plain = re.sub(r"[^A-Za-z0-9_.-]", "_", wanted)[:LONGEST] or "unnamed"
        found, number = plain, 1
        while found in self._taken:
            suffix = ending if ending and number == 1 else f"_{number}"
            found, number = plain[: LONGEST - len(suffix)] + suffix, number + 1
        self._taken.add(found)
        return found
