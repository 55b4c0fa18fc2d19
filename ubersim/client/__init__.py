"""What programs import that talk to a server: a robot's program connects, a supervisor supervises."""

from ubersim.client.joining import connect as connect
from ubersim.client.robot import Frame as Frame
from ubersim.client.robot import RemoteRobot as RemoteRobot
