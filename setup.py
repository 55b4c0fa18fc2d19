"""Only the native part needs this file: setuptools takes cffi modules from nowhere else."""

from setuptools import setup

setup(
    cffi_modules=["ubersim/world/kernel/build.py:ffibuilder"],
    # cffi compiles against Python's stable ABI: one wheel serves 3.11 and everything after it.
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
