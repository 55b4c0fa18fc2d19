"""What the project measures itself by. Programs, each on its own; run them from the repository's root."""
