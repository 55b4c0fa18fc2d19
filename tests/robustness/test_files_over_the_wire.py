"""A document that names files of the server's machine: none is opened, and nothing of them is told."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.raw_client import RawClient
from tests.helpers.robots import cart
from ubersim.client.supervisor import supervise
from ubersim.errors import UberSimError

SECRET = "what nobody is to know"
ORIGIN = "<Position><x>0</x><y>0</y><z>0</z></Position>"
MESH = f"<Mesh name='M'><Mass>1</Mass>{ORIGIN}<Material>Wood</Material><File>{{}}</File></Mesh>"
INCLUDE = "<Parts><Include><File>{}</File></Include></Parts>"

DOCUMENTS: dict[str, Callable[[str], str]] = {
    "part": lambda path: cart().replace("<Joints>", INCLUDE.format(path) + "<Joints>"),
    "mesh": lambda path: cart().replace("<InclinometerSensor", f"{MESH.format(path)}<InclinometerSensor"),
    "xinclude": lambda path: cart().replace(
        "<Joints>", f"<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='{path}' parse='text'/><Joints>"
    ),
    "entity": lambda path: f"<!DOCTYPE Client [<!ENTITY x SYSTEM 'file://{path}'>]>" + cart("&x;"),
    "stylesheet": lambda path: f"<?xml-stylesheet href='{path}'?>" + cart().replace("Plastic", "Plasic"),
    "schema": lambda path: cart().replace(
        "<Client>",
        "<Client xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
        f"xsi:noNamespaceSchemaLocation='{path}'>",
    ).replace("Plastic", "Plasic"),
    "name": lambda path: cart(f"./{path}"),
    "material": lambda path: cart().replace("Plastic", path),
    "not even XML": lambda path: path,
}  # fmt: skip


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """Files that would be noticed: a text, a link to it, and a pipe that would keep its reader."""
    (tmp_path / "secret.obj").write_text(SECRET)
    (tmp_path / "link.obj").symlink_to(tmp_path / "secret.obj")
    os.mkfifo(tmp_path / "pipe.obj")
    return {name: tmp_path / f"{name}.obj" for name in ("secret", "link", "pipe")}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=list(DOCUMENTS))
def test_a_client_s_document_opens_no_file(
    serve: Callable[..., Any], places: dict[str, Path], document: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    port = serve(clients=0, rate=1.0).port
    monkeypatch.chdir(places["secret"].parent)  # the server's folder, too
    for path in (*places.values(), "/dev/zero", "../../../../etc/passwd", "file:///etc/passwd", "secret.obj"):
        reason = RawClient(port, document(str(path))).error()
        assert reason and SECRET not in reason and "root:" not in reason
    assert not _has_reader(places["pipe"])


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=list(DOCUMENTS))
def test_nor_does_a_supervisor_s(
    serve: Callable[..., Any], places: dict[str, Path], document: Callable[[str], str]
) -> None:
    port = serve(clients=0, rate=1.0).port
    with supervise(port=port) as world:
        for path in (*places.values(), "/dev/zero"):
            with pytest.raises(UberSimError) as refusal:
                world.ask("Spawn", xml=document(str(path)))
            assert SECRET not in str(refusal.value)
    assert not _has_reader(places["pipe"])


def _has_reader(pipe: Path) -> bool:
    try:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError as error:
        assert error.errno == errno.ENXIO
        return False
    return True
