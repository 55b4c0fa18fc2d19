"""The lights of a world: one file each."""
