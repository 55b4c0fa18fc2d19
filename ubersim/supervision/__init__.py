"""What may be done to a running simulation: each command is executed in one frame, and comes out the same again.

    Interventions(simulation).execute("Teleport", {"thing": "Segway", "position": [0, 2, 0]})

Commands are executed within a frame: its sensors have been sampled, its commands and its step are still to come.
"""

from ubersim.supervision.command import Effect as Effect
from ubersim.supervision.command import Reply as Reply
from ubersim.supervision.command import SupervisorCommand as SupervisorCommand
from ubersim.supervision.context import CommandContext as CommandContext
from ubersim.supervision.interventions import Interventions as Interventions
from ubersim.supervision.registry import all_commands as all_commands
