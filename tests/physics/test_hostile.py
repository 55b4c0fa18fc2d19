"""Values that would make ODE end the process: a refusal is fine, so is surviving, but never a crash."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from tests.helpers.paths import ROOT

VALUES = (
    "1e300",
    "-1e300",
    "1e-300",
    "5e-324",
    "float('nan')",
    "float('inf')",
    "0.0",
    "-1.0",
    "1e12",
    "1e-9",
    "1e6",
    "1e-6",
)

PRELUDE = """
import sys; sys.path.insert(0, {here!r})
import itertools
import numpy as np
from tests.helpers.paths import ROOT
from tests.helpers.world_scenes import *
from ubersim.errors import WorldError, ExplodedError
from ubersim.physics import KINDS, CollisionMesh
E = np.eye(3)
crossed = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
outcomes = set()
def attempt(action):
    world = ground_world(surface=Surface(mu=0.8, rolling=0.01, bounce=0.5))
    bystander = add_ball(world, (50, 0, 0.1), owner=2)
    try:
        action(world)
        world.run(5)
        outcome = "survived"
    except ExplodedError as error:
        assert error.owners == (1,), error.owners
        world.remove(1)
        world.run(5)
        outcome = "exploded"
    except WorldError:
        world.remove(1)
        world.run(5)
        outcome = "refused"
    assert np.isfinite(world.positions).all()
    assert outcome == "survived" or abs(bystander.position[0] - 50) < 1e-9
    outcomes.add(outcome)
values = [{values}]
"""

ATTACKS = {
    "mass": "lambda w: w.add_body(1, mass=v, inertia=E, position=(0, 0, 1), rotation=E)",
    "inertia": "lambda w: w.add_body(1, mass=1, inertia=v * E, position=(0, 0, 1), rotation=E)",
    "lopsided inertia": "lambda w: w.add_body(1, mass=1, inertia=np.diag([v, 1, 1]), position=(0, 0, 1), rotation=E)",
    "crossed inertia": "lambda w: w.add_body(1, mass=1, inertia=E + v * crossed, position=(0, 0, 1), rotation=E)",
    "position": "lambda w: add_ball(w, (v, 0, 1))",
    "rotation": "lambda w: w.add_body(1, mass=1, inertia=E, position=(0, 0, 1), rotation=v * E)",
    "radius": "lambda w: w.add_sphere(1, add_ball(w, (0, 0, 1)), 0, (0, 0, 1), E, v)",
    "box": "lambda w: w.add_box(1, add_ball(w, (0, 0, 1)), 0, (0, 0, 1), E, (v, 1, 1))",
    "capsule": "lambda w: w.add_capsule(1, add_ball(w, (0, 0, 1)), 0, (0, 0, 1), E, 0.1, v)",
    "cylinder": "lambda w: w.add_cylinder(1, add_ball(w, (0, 0, 1)), 0, (0, 0, 1), E, v, 0.1)",
    "plane": "lambda w: w.add_plane(1, 0, (0, v, 0), v)",
    "mesh": "lambda w: w.add_mesh(1, add_ball(w, (0, 0, 1)), 0, (0, 0, 1), E, CollisionMesh(v * E, [(0, 1, 2)]))",
    "force": "lambda w: add_ball(w, (0, 0, 1)).add_force((v, 0, 0), (0, v, 0))",
    "torque": "lambda w: add_robot(w, 1, 0, 0)[1].add_torque((v, v, 0))",
    "velocity": "lambda w: add_robot(w, 1, 0, 0)[1].set_state(linear=(v, 0, -v), angular=(v, 0, v))",
    "quaternion": "lambda w: add_ball(w, (0, 0, 1)).set_state(quaternion=(v, 0, 0, 0))",
    "snapshot": "lambda w: (add_ball(w, (0, 0, 1)), w.restore(dict(w.snapshot(), bodies=np.full((2, 28), v))))",
}


CELLS = """
import json, os, traceback
for line in sys.stdin:
    hear, say = os.pipe()
    if (prisoner := os.fork()) == 0:
        code = 1
        try:
            os.dup2(say, 1), os.dup2(say, 2)
            exec(json.loads(line))
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(code)
    os.close(say)
    with os.fdopen(hear) as told:
        words = told.read()
    code = os.waitstatus_to_exitcode(os.waitpid(prisoner, 0)[1])
    print(json.dumps([code, words]), flush=True)
"""
"""Each program is run in a process of its own that begins after the prelude, which takes the longest."""


Run = Callable[[str], str]


@pytest.fixture(scope="module")
def run_program() -> Iterator[Run]:
    prelude = PRELUDE.format(here=str(ROOT), values=", ".join(VALUES))
    command = [sys.executable, "-c", prelude + CELLS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as cells:
        assert cells.stdin is not None and cells.stdout is not None
        asked, answered = cells.stdin, cells.stdout

        def run(program: str) -> str:
            asked.write(json.dumps(program) + "\n")
            asked.flush()
            code, told = json.loads(answered.readline())
            assert code == 0, (code, told[-2000:])
            return str(told)

        yield run


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_value(run_program: Run, attack: str) -> None:
    told = run_program(f"for v in values:\n    attempt({ATTACKS[attack]})\nprint(sorted(outcomes))")
    assert "refused" in told


def test_hostile_joints(run_program: Run) -> None:
    """Every kind, with axes that are zero, parallel, huge or tiny, and with motors that are out of bounds."""
    told = run_program(
        """
directions = [(0, 0, 0), (1, 0, 0), (1, 1e-9, 0), (1e300, 0, 0), (0, 5e-324, 0), (float('nan'), 0, 1), (0, 1, 0)]
for kind in KINDS:
    count = KINDS[kind].axes[1]
    for axes in itertools.product(directions, repeat=count):
        def action(w):
            one, other = add_ball(w, (0, 0, 1)), add_ball(w, (0, 0, 1))
            w.add_joint(1, kind, one, other, anchor=(0, 0, 1), axes=axes)
        attempt(action)
    for v, number in itertools.product(values, range(11)):
        def action(w):
            one, other = add_ball(w, (0, 0, 1)), add_ball(w, (0, 0, 2))
            axes = [(1, 0, 0), (0, 1, 0), (0, 0, 1)][:count]
            w.add_joint(1, kind, one, other, anchor=(0, 0, 1), axes=axes).set(number, v)
        attempt(action)
    def far(w):
        w.add_joint(1, kind, add_ball(w, (0, 0, 1)), None, anchor=(1e300, 0, 0), axes=directions[1:count + 1])
    attempt(far)
print(sorted(outcomes))
"""
    )
    assert "refused" in told
    assert "survived" in told


def test_contradictory_joints_and_extreme_masses(run_program: Run) -> None:
    """What passes every check and still cannot be solved ends in a report, not in a crash."""
    told = run_program(
        """
def clump(w):
    light = w.add_body(1, mass=1e-9, inertia=1e-20 * E, position=(0, 0, 3), rotation=E)
    heavy = w.add_body(1, mass=1e12, inertia=1e25 * E, position=(0, 0, 4), rotation=E)
    ball = add_ball(w, (0, 0, 5))
    for kind in KINDS:
        axes = [(1, 0, 0), (0, 1, 0), (0, 0, 1)][:KINDS[kind].axes[1]]
        for one, other in itertools.permutations((light, heavy, ball, None), 2):
            joint = w.add_joint(1, kind, one, other, anchor=(0, 0, 3), axes=axes)
            for name, number in joint.properties.items():
                if name.startswith(("Vel", "FMax")):
                    joint.set(number, 1e12)
    light.add_torque((1e12, -1e12, 1))
attempt(clump)
print(sorted(outcomes))
"""
    )
    assert told.strip() in ("['exploded']", "['survived']")


def test_what_is_not_a_number_is_survived_and_undone(run_program: Run) -> None:
    """A torque that gets through behind the checks' back."""
    told = run_program(
        """
from ubersim.physics._ode import lib, doubles
calm = ground_world(surface=Surface(mu=0.8, rolling=0.01, bounce=0.5))
world = ground_world(surface=Surface(mu=0.8, rolling=0.01, bounce=0.5))
for each in (calm, world):
    add_robot(each, 2, 0, 0)
for _ in range(50):
    bomb = add_robot(world, 1, 3, 0)[0]
    world.run(2)
    lib.body_add_torque(world.handle, bomb.handle, doubles(np.array([np.nan, 0, 0])))
    try:
        world.run(3)
    except ExplodedError as error:
        assert error.owners == (1,) and "left the finite world" in str(error), error
        world.remove(1)
        world.run(3)
        outcomes.add("exploded")
calm.run(250)
assert calm.digest() == world.digest()
print(sorted(outcomes))
"""
    )
    assert told.strip() == "['exploded']"


def test_crowds_in_one_place(run_program: Run) -> None:
    """Shapes of all kinds on top of each other, meshes among them."""
    told = run_program(
        """
from tests.physics.test_world import add_shape
def crowd(w):
    for place, shape in enumerate(["box", "sphere", "capsule", "cylinder", "mesh"] * 4):
        position = (0.01 * place, 0, 0.2)
        body = w.add_body(1, mass=1, inertia=0.1 * E, position=position, rotation=E)
        add_shape(w, shape, body, position, 0.5)
    w.run(50)
attempt(crowd)
print(sorted(outcomes))
"""
    )
    assert told.strip() in ("['exploded']", "['survived']")


def test_memory_that_is_not_to_be_had_ends_in_a_report(run_program: Run) -> None:
    """The exact solver's matrix for a row of 480 boxes takes 66 MB, and there are 32 left."""
    told = run_program(
        """
import resource
world = ground_world(surface=Surface(mu=0.5), solver="exact")
for place in range(480):
    add_box(world, (0.2 * place, 0, 0.1), size=(0.201, 0.2, 0.2), owner=0)
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 2**25,) * 2)
try:
    world.run()
except WorldError as error:
    print(error)
"""
    )
    assert told.strip() == "frame 1: out of memory (owners 0)"
