"""Sockets and nothing else: connecting, listening, waiting, closing. What the bytes mean is in `protocol`."""
