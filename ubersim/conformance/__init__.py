"""Drives any client through all that a server does, and finds out what it does wrong."""

from ubersim.conformance.conform import conform as conform
