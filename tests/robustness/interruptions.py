"""A recording that is interrupted at some moment: the log is complete to the last frame."""

from __future__ import annotations

import re
import signal
import time
from pathlib import Path
from random import Random

from tests.robustness.good_client import GoodClient
from tests.robustness.machine import Machine
from ubersim.recording import Log
from ubersim.recording.replay import replay

SIGNALS = (signal.SIGTERM, signal.SIGINT)


def interrupt_recording(folder: Path, random: Random) -> None:
    """Ends a server by a signal while a client is there and all is recorded, and looks at what is left."""
    log = folder / "run.mcap"
    machine = Machine("--clients", 1, "--record", log, "--render", "inline")
    good = GoodClient(machine.port)
    time.sleep(random.choice((0.0, 0.01, 0.1, 0.6)) * random.random())
    code, said = machine.stop(random.choice(SIGNALS), again=random.choice((None, *SIGNALS)))
    found = re.search(r"(\d+) frames,", said)
    assert code == 0 and found is not None and "Traceback" not in said, (code, said)
    frames, (told, _) = int(found[1]), good.result()
    with Log(log) as left:
        assert left.complete and left.last == frames, (left.last, frames)
        assert replay(left) is None
    assert told <= frames + 1, (told, frames)
