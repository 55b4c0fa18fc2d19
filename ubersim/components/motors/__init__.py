"""What drives joints by a law of its own: one file each. Commands go delay -> controller -> clamp -> joint."""
