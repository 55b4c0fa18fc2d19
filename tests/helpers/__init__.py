"""What several tests need: documents, robots, clients, scenes, closed forms, a browser."""
