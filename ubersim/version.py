"""Which version this is; apart, so that what tells it needs nothing else."""

__version__ = "0.1.0"
