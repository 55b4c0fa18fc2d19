"""The command line: one command per verb."""

from ubersim.cli.main import main as main
