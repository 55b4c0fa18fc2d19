"""The options of `ubersim serve`, in groups."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ubersim.cli.app import MaterialsFile, a_number, render_workers
from ubersim.errors import UberSimError

if TYPE_CHECKING:
    from ubersim.server import Lane
    from ubersim.simulation import Simulation
    from ubersim.simulation.budget import RobotBudget


@dataclass(frozen=True)
class ListenOptions:
    """Where it listens."""

    host: Annotated[str, typer.Option(help="Where to listen, or unix:PATH; beyond loopback, with --token-file.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 9040
    token_file: Annotated[Path | None, typer.Option(help="File with the token that clients have to give.")] = None
    web_port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="A gateway for programs in browsers: WebSockets at this port.")
    ] = None
    web_root: Annotated[
        Path | None, typer.Option(exists=True, file_okay=False, help="With --web-port: folder with pages to load.")
    ] = None

    def token(self) -> str | None:
        """What clients have to give; without it, other machines are kept out."""
        from ubersim.transport.address import check_host
        from ubersim.transport.token import token_in

        check_host(self.host)
        if self.token_file is not None:
            return token_in(self.token_file)
        if not is_loopback(self.host):
            raise UberSimError(
                f"{self.host} can be reached from other machines: give --token-file, or listen on 127.0.0.1"
            )
        return None


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server there."""
    from ubersim.transport.transports import transport_of

    if (transport := transport_of(host)) is not None:
        return transport.stays_here
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class WorldOptions:
    """What is simulated."""

    world: Annotated[
        Path | None, typer.Option(help="World file, or the name of one that comes along; default: an empty ground.")
    ] = None
    materials: MaterialsFile = None
    step: Annotated[float | None, typer.Option(help="Length of a frame [s]; default: the world's, or 0.001.")] = None
    seed: Annotated[int, typer.Option(help="Seed of all noise and all random latencies.")] = 0
    threads: Annotated[int, typer.Option(min=1, max=256, help="Threads that solve what does not touch; same bits.")] = 1
    render: Annotated[str, typer.Option(help="Who draws: inline, or workers=N processes; same bytes.")] = "inline"

    @property
    def workers(self) -> int:
        """Processes that draw."""
        return render_workers(self.render)

    def simulation(self) -> Simulation:
        """A new one."""
        from ubersim.simulation import Simulation

        return Simulation(
            self.world,
            materials=self.materials,
            step=self.step,
            seed=self.seed,
            render_workers=self.workers,
            threads=self.threads,
        )


@dataclass(frozen=True)
class TimeOptions:
    """How time goes."""

    clients: Annotated[
        int | None, typer.Option(min=0, help="Wait for this many robots before frame 0; 0: run without any, too.")
    ] = None
    frames: Annotated[int | None, typer.Option(min=0, help="End after this many frames.")] = None
    rate: Annotated[
        float | None,
        typer.Option(
            callback=a_number,
            min=0,
            help="Times real time; 0: as fast as it goes. Default: 1 with --view, else 0.",
            show_default=False,
        ),
    ] = None
    timeout: Annotated[
        float,
        typer.Option(
            callback=a_number,
            min=0,
            help="Drop clients that acknowledge nothing for longer [s]; 0: only if unreachable.",
        ),
    ] = 0
    lookahead: Annotated[bool, typer.Option(help="Run ahead of the acks as far as latency allows; same bits.")] = True
    loose: Annotated[bool, typer.Option("--loose", help="Wait for no client; such a run does not repeat.")] = False
    lane: Annotated[
        str, typer.Option(help="Who takes plain frames: python, native, or auto, which finds out; same bits.")
    ] = "auto"
    affinity: Annotated[
        str | None, typer.Option(help="Cores that the loop keeps to, such as 0 or 0,2-3; default: any.")
    ] = None

    def known_lane(self) -> Lane:
        """The lane, if there is one of this name."""
        from ubersim.server import LANES

        for lane in LANES:
            if lane == self.lane:
                return lane
        raise UberSimError(f"--lane takes {', '.join(LANES[:-1])} or {LANES[-1]}, not {self.lane!r}")

    def cores(self) -> frozenset[int] | None:
        """Those that the loop keeps to; None: any."""
        from ubersim.server import cores_of

        return None if self.affinity is None else cores_of(self.affinity)


@dataclass(frozen=True)
class OutputOptions:
    """What it tells."""

    record: Annotated[Path | None, typer.Option(help="Write a log of all that happens to this file (MCAP).")] = None
    record_images: Annotated[
        int, typer.Option(min=0, help="With --record: keep every Nth picture of each camera; 0: none.")
    ] = 0
    digest: Annotated[Path | None, typer.Option(help="Write a hash of the world per frame to this file.")] = None
    verbose: Annotated[bool, typer.Option("--verbose", help="Say who comes, who goes and why.")] = False

    def check(self) -> None:
        """Refuses what has no meaning."""
        if self.record_images and self.record is None:
            raise UberSimError("--record-images needs --record, which says where to")


@dataclass(frozen=True)
class PageOptions:
    """The live page."""

    view: Annotated[bool, typer.Option("--view", help="Open a page to watch, poke and tune, in a browser.")] = False
    view_port: Annotated[int, typer.Option(min=0, max=65535, help="With --view: port of the page.")] = 8080

    @property
    def port(self) -> int | None:
        """Of the page; None: there is to be none."""
        return self.view_port if self.view else None


@dataclass(frozen=True)
class LimitOptions:
    """What robots may cost."""

    max_document: Annotated[int, typer.Option(min=1, max=1024, help="Longest robot document [MiB].")] = 32
    max_bodies: Annotated[int, typer.Option(min=1, max=512, help="Bodies of a robot.")] = 256
    max_solids: Annotated[int, typer.Option(min=1, help="Solids of a robot.")] = 1024
    max_rows: Annotated[int, typer.Option(min=1, help="Rows of constraints of a robot's joints.")] = 2048
    max_contacts: Annotated[int, typer.Option(min=1, help="Contacts of a robot in one step.")] = 1024
    max_pictures: Annotated[
        int, typer.Option(min=1, help="What is drawn for a robot per simulated second [MiB]; a ray is 256 bytes.")
    ] = 4096
    max_triangles: Annotated[int, typer.Option(min=0, help="Triangles of a robot's meshes.")] = 250_000
    max_textures: Annotated[int, typer.Option(min=0, help="Pixels of a robot's textures [2^20].")] = 32
    max_all_triangles: Annotated[int, typer.Option(min=0, help="Triangles of all robots together.")] = 2_500_000
    max_log: Annotated[int, typer.Option(min=0, help="What a program may log in one frame [KiB].")] = 1024

    def budget(self) -> RobotBudget:
        """Of one robot, in the simulation's units."""
        from ubersim.simulation.budget import RobotBudget

        return RobotBudget(
            self.max_bodies,
            self.max_solids,
            self.max_rows,
            self.max_contacts,
            self.max_pictures * 2.0**20,
            self.max_triangles,
            self.max_textures * 2**20,
            self.max_all_triangles,
        )
