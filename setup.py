"""What pyproject.toml cannot say: the native part, and the data files that stand at the top of the source tree."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SHIPPED = ("materials.yaml", "worlds", "robots", "clients", "leagues", "matches")
"""What a wheel carries in the folder `ubersim/shipped`, where ubersim.description.resources looks for it."""


class BuildWithData(build_py):
    """Copies the shipped files into the package that is being built; an editable install finds them where they are."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        target = Path(self.build_lib) / "ubersim" / "shipped"
        for name in SHIPPED:
            source = Path(__file__).parent / name
            if source.is_dir():
                shutil.copytree(source, target / name, dirs_exist_ok=True)
            else:
                target.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target / name)


setup(
    cffi_modules=["ubersim/physics/kernel/build.py:ffibuilder"],
    cmdclass={"build_py": BuildWithData},
    # cffi compiles against Python's stable ABI: one wheel serves 3.11 and everything after it.
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
