"""Documents that are meant to hurt are refused before they cost anything."""

import tracemalloc
from pathlib import Path

import pytest

from ubersim.description import read_materials, read_robot
from ubersim.description.document import LONGEST
from ubersim.errors import DescriptionError

BOMB = "<!DOCTYPE c [<!ENTITY e0 'ha'>" + "".join(
    f"<!ENTITY e{level} '{f'&e{level - 1};' * 10}'>" for level in range(1, 13)
)

HOSTILE: dict[str, tuple[str | bytes, str]] = {
    "entity bomb": (f"{BOMB}]><Client>&e12;</Client>", "DOCTYPE"),
    "bomb in an attribute": (f'{BOMB}]><Client name="&e12;"/>', "DOCTYPE"),
    "quadratic bomb": (f"<!DOCTYPE c [<!ENTITY a '{'x' * 100_000}'>]><Client>{'&a;' * 10_000}</Client>", "DOCTYPE"),
    "external entity": ('<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><Client>&x;</Client>', "DOCTYPE"),
    "external subset": ('<!DOCTYPE c SYSTEM "http://127.0.0.1:1/x.dtd"><Client/>', "DOCTYPE"),
    "document type behind a comment": (
        "<?xml version='1.0'?>\n<!-- x --> <?p?><!DOCTYPE c><Client/>",
        "DOCTYPE, in line 2",
    ),
    "undefined entity": ("<Client>&unknown;</Client>", "not well-formed XML: Entity 'unknown' not defined"),
    "too long": ("<Client>" + " " * LONGEST + "</Client>", "allowed are 33554432"),
    "a million deep": ("<a>" * 1_000_000, "'<' occurs 1000000 times in the document; allowed is 200000"),
    "deep": ("<a>" * 50_000 + "</a>" * 50_000, "Excessive depth"),
    "a million elements": ("<Client>" + "<a/>" * 1_000_000 + "</Client>", "'<' occurs 1000002 times"),
    "many attributes": ("<Client " + " ".join(f'a{i}=""' for i in range(60_000)) + "/>", "'=' occurs 60000 times"),
    "comment without end": ("<!-- " * 1000, "not well-formed"),
    "empty": (" \n", "the document is empty"),
    "NUL": ("<Client>\0</Client>", "NUL"),
    "latin-1": ("<Client>Ü</Client>".encode("latin-1"), "not UTF-8: byte 8, in line 1"),
    "latin-1 further down": ("<Client>\n\n\xfc</Client>".encode("latin-1"), "not UTF-8: byte 10, in line 3"),
    "utf-16": ("<Client/>".encode("utf-16"), "UTF-16; save it in UTF-8"),
    "half a surrogate": ("<Client>\ud800</Client>", "not UTF-8"),
    "garbage": (bytes(range(1, 256)) * 100, "not UTF-8"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + b"\xff" * 100, "not UTF-8"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_refused(case: str) -> None:
    text, reason = HOSTILE[case]
    tracemalloc.start()
    with pytest.raises(DescriptionError) as refused:
        read_robot(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert reason in str(refused.value)
    assert len(str(refused.value)) < 400
    # Encoding the text costs its own length, whatever is in it; no more than a few copies of it may be made.
    assert peak < 1_000_000 + 4 * len(text)


def test_external_entities_are_not_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("5")
    with pytest.raises(DescriptionError) as refused:
        read_robot(f'<!DOCTYPE c [<!ENTITY x SYSTEM "{secret.as_uri()}">]><Client>&x;</Client>')
    assert "5" not in str(refused.value)


def test_huge_numbers_of_digits_are_cheap() -> None:
    with pytest.raises(DescriptionError, match="is not a number"):
        read_robot(f"<Client><CSettings><Name>R</Name><Latency>{'9' * 1_000_000}</Latency></CSettings></Client>")


@pytest.mark.parametrize("text", ["a: &a [*a]", "[" * 800, "\0", "x" * 2_000_000, "!!python/object:os.system {}"])
def test_materials_that_are_meant_to_hurt(text: str) -> None:
    with pytest.raises(DescriptionError):
        read_materials(text)
