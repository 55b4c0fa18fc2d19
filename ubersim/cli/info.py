"""`ubersim info`: what is in a log."""

from __future__ import annotations

import typer

from ubersim.cli.app import LogFile, app, cut_short


@app.command()
def info(log: LogFile) -> None:
    """Say what is in a log: frames, versions, events, parameters, topics."""
    from ubersim.description.messages import printable
    from ubersim.recording.event import RecordedEvent
    from ubersim.recording.latencies import changes, first_latencies
    from ubersim.recording.log import Log
    from ubersim.recording.parameter_history import ParameterHistory
    from ubersim.recording.program_tables import program_entries
    from ubersim.recording.tables import pictures, topics

    with Log(log) as opened:
        frames = max(1, opened.last - opened.first)
        typer.echo(
            f"{log}: frames {opened.first} to {opened.last} of {opened.step:g} s, "
            f"{opened.size / 2**20:.2f} MiB, {opened.size / frames:.1f} bytes per frame{cut_short(opened)}"
        )
        for name, value in opened.facts.items():
            typer.echo(f"  {name}: {value}")
        typer.echo("latencies:")
        for latency in first_latencies(opened):
            typer.echo(f"  {latency}")
        typer.echo("events:")
        happened = [(item.frame, item.described) for item in opened.items() if isinstance(item, RecordedEvent)]
        happened += [(change.frame, str(change)) for change in changes(opened)]
        for frame, what in sorted(happened, key=lambda entry: entry[0]):
            typer.echo(f"  {frame * opened.step:10.3f} s  {what}")
        if taken := pictures(opened):
            typer.echo("pictures:")
            for topic, (delivered, kept) in taken.items():
                typer.echo(f"  {topic} ({delivered} delivered, {kept} kept)")
        if declared := list(ParameterHistory(opened).declared()):
            typer.echo("parameters of programs:")
            for robot, parameter in declared:
                typer.echo(f"  {robot} {printable(str(parameter))}")
        if logged := program_entries(opened):
            typer.echo("programs logged:")
            for (topic, kind), count in logged.items():
                typer.echo(f"  {topic} ({count}, {kind})")
        typer.echo("topics:")
        for topic, count in topics(opened).items():
            typer.echo(f"  {topic} ({count})")
