"""`ubersim identify`: a robot's latencies from its own log."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import app
from ubersim.cli.sweep import Where


@app.command()
def identify(
    log: Annotated[Path, typer.Argument(help="Our log, a ROS 2 bag, or CSV with a column `time`.")],
    command: Annotated[str, typer.Option(help="What was sent, e.g. /cmd_vel.linear.x or a column.")],
    response: Annotated[str, typer.Option(help="What followed from it, e.g. /joint_states.velocity[0] or a column.")],
    plot: Annotated[Path | None, typer.Option(help="Picture of both, before and after the shift.")] = None,
    model: Annotated[Path | None, typer.Option(help="Robot whose numbers are fitted to the log.")] = None,
    fit: Annotated[str, typer.Option(help="With --model: which numbers, e.g. Chassis/Mass,LMotor/FMax.")] = "",
    drives: Annotated[str, typer.Option(help="With --model: what the command sets, Component/Property.")] = "",
    reads: Annotated[str, typer.Option(help="With --model: what the response is, Sensor or Sensor.column.")] = "",
    step: Annotated[float, typer.Option(help="With --model: length of a frame [s].")] = 0.001,
    on: Where = "local",
) -> None:
    """Estimate the delay between command and response, with its distribution, as <Latency> elements to paste."""
    from ubersim.identification import identify as estimate
    from ubersim.identification.plot import plot as draw
    from ubersim.signals import open_signals

    source = open_signals(log)
    sent, received = source.signal(command), source.signal(response)
    found = estimate(sent, received, sent=source.sent)
    typer.echo(found)
    if plot is not None:
        draw(found, plot)
        typer.echo(plot)
    if model is not None:
        from ubersim.description import load_robot
        from ubersim.identification.model_fit import fit_model
        from ubersim.identification.simulated import Rehearsal
        from ubersim.sweeps.executors import workplace

        rehearsal = Rehearsal.of(load_robot(model).source_text, drives, reads, sent, received, step)
        numbers = [path for path in fit.split(",") if path]
        latency = 1000 * found.delays[-1].fit.mean if source.sent else 0.0
        with workplace(on) as place:
            typer.echo(fit_model(rehearsal, received, float(sent.times[0]), numbers, latency, place))
