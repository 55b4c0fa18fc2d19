"""ÜberSim: a simulation server for dynamic, vision-centric robots.

    import ubersim

    with ubersim.connect("robot.xml") as robot:        # a robot's program: needs a server
    with ubersim.supervise() as world:                 # another look at that server, which may also act
    simulation = ubersim.Simulation("world.xml")       # or everything in this process, without a server

Names are imported when they are first used, so that `import ubersim` costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
"""True to type checkers, by its name; importing it from `typing` would take ten times as long as the rest here."""

if TYPE_CHECKING:
    from ubersim.client.joining import connect as connect
    from ubersim.client.robot import Frame as Frame
    from ubersim.client.robot import RemoteRobot as RemoteRobot
    from ubersim.client.supervisor import Supervisor as Supervisor
    from ubersim.client.supervisor import supervise as supervise
    from ubersim.description import load_materials as load_materials
    from ubersim.description import load_world as load_world
    from ubersim.description import read_robot as read_robot
    from ubersim.description import shipped as shipped
    from ubersim.errors import DescriptionError as DescriptionError
    from ubersim.errors import RefusedError as RefusedError
    from ubersim.errors import UberSimError as UberSimError
    from ubersim.importers import import_robot as import_robot
    from ubersim.importers import load_robot as load_robot
    from ubersim.recording import Log as Log
    from ubersim.recording import Recorder as Recorder
    from ubersim.recording.replay import replay as replay
    from ubersim.simulation import Simulation as Simulation
    from ubersim.version import __version__ as __version__

_HOMES = {
    "ubersim.client": ("Frame", "RemoteRobot", "connect"),
    "ubersim.client.supervisor": ("Supervisor", "supervise"),
    "ubersim.description": ("load_materials", "load_world", "read_robot", "shipped"),
    "ubersim.errors": ("DescriptionError", "RefusedError", "UberSimError"),
    "ubersim.importers": ("import_robot", "load_robot"),
    "ubersim.recording": ("Log", "Recorder", "replay"),
    "ubersim.simulation": ("Simulation",),
    "ubersim.version": ("__version__",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "DescriptionError",
    "Frame",
    "Log",
    "Recorder",
    "RefusedError",
    "RemoteRobot",
    "Simulation",
    "Supervisor",
    "UberSimError",
    "__version__",
    "connect",
    "import_robot",
    "load_materials",
    "load_robot",
    "load_world",
    "read_robot",
    "replay",
    "shipped",
    "supervise",
]


if not TYPE_CHECKING:  # which would take any name for one that is there

    def __getattr__(name: str) -> object:
        """A public name, on its first use."""
        if name not in _HOME_OF:
            raise AttributeError(f"module 'ubersim' has no attribute {name!r}")
        from importlib import import_module

        globals()[name] = value = getattr(import_module(_HOME_OF[name]), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
