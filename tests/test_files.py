"""Files that people name: what cannot be one, and what is larger than it may be."""

from __future__ import annotations

import struct
import zlib

import pytest

from ubersim.files import open_file
from ubersim.picture_files import decode_picture


def test_no_file_has_a_nul_byte_in_its_name() -> None:
    with pytest.raises(OSError, match="embedded null byte"):
        open_file("here\0there")


def test_a_picture_that_says_it_is_huge_is_not_unpacked() -> None:
    head = b"IHDR" + struct.pack(">IIBBBBB", 5000, 5000, 8, 2, 0, 0, 0)
    data = b"IDAT" + zlib.compress(b"")
    chunks = [struct.pack(">I", len(one) - 4) + one + struct.pack(">I", zlib.crc32(one)) for one in (head, data)]
    with pytest.raises(ValueError, match="a picture of 5000 x 5000 is too large"):
        decode_picture(b"\x89PNG\r\n\x1a\n" + b"".join(chunks), "png", (1, 1))
