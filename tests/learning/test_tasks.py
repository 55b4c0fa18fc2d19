"""The tasks that come along: nobody has succeeded before anything was done, except who only has to stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ubersim.errors import UberSimError
from ubersim.learning import UberSimEnv
from ubersim.learning.registration import TASKS

STAYING = {"SegwayBalance-v0", "SegwayDrive-v0"}


@pytest.mark.parametrize("name", sorted(TASKS))
def test_success_is_not_there_from_the_beginning(name: str) -> None:
    env: Any = UberSimEnv(task=f"ubersim.learning.tasks.{TASKS[name]}")
    try:
        env.reset(seed=1)
        assert isinstance(env.task.succeeded(), bool | np.bool_)
        assert not env.task.failed()
        if name not in STAYING:
            assert not env.task.succeeded()
    finally:
        env.close()


def test_pictures_do_not_go_into_one_row_of_numbers() -> None:
    with pytest.raises(UberSimError, match="Cam takes pictures, which do not go into a flat observation"):
        UberSimEnv(task="ubersim.learning.tasks.segway:SegwayBalance", observation=["Cam"], flat=True)
