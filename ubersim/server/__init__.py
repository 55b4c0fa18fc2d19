"""The simulation on a socket. Everything about time and physics is elsewhere; here are connections."""

from typing import TYPE_CHECKING, Any

from ubersim.server.affinity import cores_of as cores_of
from ubersim.server.affinity import keep_to as keep_to
from ubersim.server.native_lane import LANES as LANES
from ubersim.server.native_lane import Lane as Lane
from ubersim.server.program_beside import EndedProgram as EndedProgram
from ubersim.server.program_beside import run_with_program as run_with_program
from ubersim.server.server import Server as Server

if TYPE_CHECKING:
    from ubersim.server.log_server import ReplayOutcome as ReplayOutcome
    from ubersim.server.log_server import serve_log as serve_log
    from ubersim.server.replay_server import ReplayServer as ReplayServer

__all__ = [
    "LANES",
    "EndedProgram",
    "Lane",
    "ReplayOutcome",
    "ReplayServer",
    "Server",
    "cores_of",
    "keep_to",
    "run_with_program",
    "serve_log",
]


def __getattr__(name: str) -> Any:
    """Logs need packages that a server does not."""
    if name in ("ReplayOutcome", "serve_log"):
        from ubersim.server import log_server

        return getattr(log_server, name)
    if name == "ReplayServer":
        from ubersim.server import replay_server

        return replay_server.ReplayServer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
