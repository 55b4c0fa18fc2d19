"""`ubersim export`: the topics of a log as CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import LogFile, app


@app.command()
def export(
    log: LogFile,
    csv: Annotated[Path, typer.Option(help="Folder for the files, one per topic.")],
) -> None:
    """Write the topics of a log as CSV files."""
    from ubersim.recording.log import Log
    from ubersim.recording.tables import export as write

    with Log(log) as opened:
        for path in write(opened, csv):
            typer.echo(path)
