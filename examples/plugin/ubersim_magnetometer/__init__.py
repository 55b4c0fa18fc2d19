"""A magnetometer and a latency model for ÜberSim."""
