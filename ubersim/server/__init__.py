"""The simulation on a socket. Everything about time and physics is elsewhere; here are connections."""

from ubersim.server.server import Server as Server
