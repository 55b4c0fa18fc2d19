"""The sensors: one file each, with its description and its device side by side."""
