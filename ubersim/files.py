"""Files that people name on a command line or in a document: read only if they are files, and not too large.

Devices and pipes may never end, or never begin, and memory has an end; all of that is an `OSError` that says so.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

LARGEST = 64 * 1024 * 1024
"""What is read at once [bytes]."""


def open_file(path: str | Path) -> BinaryIO:
    """Opens a file for reading, without waiting for anything."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:  # a NUL byte in the name
        raise OSError(errno.EINVAL, str(error), str(path)) from None
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        what = "it is a folder" if stat.S_ISDIR(mode) else "it is a device or a pipe; save it as a file first"
        raise OSError(errno.EINVAL, what, str(path))
    return os.fdopen(descriptor, "rb")


def read_file(path: str | Path, most: int = LARGEST) -> bytes:
    """The bytes of a file that has at most so many."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= most and len(data := file.read(most + 1)) <= most:
            return data
    raise OSError(errno.EFBIG, f"it has {size} bytes; allowed are {most}", str(path))


def read_text(path: str | Path, most: int = LARGEST) -> str:
    """The text of a file in UTF-8."""
    try:
        return read_file(path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise OSError(errno.EINVAL, f"it is not UTF-8: byte {error.start}", str(path)) from None


def resolved(path: str | Path) -> Path:
    """Where a path leads; links that go round in circles are left to whatever opens it."""
    return Path(os.path.realpath(path))
