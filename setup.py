"""Only the native part needs this file: setuptools takes cffi modules from nowhere else."""

from setuptools import setup

setup(cffi_modules=["ubersim/world/kernel/build.py:ffibuilder"])
