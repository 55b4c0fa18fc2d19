"""The process in which runs happen: requests come in on one pipe, outcomes go out on another, both pickled.

It is alone with its run, so that a run that hangs or takes the process with it harms nothing else.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
from typing import BinaryIO

from ubersim.errors import UberSimError

_LOOK = 1.0
"""Between two looks at whether the process is still wanted [s]."""


def main() -> None:
    """Answers until the other side closes its pipe."""
    requests, answers = os.fdopen(0, "rb", closefd=False), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what programs print must not get in between
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    import ubersim.sweeps.execute  # noqa: F401  # before the time of any run begins

    _answer(answers, True)
    while True:
        try:
            function, arguments = pickle.load(requests)
        except EOFError:
            return
        try:
            answer = True, function(*arguments)
        except UberSimError as error:  # which says all
            answer = False, str(error)
        except Exception as error:
            answer = False, f"{type(error).__name__}: {error}"
        _answer(answers, answer)


def _answer(answers: BinaryIO, answer: object) -> None:
    try:
        pickle.dump(answer, answers)
        answers.flush()
    except BrokenPipeError:  # the other side was killed: there is nothing left to do, and nobody to tell
        os._exit(1)


def _end_with(parent: int) -> None:
    """Whatever happens to the process that has started this one, this one is not left behind."""
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)


if __name__ == "__main__":
    main()
