"""What somebody does to a simulation from outside: each deed is executed in one frame, and comes out the same again.

    Interventions(simulation).execute("Teleport", {"thing": "Segway", "position": [0, 2, 0]})

Deeds happen within a frame: its sensors have been sampled, its commands and its step are still to come.
"""

from ubersim.supervision.command import SupervisorCommand as SupervisorCommand
from ubersim.supervision.interventions import DEEDS as DEEDS
from ubersim.supervision.interventions import Interventions as Interventions
