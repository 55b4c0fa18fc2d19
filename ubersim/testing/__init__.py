"""For tests of robot programs: `plugin` is found by pytest itself, the rest is imported when a test needs it."""
