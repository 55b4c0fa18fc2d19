"""The command line: one module per verb."""

from ubersim.cli.main import main as main
