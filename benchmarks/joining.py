#!/usr/bin/env python3
"""What it costs to join a crowd: Segways with cameras, each of which takes a picture as it joins.

Told is the processor time per robot, for each quarter of the crowd. It would not grow at all if a newcomer's first
picture did not show all those who are there already.
"""

from __future__ import annotations

import sys
import time

from ubersim.description.resources import shipped
from ubersim.simulation import Simulation

LEVELS = ("image", "objects")


def joining(level: str, count: int) -> list[float]:
    """Seconds of processor time per robot, for each quarter."""
    document = shipped("robots/segway.xml").read_text()
    document = document.replace("</CameraSensor>", f"<Level>{level}</Level></CameraSensor>")
    costs = []
    with Simulation(shipped("worlds/playground.xml")) as simulation:
        for quarter in range(4):
            started = time.process_time()
            for n in range(quarter * count // 4, (quarter + 1) * count // 4):
                simulation.spawn(document, name=f"R{n}", position=(1.5 * (n % 20), 1.5 * (n // 20), 0.0))
            costs.append((time.process_time() - started) / (count // 4))
    return costs


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print(
        f"{f'{count} Segways join':20}"
        + "".join(f"{f'quarter {n}':>14}" for n in range(1, 5))
        + f"{'last / first':>14}"
    )
    for level in LEVELS:
        costs = joining(level, count)
        print(f"{level:20}" + "".join(f"{1e3 * cost:11.1f} ms" for cost in costs) + f"{costs[-1] / costs[0]:14.2f}")


if __name__ == "__main__":
    main()
