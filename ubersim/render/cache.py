"""What is kept because making it anew costs time, up to a number of bytes: the least recently used goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class ByteCache(Generic[T]):
    """Whatever sizes are asked for in the course of time, memory stays within the limit, or is what one thing needs."""

    def __init__(self, most: int, release: Callable[[T], object] = lambda thing: None, *, least: int = 0) -> None:
        """`most`: bytes in all; `release` frees a thing that goes; the last `least` things stay when one comes."""
        self._most = most
        self._least = least
        self._release = release
        self._kept: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self.size = 0
        """Bytes that are kept now."""

    def get(self, key: Hashable) -> T | None:
        """The thing, if it is kept; it stays."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def put(self, key: Hashable, thing: T, size: int) -> None:
        """Keeps a new thing, at the cost of others."""
        self.take(key)
        while len(self._kept) > self._least and self.size + size > self._most:
            _, (old, freed) = self._kept.popitem(last=False)
            self.size -= freed
            self._release(old)
        self._kept[key] = thing, size
        self.size += size

    def take(self, key: Hashable) -> T | None:
        """The thing, if it is kept; it does not stay, nor is it released."""
        thing, size = self._kept.pop(key, (None, 0))
        self.size -= size
        return thing

    def clear(self) -> None:
        """Releases all."""
        for thing, _ in self._kept.values():
            self._release(thing)
        self._kept.clear()
        self.size = 0
