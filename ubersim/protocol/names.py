"""The names of messages: each exists here once, and nothing in a robot can have it."""

from __future__ import annotations

from collections.abc import Mapping

WELCOME = "Welcome"
ERROR = "Error"
TIMESTAMP = "Timestamp"
FRAME_END = "FrameEnd"
ACK = "Ack"
CLIENT = "Client"
DRAW = "Draw"
CANCEL = "Cancel"
END = "End"
PARAMETER = "Parameter"
DECLARE = "Declare"
LOG = "Log"

VISIBLE = "light"
"""The class of radiation that has colours; a welcome names the others that cameras see."""

DONE = "Done"
FAILED = "Failed"
LEGEND = "Legend"
TRUTH = "Truth"
CONTACTS = "Contacts"
FORCES = "Forces"
PUSHES = "Pushes"
COMMANDS = "Commands"
"""What a server sends to supervisors alone. Their names are free for robots: sensors are `Robot/Sensor` there."""

FROM_SERVER = (WELCOME, ERROR, TIMESTAMP, FRAME_END)
"""What a server sends beside readings."""
FROM_CLIENT = (TIMESTAMP, ACK, CLIENT)
"""What a client sends beside commands to components. `Draw` is not reserved: a component of that name comes first."""

RESERVED_SINCE: Mapping[int, tuple[str, ...]] = {
    1: FROM_SERVER + FROM_CLIENT,
    2: (CANCEL, END, PARAMETER, DECLARE, LOG),
}
"""By the version of the protocol that introduced them.

The messages of a later version have a row of their own here: documents that do not ask for that version may go on using
their names.
"""


def reserved_names(version: int = 1) -> frozenset[str]:
    """Names with a meaning of their own in this version, which no sensor and no joint can have."""
    return frozenset(name for since, names in RESERVED_SINCE.items() if since <= version for name in names)


RESERVED_NAMES = reserved_names()
