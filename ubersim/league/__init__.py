"""Robot soccer: what a league needs around the simulation, for teams, teachers and those who let robots learn."""
