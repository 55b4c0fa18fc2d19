"""`python -m ubersim.cli`: the command line where the script `ubersim` is not on the path."""

from ubersim.cli import main

main()
