"""`ubersim view`: the live page of a running server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ubersim.cli.app import app


@app.command()
def view(
    server: Annotated[str, typer.Argument(metavar="HOST:PORT", help="Where the server is.")] = "127.0.0.1:9040",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; it is for this machine only.")] = 8080,
    token_file: Annotated[Path | None, typer.Option(help="File with the server's token.")] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="The camera goes along with the robot that is chosen.")
    ] = False,
) -> None:
    """Open a page for a browser, to watch a running server, poke it and tune its robots."""
    from ubersim.viewer.launch import view as show_page

    show_page(server, port=port, token_file=token_file, follow=follow)
