"""A process that may crash or hang, and one that cannot even begin."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

from ubersim.description.resources import by_name
from ubersim.sweeps.guard import GuardedProcess, RunFailed


def test_a_process_that_cannot_be_started_says_so_and_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    guarded = GuardedProcess()
    with monkeypatch.context() as broken:
        broken.setattr(sys, "executable", "/bin/true")
        with pytest.raises(RunFailed, match=r"a process cannot be started: /bin/true -m ubersim\.sweeps\.worker"):
            guarded.call(math.sqrt, 9.0, limit=60.0)
    assert guarded.call(math.sqrt, 9.0, limit=60.0) == 3.0
    guarded.close()


def test_what_goes_wrong_says_what_it_is_unless_it_explains_itself() -> None:
    guarded = GuardedProcess()
    with pytest.raises(RunFailed, match=r"^there is no file 'no_such'"):
        guarded.call(by_name, Path("no_such"), "robots", limit=60.0)
    with pytest.raises(RunFailed, match=r"^ValueError: "):
        guarded.call(math.sqrt, -1.0, limit=60.0)
    guarded.close()
