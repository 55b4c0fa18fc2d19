"""Pictures and films of logs, drawn afterwards: at any size, by many machines, with labels for learning."""

from ubersim.filming.film import FilmSettings, film

__all__ = ["FilmSettings", "film"]
