"""How true the simulation is: tasks with a known answer, the same for ÜberSim, MuJoCo and PyBullet.

python -m benchmarks.fidelity                  # all of it, and docs/fidelity.md
python -m benchmarks.fidelity --only ladder    # one task; its table, and its part of the page
"""
