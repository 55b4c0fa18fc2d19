"""The live page: a world in a browser, to watch, poke and tune. It runs in a process of its own, as a supervisor."""
