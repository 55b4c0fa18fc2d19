"""`ubersim conform`: what a client does wrong."""

from __future__ import annotations

from typing import Annotated

import typer

from ubersim.cli.app import a_number, app
from ubersim.errors import UberSimError


@app.command()
def conform(
    program: Annotated[list[str], typer.Argument(help="The client and its arguments, with {host} and {port}.")],
    patience: Annotated[
        float, typer.Option(callback=a_number, min=0.1, help="How long the program may take for anything [s].")
    ] = 10.0,
) -> None:
    """Drive a client through frames, pieces, faults, latency, a slow network and the end of a run.

    As in: ubersim conform -- ./my_client {host} {port}. Prints what it does wrong; exit 0 if that is nothing.
    """
    from ubersim.conformance import conform as trials

    if not any("{port}" in word for word in program):
        raise UberSimError("the program has to be told where the server is: give {host} and {port} among its arguments")
    wrong = 0
    for name, about, faults in trials(program, patience):
        print(f"{'ok   ' if not faults else 'WRONG'} {name}: {about}", flush=True)
        for fault in faults:
            print(f"      {fault}", flush=True)
        wrong += bool(faults)
    print("conforms" if not wrong else f"{wrong} trials went wrong")
    if wrong:
        raise typer.Exit(1)
