"""The players that come along, and what they are made of."""
