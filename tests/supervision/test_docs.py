"""docs/protocol.md names every request of supervisors, and every argument."""

import dataclasses
import re
from pathlib import Path

from ubersim.server.supervision import RATES
from ubersim.server.supervisor_connection import LONGEST_REQUEST, MOST_REQUESTS, MOST_UNREAD
from ubersim.server.supervisor_io import MOST_SUPERVISORS
from ubersim.supervision import DEEDS
from ubersim.supervision.timelines import MOST_SNAPSHOTS

TEXT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
SECTION = TEXT[TEXT.index("## Supervisors") : TEXT.index("## A client in twenty lines")]


def test_deeds_and_their_arguments() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \|([^|]*)\|", SECTION, re.MULTILINE))
    for name, deed in DEEDS.items():
        documented = re.findall(r"`(\w+)`", rows[name])
        assert documented == [field.name for field in dataclasses.fields(deed)], name


def test_limits() -> None:
    assert f"| supervisors | {MOST_SUPERVISORS} |" in SECTION
    assert f"| {MOST_REQUESTS:,} |" in SECTION
    assert f"| {MOST_UNREAD >> 20} MiB, then" in SECTION
    assert LONGEST_REQUEST == 4 * 2**20 + 64 * 2**10
    assert f"up to {MOST_SNAPSHOTS} labels" in SECTION
    assert f"{RATES[0]:g} to {RATES[1]:,.0f};" in SECTION
