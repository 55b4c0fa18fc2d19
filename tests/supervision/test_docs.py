"""docs/protocol.md names every request of supervisors, and every argument."""

import re
from pathlib import Path

from ubersim.protocol.supervisor_connection import LONGEST_REQUEST
from ubersim.server.outbox import MOST_UNREAD
from ubersim.server.supervisor_connection import MOST_REQUESTS
from ubersim.server.supervisor_io import MOST_SUPERVISORS
from ubersim.supervision import all_commands
from ubersim.supervision.arguments import arguments_of
from ubersim.supervision.commands.rate import FASTEST, SLOWEST
from ubersim.supervision.commands.take_snapshot import MOST_SNAPSHOTS

TEXT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
SECTION = TEXT[TEXT.index("## Supervisors") : TEXT.index("## A client in twenty lines")]


def test_commands_and_their_arguments() -> None:
    table = SECTION[SECTION.index("| verb |") : SECTION.index("**The truth.**")]
    rows = dict(re.findall(r"^\| `(\w+)` \|([^|]*)\|", table, re.MULTILINE))
    assert rows.keys() == all_commands().keys()
    for verb, command in all_commands().items():
        assert re.findall(r"`(\w+)`", rows[verb]) == list(arguments_of(command)), verb


def test_limits() -> None:
    assert f"| supervisors | {MOST_SUPERVISORS} |" in SECTION
    assert f"| {MOST_REQUESTS:,} |" in SECTION
    assert f"| {MOST_UNREAD >> 20} MiB, then" in SECTION
    assert LONGEST_REQUEST == 4 * 2**20 + 64 * 2**10
    assert f"up to {MOST_SNAPSHOTS} labels" in SECTION
    assert f"{SLOWEST:g} to {FASTEST:,.0f};" in SECTION
