"""`ubersim learn-motion`: how a robot moves, from a log of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import a_number, app

Topic = Annotated[str, typer.Option(metavar="TOPIC", help="Where the log has it; of our own logs it is known.")]


@app.command("learn-motion")
def learn_motion(
    log: Annotated[Path, typer.Argument(help="Our log, a ROS 2 bag, or CSV with a column `time`.")],
    robot: Annotated[str, typer.Option(help="Which robot of the log; without it, the only one.")] = "",
    out: Annotated[Path, typer.Option("--out", "-o", help="File for the drive.")] = Path("drive.npz"),
    period: Annotated[
        float, typer.Option(callback=a_number, min=5, max=1000, help="Time that the drive looks ahead [ms].")
    ] = 10.0,
    units: Annotated[
        int | None, typer.Option(min=0, max=128, help="Hidden units of the network; default: what does best.")
    ] = None,
    forward: Topic = "",
    turn: Topic = "",
    right: Topic = "",
    x: Topic = "",
    y: Topic = "",
    heading: Topic = "",
) -> None:
    """Fit a drive to a log: from the velocity that was commanded to the motion that followed; `LearnedDrive` uses it.

    --forward, --turn and --right are the commands [m/s, rad/s], --x, --y and --heading the place [m, rad from +y].
    """
    from ubersim.identification.motion import learn_motion as learn
    from ubersim.identification.motion.logs import record_of

    topics = {"forward": forward, "turn": turn, "right": right, "x": x, "y": y, "heading": heading}
    named = {name: topic for name, topic in topics.items() if topic}
    learned = learn(record_of(log, robot, period / 1000, named), units)
    typer.echo(learned)
    learned.save(out)
    typer.echo(out)
