"""docs/performance.md, from the figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.performance.block_server import BLOCK
from benchmarks.performance.parts import measured
from benchmarks.performance.verdicts import bars

HEAD = """# Performance

Written by `make bench`; do not edit. All figures are of one run{machine}:
every figure is the smallest of all stretches of at least {block} frames, in {rounds} rounds that took turns, for other
programs can only make it larger; a server runs all its frames in one go; the limits
are measured in the same way. The robot is a Segway that is held upright
(`benchmarks/held_segway.xml`), so that every step costs the same; its inclinometer is read in every frame. The C client
is `clients/c`; the plain Python client (`benchmarks/performance/plain_client.py`) is what a stranger writes from the
page of the protocol: blocking `recv`, two commands and an ack per frame.

## Against what the machine can do
Each limit is measured beside the figure. Strict: no latency, every frame is a round trip; with a latency of 20 ms the
server runs ahead of the acks.

![Figures as multiples of their limits](images/performance-bars.svg)
"""
PLOT = "![Where the time of a frame goes](images/performance-parts.svg)\n\n"
PARTS = """
## A frame by part
{plot}| µs per frame | native lane | Python lane |
| --- | --- | --- |
| strict, C client | {strict:.1f} | {strict_python:.1f} |
| 20 ms latency, C client | {ahead:.1f} | {ahead_python:.1f} |
| of it: a step of bare ODE | {ode:.1f} | {ode:.1f} |
| a ping-pong of two Python processes that sleep, that look | {asleep:.1f}, {looking:.1f} | |
| what the plain Python client itself computes | {work:.1f} | |
{sockets}{pinned}
The [native lane](architecture.md#decisions) takes plain frames in the kernel; `ubersim serve --lane python` does
without it. The bytes and the digests are the same. Ten frames to a hundred C clients and back, with nothing computed
(`benchmarks/bare_sockets.c`), are what the system itself takes: a limit that no server on sockets gets below.

## Growth
![Time per robot, from 1 to 1000 robots and from 1 to 200 clients](images/performance-growth.svg)

## Beside others
One step of the same Segway. PyBullet's shared-memory server needs a core of its own, on which it never sleeps; that it
takes every step is checked against the same run in process.

![One step of a Segway, ours and others](images/performance-peers.svg)

## Start-up
By the processor's time, and by the clock.

| | ms of the processor | ms by the clock | allowed |
| --- | --- | --- | --- |
"""
ALLOWED = {"import ubersim": 100, "ubersim --help": 250, "ubersim serve": 500}


def _sockets(found: dict[str, float]) -> str:
    """What the system's sockets take alone; nothing, of results that are older than this question."""
    if "sockets of 1" not in found:
        return ""
    row = "| sockets alone, {count} C clients: of the server's processor, by the clock | {own:.1f}, {clock:.1f} | |\n"
    counts = (1, 100)
    own, clock = ([found[f"sockets of {count}{how}"] for count in counts] for how in ("", ", by the clock"))
    return "".join(
        row.format(count=each[0], own=each[1], clock=each[2]) for each in zip(counts, own, clock, strict=True)
    )


def _pinned(found: dict[str, float]) -> str:
    """Frames with `--affinity 0`, as far as measured."""
    row = "| {name}, the loop kept to one core (`--affinity 0`) | {figure:.1f} | |\n"
    names = ("strict, C", "20 ms, C", "100 C clients")
    return "".join(
        row.format(name=name, figure=found[f"{name}, core 0"]) for name in names if f"{name}, core 0" in found
    )


def rows(found: dict[str, float]) -> Iterator[str]:
    """The table of the bars."""
    yield "| | µs per frame | limit | made of | times the limit | allowed | |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for bar in bars(found):
        verdict = "kept" if bar.kept else "**not kept**"
        yield (
            f"| {bar.what} | {bar.figure:.1f} | {bar.limit:.1f} | {bar.made_of} | {bar.ratio:.3g} | "
            f"{bar.most:.3g} | {verdict} |"
        )


def page(results: dict[str, Any]) -> str:
    """The whole page."""
    found: dict[str, float] = results["figures"]
    load = f" on {results['cores']} cores, with a load of {results['load']:.1f} by other programs when it began"
    parts = {
        "strict": "strict, C",
        "strict_python": "strict, C, python lane",
        "ahead": "20 ms, C",
        "ahead_python": "20 ms, C, python lane",
        "ode": "bare ODE",
        "asleep": "ping-pong, asleep",
        "looking": "ping-pong, looking",
        "work": "work of the plain client",
    }
    text = HEAD.format(machine=load, rounds=results["rounds"], block=BLOCK) + "\n" + "\n".join(rows(found)) + "\n"
    text += PARTS.format(
        plot=PLOT if measured(found) else "",
        sockets=_sockets(found),
        pinned=_pinned(found),
        **{key: found[name] for key, name in parts.items()},
    )
    for name, allowed in ALLOWED.items():
        clock = f"{found[f'clock/{name}']:.0f}" if f"clock/{name}" in found else ""
        text += f"| `{name}` | {found[f'start/{name}']:.0f} | {clock} | {allowed} |\n"
    return text
