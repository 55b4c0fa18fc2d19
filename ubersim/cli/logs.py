"""`ubersim replay`, `plot`, `export` and `info`: options in, a report out."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

from ubersim.errors import UberSimError
from ubersim.recording.event import RecordedEvent
from ubersim.recording.log import Log
from ubersim.recording.replay import replay
from ubersim.recording.tables import topics
from ubersim.server.log_server import serve


def verify(path: Path) -> bool:
    """Lets the run happen again; False if it is another one this time."""
    with Log(path) as log:
        difference = replay(log, _progress if sys.stderr.isatty() else None)
        if sys.stderr.isatty():
            print(file=sys.stderr)
        if difference is not None:
            print(difference)
            return False
        print(f"frames {log.first} to {log.last}: every body the same to the bit{_killed(log)}")
        return True


def serve_client(path: Path, name: str, host: str, port: int) -> bool:
    """Runs one client from the log; False if it does not do what was done then."""
    with Log(path) as log:
        try:
            listener = socket.create_server((host, port))
        except OSError as error:
            raise UberSimError(f"cannot listen on {host}:{port}: {error.strerror}") from None
        with listener:
            print("listening on {}:{}".format(*listener.getsockname()[:2]), flush=True)
            outcome = serve(log, name, listener, lambda text: print(text, file=sys.stderr, flush=True))
        print(f"{outcome.frames} frames; {outcome.ended}")
        if outcome.difference:
            print(f"first difference in {outcome.difference}")
            return False
        print(f"all {outcome.commands} commands as recorded")
        return True


def info(path: Path) -> str:
    """What is in a log."""
    with Log(path) as log:
        frames = max(1, log.last - log.first)
        lines = [
            f"{path}: frames {log.first} to {log.last} of {log.step:g} s, "
            f"{log.size / 2**20:.2f} MiB, {log.size / frames:.1f} bytes per frame{_killed(log)}"
        ]
        lines += [f"  {name}: {value}" for name, value in log.facts.items()]
        lines.append("events:")
        events = (item for item in log.items() if isinstance(item, RecordedEvent))
        lines += [f"  {event.frame * log.step:10.3f} s  {event}" for event in events]
        lines.append("topics:")
        lines += [f"  {topic} ({count})" for topic, count in topics(log).items()]
        return "\n".join(lines)


def _killed(log: Log) -> str:
    return "" if log.complete else "; its writer was killed or is still writing, and the log ends there"


def _progress(frame: int) -> None:
    print(f"\r\x1b[Kframe {frame}", end="", file=sys.stderr, flush=True)
