"""The solids: one file each."""
