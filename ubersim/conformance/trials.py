"""The trials: each runs the program once and finds out what it does wrong in one situation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from ubersim.conformance.answers import Answers, Said, unlike
from ubersim.conformance.program_run import Misbehaviour, ProgramRun
from ubersim.conformance.script import Script
from ubersim.errors import DescriptionError, UberSimError
from ubersim.protocol import encode

FRAMES = 30
"""Of a scripted run."""
_REASON = "the conformance kit drops every client here"
_SMALL = 4096
_LONGEST_PIECE = 1009
_PAUSE = 0.005  # [s]; without one, both halves of a frame are often there before the program looks


@dataclass
class Bench:
    """The program under test, and what earlier trials have found out about it."""

    command: Sequence[str]
    patience: float
    """How long it may take for anything [s]."""
    reference: list[Said] = field(default_factory=list)
    """What it commands when nothing is in its way."""


Trial = Callable[[Bench], Iterator[str]]
"""Yields what is wrong."""


def _begin(run: ProgramRun) -> tuple[Script, Answers]:
    """Handshake and welcome."""
    try:
        script = Script.of(run.document(), FRAMES)
    except (DescriptionError, UberSimError) as error:
        raise Misbehaviour(f"a server would refuse its robot: {error}") from None
    run.send(encode(script.welcome))
    return script, Answers(script)


def frames(bench: Bench) -> Iterator[str]:
    """One frame after the other is acknowledged; when the run ends, the program does."""
    with ProgramRun(bench.command, bench.patience) as run:
        script, answers = _begin(run)
        for number in range(FRAMES):
            answers.sent(number)
            run.send(script.frame(number))
            run.await_ack(answers, number)
        if status := run.finish(script):
            yield f"the run ended well, and it ends with status {status}: {run.said()}"
        if answers.in_midst:
            yield "it leaves in the midst of a message"
        bench.reference = answers.commands


def pieces(bench: Bench) -> Iterator[str]:
    """The stream is cut anywhere, within lengths and names too."""
    with ProgramRun(bench.command, bench.patience) as run:
        script, answers = _begin(run)
        for number in range(FRAMES):
            answers.sent(number)
            run.send(script.frame(number), lambda place: 1 if place < 64 else _LONGEST_PIECE)
            run.await_ack(answers, number)
        run.finish(script)
        if said := unlike(bench.reference, answers.commands):
            yield f"it commands otherwise when frames come in pieces: {said}"


def latency(bench: Bench) -> Iterator[str]:
    """With latency many frames come at once; each is answered, in order, as if it had come alone."""
    with ProgramRun(bench.command, bench.patience) as run:
        script, answers = _begin(run)
        answers.sent(FRAMES - 1)
        sending = run.send_aside(b"".join(script.frame(number) for number in range(FRAMES)))
        run.await_ack(answers, FRAMES - 1)
        sending.join(bench.patience)
        run.finish(script)
        if said := unlike(bench.reference, answers.commands):
            yield f"it commands otherwise when many frames come at once: {said}"


def sparse_readings(bench: Bench) -> Iterator[str]:
    """A sensor may be absent from a frame, or in it more than once."""
    with ProgramRun(bench.command, bench.patience) as run:
        script, answers = _begin(run)
        for number in range(FRAMES):
            answers.sent(number)
            run.send(script.frame(number, times=number % 3))
            run.await_ack(answers, number)
        if status := run.finish(script):
            yield f"it ends with status {status}: {run.said()}"


def frames_left_out(bench: Bench) -> Iterator[str]:
    """If its robot asks for frames with readings only, times go on by many steps; each frame is acknowledged."""
    with ProgramRun(bench.command, bench.patience) as run:
        script, answers = _begin(run)
        for number in range(0, FRAMES, 7) if script.welcome.timestamps == "readings" else ():
            answers.sent(number)
            run.send(script.frame(number))
            run.await_ack(answers, number)
        if status := run.finish(script):
            yield f"it ends with status {status}: {run.said()}"


def slow_network(bench: Bench) -> Iterator[str]:
    """Little is taken at a time, in both directions."""
    with ProgramRun(bench.command, bench.patience, receive_buffer=_SMALL) as run:
        script, answers = _begin(run)
        few = FRAMES // 3
        for number in range(few):
            answers.sent(number)
            data = script.frame(number)
            run.send(data, partial(_half, len(data)), _PAUSE)
            run.await_ack(answers, number, slowly=True)
        run.finish(script)
        theirs = [said for said in bench.reference if said[0] < few]
        if said := unlike(theirs, answers.commands):
            yield f"it commands otherwise when the network is slow: {said}"


def fault(bench: Bench) -> Iterator[str]:
    """The server drops it with an Error in mid-run: it says why, and ends with a status that is not 0."""
    with ProgramRun(bench.command, bench.patience) as run:
        script, answers = _begin(run)
        for number in range(3):
            answers.sent(number)
            run.send(script.frame(number))
            run.await_ack(answers, number)
        if not run.fail(script, _REASON):
            yield "it ends with status 0 after an Error, as if all were well"
        if _REASON not in run.said():
            yield f"it does not say why the server has dropped it; it says: {run.said()}"


def refusal(bench: Bench) -> Iterator[str]:
    """An Error comes in place of the Welcome: it says why, and ends with a status that is not 0."""
    with ProgramRun(bench.command, bench.patience) as run:
        run.document()
        if not run.fail(None, _REASON):
            yield "it ends with status 0 although its robot was refused"
        if _REASON not in run.said():
            yield f"it does not say why its robot was refused; it says: {run.said()}"


def cut_off(bench: Bench) -> Iterator[str]:
    """The stream ends within a frame: it ends, in whatever way."""
    with ProgramRun(bench.command, bench.patience) as run:
        script, answers = _begin(run)
        answers.sent(0)
        run.send(script.frame(0))
        run.await_ack(answers, 0)
        run.finish(script, script.frame(1)[:-3])
    yield from ()


def vanished(bench: Bench) -> Iterator[str]:
    """The connection is reset in mid-run: it ends, in whatever way."""
    with ProgramRun(bench.command, bench.patience) as run:
        script, answers = _begin(run)
        answers.sent(0)
        run.send(script.frame(0))
        run.await_ack(answers, 0)
        run.vanish()
    yield from ()


def no_frames(bench: Bench) -> Iterator[str]:
    """The run ends before its first frame."""
    with ProgramRun(bench.command, bench.patience) as run:
        script, _ = _begin(run)
        run.finish(script)
    yield from ()


def _half(size: int, _: int) -> int:
    return size // 2 + 1


SCRIPTED: tuple[Trial, ...] = (
    frames,
    pieces,
    latency,
    sparse_readings,
    frames_left_out,
    slow_network,
    fault,
    refusal,
    cut_off,
    vanished,
    no_frames,
)
