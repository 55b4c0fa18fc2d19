"""docs/protocol.md names every request of supervisors, and every argument."""

import dataclasses
import re
from pathlib import Path
from typing import Any

from tests.helpers.commands import point
from tests.helpers.robots import cart
from ubersim.protocol.supervisor_connection import LONGEST_REQUEST
from ubersim.server.outbox import MOST_OF_ALL, MOST_UNREAD
from ubersim.server.supervisor_connection import MOST_REQUESTED, MOST_REQUESTS
from ubersim.server.supervisor_io import MOST_SUPERVISORS
from ubersim.simulation import Simulation
from ubersim.supervision import CommandContext, all_commands
from ubersim.supervision.arguments import arguments_of
from ubersim.supervision.commands.rate import FASTEST, SLOWEST
from ubersim.supervision.commands.take_snapshot import MOST_SNAPSHOTS
from ubersim.supervision.ground_truth import LARGEST_PICTURE, MOST_SENSORS
from ubersim.supervision.interventions import execute
from ubersim.supervision.registry import find_commands

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "protocol.md").read_text(encoding="utf-8")
SECTION = TEXT[TEXT.index("## Supervisors") : TEXT.index("## A client in twenty lines")]


def test_commands_and_their_arguments() -> None:
    table = SECTION[SECTION.index("| verb |") : SECTION.index("**The truth.**")]
    rows = dict(re.findall(r"^\| `(\w+)` \|([^|]*)\|", table, re.MULTILINE))
    assert rows.keys() == all_commands().keys()
    for verb, command in all_commands().items():
        assert re.findall(r"`(\w+)`", rows[verb]) == list(arguments_of(command)), verb


def test_what_commands_answer_with() -> None:
    table = SECTION[SECTION.index("| verb |") : SECTION.index("**The truth.**")]
    for verb, command in all_commands().items():
        (row,) = re.findall(rf"^\| `{verb}` \|.*$", table, re.MULTILINE)
        for field in dataclasses.fields(command.reply_type()):
            assert f"`{field.name}`" in row, verb


def test_the_pages_command_works() -> None:
    page = (DOCS / "extending.md").read_text(encoding="utf-8")
    (block,) = (
        block for block in re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE) if "Halt" in block
    )
    names: dict[str, Any] = {"__name__": __name__}
    exec(block, names)
    halt = find_commands([point("Halt", names["Halt"])])["Halt"]
    simulation = Simulation()
    robot = simulation.spawn(cart(x=0.0), position=(0, 0, 5))
    simulation.step(10)
    reply = execute(halt.read({"robot": "Cart"}), CommandContext(simulation, {}))
    assert reply.to_json() == {"bodies": 2}
    assert not robot.bodies["Base"].linear_velocity.any()


def test_limits() -> None:
    assert f"| supervisors | {MOST_SUPERVISORS} |" in SECTION
    assert f"| {MOST_REQUESTS:,} |" in SECTION
    assert f"| {MOST_REQUESTED >> 20} MiB |" in SECTION
    assert f"| {MOST_UNREAD >> 20} MiB, then" in SECTION
    assert f"{MOST_OF_ALL >> 20} MiB, then the connection is cut" in SECTION
    assert f"| {MOST_SENSORS:,} sensors and {LARGEST_PICTURE >> 20} MiB" in SECTION
    assert LONGEST_REQUEST == 4 * 2**20 + 64 * 2**10
    assert f"up to {MOST_SNAPSHOTS} labels" in SECTION
    assert f"{SLOWEST:g} to {FASTEST:,.0f};" in SECTION
