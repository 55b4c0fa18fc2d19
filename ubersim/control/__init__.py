"""The control kit: modules with typed inputs and outputs, in one process or several, for robots wherever they are."""

from ubersim.control.layout import Layout as Layout
from ubersim.control.layout import Link as Link
from ubersim.control.layout import Process as Process
from ubersim.control.module import Module as Module
from ubersim.control.packages import Commands as Commands
from ubersim.control.packages import Last as Last
from ubersim.control.packages import SensorReading as SensorReading
from ubersim.control.packages import Sets as Sets
from ubersim.control.packages import Tick as Tick
from ubersim.control.run import ControlRun as ControlRun
from ubersim.control.run import run as run
from ubersim.control.solutions import Solutions as Solutions
from ubersim.control.sources import open_robot as open_robot
