"""Pictures of the documentation that no example or benchmark draws: of the live page, of plots, of marks."""
