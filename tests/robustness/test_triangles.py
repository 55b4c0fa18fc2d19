"""Meshes are dear: triangles are counted before they are read, and built where nobody waits for it, once."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.helpers.documents import ball, body, robot, vector
from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from tests.helpers.waiting import until
from ubersim.description import read_robot
from ubersim.description.texture import picture_text
from ubersim.errors import BudgetError, DescriptionError
from ubersim.physics import CollisionMesh
from ubersim.protocol import Ack
from ubersim.render import TriangleMesh, geometry
from ubersim.simulation import Simulation
from ubersim.simulation.budget import RobotBudget
from ubersim.simulation.scene import prepare_look

TRIANGLES = "0 2 1 0 3 2 0 1 3 1 2 3"


def mesh(name: str, z: float = 1.0, triangles: str = TRIANGLES, size: float = 1.0) -> str:
    """A tetrahedron."""
    place = f"<Mass>1</Mass>{vector('Position', 0, 0, z)}<Material>Metal</Material>"
    corners = f"<Vertices>0 0 0 {size} 0 0 0 {size} 0 0 0 {size}</Vertices><Triangles>{triangles}</Triangles>"
    return f'<Mesh name="{name}">{place}{corners}</Mesh>'


def drawn(name: str) -> str:
    place = vector("Position", 0, 0, 1)
    corners = f"<Vertices>0 0 0 1 0 0 0 1 0 0 0 1</Vertices><Triangles>{TRIANGLES}</Triangles>"
    return f'<Visual><Mesh name="{name}">{place}{corners}</Mesh></Visual>'


def meshes(count: int, name: str = "R", size: float = 1.0) -> str:
    """A robot of so many equal ones."""
    content = "".join(mesh(f"M{n}", 1 + 2 * n, size=size) for n in range(count))
    return robot(body(content)).replace("<Name>R<", f"<Name>{name}<")


@pytest.mark.parametrize(
    "document", [meshes(2), robot(body(drawn("V") + mesh("M"))), robot(body(ball("s") + drawn("V")))]
)
def test_each_robot_has_a_budget(document: str) -> None:
    simulation = Simulation()
    count = document.count("<Triangles>") * 4
    simulation.budget = RobotBudget(triangles=count - 1)
    with pytest.raises(BudgetError, match=f"has {count} triangles; this server allows a robot {count - 1}"):
        simulation.spawn(document)
    simulation.budget = RobotBudget(triangles=count)
    simulation.spawn(document)


def test_all_robots_have_one_together() -> None:
    simulation = Simulation()
    simulation.budget = RobotBudget(all_triangles=15)
    simulation.spawn(meshes(2, "First"))
    with pytest.raises(BudgetError, match=r"Second has 8 triangles, too many .* allows all robots together 15"):
        simulation.spawn(meshes(2, "Second"))
    simulation.spawn(cart("Plain", x=5.0))
    simulation.spawn(meshes(1, "Small"))
    simulation.remove("First")
    simulation.spawn(meshes(2, "Second"))


def test_textures_have_a_budget() -> None:
    """A picture of one colour is small as a file; on many meshes it would be unpacked as often."""
    file = io.BytesIO()
    Image.new("RGB", (64, 32)).save(file, "PNG")
    points = "<TexturePoints>0 0 1 0 0 1 1 1</TexturePoints>"
    painted = f"<Texture>{picture_text(file.getvalue())}</Texture>{points}</Mesh>"
    document = meshes(3).replace("</Mesh>", painted)
    simulation = Simulation()
    simulation.budget = RobotBudget(texture_pixels=3 * 64 * 32 - 1)
    with pytest.raises(BudgetError, match="has 6144 pixels of textures; this server allows a robot 6143"):
        simulation.spawn(document)
    simulation.budget = RobotBudget(texture_pixels=3 * 64 * 32)
    simulation.spawn(document)


def test_they_are_counted_before_the_first_number_is_read() -> None:
    """Of two meshes, the first has no numbers at all, which nobody notices any more."""
    document = robot(body(mesh("A", triangles="x " * 12) + mesh("B")))
    with pytest.raises(DescriptionError, match="more than 7 triangles") as refused:
        read_robot(document, triangles=7)
    assert len(refused.value.problems) == 1
    with pytest.raises(DescriptionError, match="is not a whole number"):
        read_robot(document, triangles=8)


def test_over_the_wire_a_mesh_is_built_once_and_not_in_the_simulations_thread(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten equal meshes, and a second robot with the same."""
    builders: list[str] = []
    build = CollisionMesh.__init__

    def counted(self: CollisionMesh, *shape: Any) -> None:
        builders.append(threading.current_thread().name)
        build(self, *shape)

    monkeypatch.setattr(CollisionMesh, "__init__", counted)
    serving = serve(None, clients=1, budget=RobotBudget(triangles=40))
    first = RawClient(serving.port, meshes(10, "First", size=0.987))
    first.welcome()
    second = RawClient(serving.port, meshes(10, "Second", size=0.987))
    while "Second" not in serving.server.simulation.robots:
        frame = first.frame()
        assert frame is not None
        first.send(Ack(frame[0]))
    assert "more than 40 triangles" in RawClient(serving.port, meshes(11, "Third")).error()
    assert builders == ["handshakes"]
    first.close()
    second.close()
    serving.server.stop()
    serving.result()


def test_where_there_are_cameras_what_drawing_needs_is_there_before_the_robot(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[TriangleMesh] = []

    def counted(mesh: TriangleMesh) -> geometry.Geometry:
        made.append(mesh)
        return from_mesh(mesh)

    from_mesh = geometry.from_mesh
    monkeypatch.setattr(geometry, "from_mesh", counted)
    first, second = (read_robot(meshes(3, name, size=0.986)) for name in ("First", "Second"))
    prepare_look(first)
    prepare_look(second)
    assert len(made) == 1
    with Simulation() as simulation:
        simulation.spawn(first)
        simulation.spawn(second)
        simulation.show(width=32, height=24)
    assert len(made) == 1


def test_the_first_camera_prepares_those_who_are_there(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared: list[str] = []
    monkeypatch.setattr("ubersim.server.robot_documents.prepare_look", lambda robot: prepared.append(robot.name))
    serving = serve(None, clients=1)
    first = RawClient(serving.port, meshes(1, "First"))
    first.welcome()
    assert prepared == []
    camera = f'<CameraSensor name="C">{vector("Position", 0, 0, 0)}<Fov>60</Fov></CameraSensor>'
    seeing = robot(body(ball("s") + camera)).replace("<Name>R<", "<Name>Seeing<")
    second = RawClient(serving.port, seeing)
    until(lambda: sorted(prepared) == ["First", "Seeing"])
    first.close()
    second.close()
    serving.server.stop()
    serving.result()


def test_a_tip_of_thousands_of_triangles_is_not_compared_with_itself() -> None:
    """All pairs of 60,000 triangles at one vertex would take more memory than there is."""
    count = 60_000
    turn = 2 * np.pi * np.arange(count) / count
    rim = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    this, following = np.arange(count), (np.arange(count) + 1) % count
    triangles = np.stack([this, following, np.full(count, count)], axis=1)
    form = geometry.from_mesh(TriangleMesh(np.vstack([rim, (0, 0, 1)]), triangles))
    tips = form.vertices[form.vertices[:, 2] == 1]
    assert len(form.indices) == count
    assert np.allclose(tips[:, 6], 0.5**0.5, atol=1e-6)  # each faces as its triangle does
    low = form.vertices[form.vertices[:, 2] == 0]
    assert np.allclose(low[:, 4:6], low[:, :2] * 0.5**0.5, atol=1e-4)
