"""The tasks of the environments that come along: one file per robot."""
