"""What builds and checks the project, beside its package."""
