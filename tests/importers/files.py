"""Files of other formats, for tests: an arm with odd inertias, and what hostile people write."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def arm_urdf(links: int = 5, seed: int = 1) -> str:
    """A chain of links with random frames, axes and inertias; every second joint slides, the rest turns."""
    rng = np.random.default_rng(seed)
    parts = ['<robot name="arm">', '<link name="world"/>']
    parent = "world"
    for number in range(links):
        name = f"link{number}"
        moments, turn = rng.uniform(0.01, 0.02, 3), np.linalg.qr(rng.normal(size=(3, 3)))[0]
        tensor = (turn * moments) @ turn.T
        six = {f"i{a}{b}": tensor["xyz".index(a), "xyz".index(b)] for a, b in ("xx", "yy", "zz", "xy", "xz", "yz")}
        inertia = " ".join(f'{key}="{value:.17g}"' for key, value in six.items())
        parts.append(
            f'<link name="{name}"><inertial><origin xyz="{_three(rng, 0.1)}" rpy="{_three(rng, 3)}"/>'
            f'<mass value="{rng.uniform(0.5, 2):.17g}"/><inertia {inertia}/></inertial>'
            '<visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual></link>'
        )
        kind = "prismatic" if number % 3 == 2 else "revolute"
        parts.append(
            f'<joint name="joint{number}" type="{kind}"><parent link="{parent}"/><child link="{name}"/>'
            f'<origin xyz="{_three(rng, 0.3)}" rpy="{_three(rng, 3)}"/><axis xyz="{_three(rng, 1)}"/>'
            f'<limit lower="-2" upper="2" effort="50" velocity="3"/></joint>'
        )
        parent = name
    return "\n".join([*parts, "</robot>"])


def _three(rng: np.random.Generator, most: float) -> str:
    return " ".join(f"{value:.17g}" for value in rng.uniform(-most, most, 3))


def written(folder: Path, text: str, name: str = "robot.urdf") -> Path:
    """A file with this text."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
