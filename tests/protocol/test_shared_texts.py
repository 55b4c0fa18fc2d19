"""Long texts are sent once; then their hashes will do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import ubersim
from tests.helpers.documents import AT_ORIGIN, ball, body, robot
from tests.helpers.serving import Serving
from ubersim.client import RemoteRobot
from ubersim.client import joining as client
from ubersim.errors import RefusedError, RemoteProtocolError
from ubersim.protocol import shared_texts
from ubersim.protocol.shared_texts import LONG, SharedTexts, shortened

CORNERS = " ".join(f"{number}.5 0 {number % 7}" for number in range(1000))
TRIANGLES = " ".join(f"{number} {number + 1} {number + 2}" for number in range(998))
SHEET = f"{AT_ORIGIN}<Vertices>{CORNERS}</Vertices><Triangles>{TRIANGLES}</Triangles>"
DOCUMENT = robot(body(ball("a") + f'<Visual><Mesh name="sheet">{SHEET}</Mesh></Visual>'))
LONGEST = 10**6


def test_what_was_shortened_is_whole_again() -> None:
    short, known = shortened(DOCUMENT), SharedTexts()
    assert len(short) < 1000 < LONG < len(DOCUMENT) and short.count("hash=") == 2
    with pytest.raises(RemoteProtocolError, match=r"with the hash [0-9a-f]{32} is not known here"):
        known.whole(short.encode(), LONGEST)
    known.keep(DOCUMENT)
    assert known.whole(short.encode(), LONGEST) == DOCUMENT.encode()


def test_a_document_without_long_texts_stays_what_it_is() -> None:
    plain = robot(body(ball("a")))
    assert shortened(plain) is plain
    assert SharedTexts().whole(plain.encode(), 10) == plain.encode()


def test_hashes_cannot_make_a_document_longer_than_allowed() -> None:
    known = SharedTexts()
    known.keep(DOCUMENT)
    mark = shortened(DOCUMENT).split("<Vertices ")[1].split("/>")[0]
    bomb = f"<Vertices {mark}/>" * 1000
    with pytest.raises(RemoteProtocolError, match=f"allowed are {LONGEST}"):
        known.whole(bomb.encode(), LONGEST)


def test_what_was_not_used_for_long_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    known, other = SharedTexts(), DOCUMENT.replace(".5 ", ".25 ")
    monkeypatch.setattr(shared_texts, "MOST_KEPT", len(other))
    known.keep(DOCUMENT)
    known.keep(other)
    assert known.whole(shortened(other).encode(), LONGEST) == other.encode()
    with pytest.raises(RemoteProtocolError):
        known.whole(shortened(DOCUMENT).encode(), LONGEST)


def test_the_second_of_two_equal_robots_sends_hashes(
    serve: Callable[..., Serving], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []
    arrive = client._arrived

    def counted(document: str, host: str, port: int, wait: float) -> RemoteRobot:
        sent.append(len(document))
        return arrive(document, host, port, wait)

    monkeypatch.setattr(client, "_arrived", counted)
    serving = serve()
    with ubersim.connect(DOCUMENT, port=serving.port, name="One"):
        assert len(sent) == 2 and sent[0] < 1000 and sent[1] > len(DOCUMENT) - 10
    with ubersim.connect(DOCUMENT, port=serving.port, name="Two"):
        assert len(sent) == 3 and sent[2] < 1000
        kept = serving.server.simulation.robots["Two"].description.source_text
        assert CORNERS in kept, "logs and snapshots have the whole"
    with pytest.raises(RefusedError, match="Radius"):
        ubersim.connect(DOCUMENT.replace("<Radius>0.1<", "<Radius>-1<"), port=serving.port, name="Three")
