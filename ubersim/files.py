"""Files that people name on a command line or in a document: read only if they are files, and not too large.

Devices and pipes may never end, or never begin, and memory has an end; all of that is an `OSError` that says so.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

LARGEST = 64 * 1024 * 1024
"""What is read at once [bytes]."""

Version = tuple[int, int, int] | None
"""Another one with every save, be it into the same file or by a new one of its name; None: there is no such file."""

_opened: ContextVar[dict[Path, Version] | None] = ContextVar("_opened", default=None)


@contextmanager
def noting() -> Iterator[dict[Path, Version]]:
    """Notes the files that are opened meanwhile, also in vain, with the version that each had before."""
    opened: dict[Path, Version] = {}
    token = _opened.set(opened)
    try:
        yield opened
    finally:
        _opened.reset(token)


def version_of(path: str | Path) -> Version:
    """By which one sees whether a file was saved anew."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def open_file(path: str | Path) -> BinaryIO:
    """Opens a file for reading, without waiting for anything."""
    if (opened := _opened.get()) is not None:
        opened.setdefault(Path(path), version_of(path))
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
