"""The joints and motors: one file each."""
