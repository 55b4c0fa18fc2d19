"""The lights of worlds and the lamps of bodies: one file each."""
