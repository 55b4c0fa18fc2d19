"""Compiles the kernel against ODE; setuptools calls this while it builds or installs the package."""

from pathlib import Path

from cffi import FFI

FOLDER = Path(__file__).parent
PROJECT = FOLDER.parents[2]


def declarations(header: str) -> str:
    """What cffi reads of a header: all but what is meant for the preprocessor."""
    lines = (FOLDER / header).read_text().splitlines()
    return "\n".join(line for line in lines if not line.startswith("#"))


ffibuilder = FFI()
ffibuilder.cdef(declarations("api.h") + declarations("lane_api.h"))
ffibuilder.set_source(
    "ubersim.physics._kernel",
    '#include "api.h"\n#include "lane_api.h"',
    sources=[str(source.relative_to(PROJECT)) for source in sorted(FOLDER.glob("*.c"))],
    include_dirs=[str(FOLDER.relative_to(PROJECT))],
    depends=[str(header.relative_to(PROJECT)) for header in sorted(FOLDER.glob("*.h"))],
    libraries=["ode"],
    # No contraction to fused multiply-adds: the same bits on every processor. What else is said about mathematics
    # leaves all bits as they are: nobody reads errno, or waits for a trap.
    extra_compile_args=[
        *("-std=gnu11", "-O3", "-Wall", "-Wextra", "-fvisibility=hidden"),
        *("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"),
    ],
)
