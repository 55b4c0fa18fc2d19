"""The chunks of an MCAP file, found without its index, which a file whose writer was killed does not have."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from ubersim.errors import UberSimError
from ubersim.files import open_file

try:
    from lz4.frame import LZ4FrameDecompressor
    from mcap.data_stream import ReadDataStream
    from mcap.opcode import Opcode
    from mcap.records import Attachment, Channel, Chunk, Message, MessageIndex, Metadata, Schema
    from mcap.stream_reader import breakup_chunk
    from zstandard import ZstdDecompressor
except ImportError:
    raise UberSimError("logs need mcap: pip install 'ubersim[log]'") from None

LARGEST_CHUNK = 2**30
"""Bytes of one: a few megabytes as a rule, and in a frame with pictures as much as all robots see in it."""
_MAGIC = b"\x89MCAP0\r\n"
_HEAD = struct.Struct("<BQ")


class _DamagedError(UberSimError):
    """Bytes that nobody wrote there, and where."""


@dataclass(frozen=True)
class Place:
    """Where a chunk is."""

    offset: int
    length: int


class Chunks:
    """What is complete in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.metadata: dict[str, dict[str, str]] = {}
        self.attachments: dict[str, bytes] = {}
        self.places: list[Place] = []
        self.topics: dict[int, str] = {}
        """By number of the channel."""
        self.schemas: dict[int, str] = {}
        """Their names, by number of the channel."""
        self._names: dict[int, str] = {}
        self._times: list[dict[int, list[int]]] = []
        """Of each chunk: when its messages are [ns], by number of the channel."""
        self.complete = False
        """Whether the writer came to its end."""
        try:
            self._file: BinaryIO = open_file(path)
        except OSError as error:
            raise UberSimError(f"cannot read {path}: {error.strerror}") from None
        self.size = os.fstat(self._file.fileno()).st_size
        if self._file.read(len(_MAGIC)) != _MAGIC:
            raise UberSimError(f"{path} is no MCAP file")
        self._scan()

    def close(self) -> None:
        """Frees the file."""
        self._file.close()

    def messages(self, number: int) -> list[Any]:
        """The messages of a chunk, in the order in which they were written."""
        place = self.places[number]
        self._file.seek(place.offset)
        with self._damage(place.offset):
            chunk = Chunk.read(ReadDataStream(BytesIO(self._file.read(place.length))))
            chunk = replace(chunk, data=self._unpacked(chunk), compression="")
            records = breakup_chunk(chunk, validate_crc=True)
        self._names |= {record.id: record.name for record in records if isinstance(record, Schema)}
        channels = [record for record in records if isinstance(record, Channel)]
        self.topics |= {channel.id: channel.topic for channel in channels}
        self.schemas |= {channel.id: self._names.get(channel.schema_id, "") for channel in channels}
        return [record for record in records if isinstance(record, Message)]

    def times(self, topic: str) -> list[tuple[int, int]]:
        """Of every message of a topic, in order: the number of its chunk, and its time [ns]."""
        channels = [channel for channel, name in self.topics.items() if name == topic]
        return [
            (number, time)
            for number, times in enumerate(self._times)
            for channel in channels
            for time in times.get(channel, ())
        ]

    def topic(self, message: Any) -> str:
        """Where a message belongs."""
        try:
            return self.topics[message.channel_id]
        except KeyError:
            raise UberSimError(
                f"{self.path}: a message belongs to channel {message.channel_id}, which is none"
            ) from None

    def _unpacked(self, chunk: Any) -> bytes:
        """What is in a chunk; no more of it than it says, and no more than a recording would have put there."""
        if chunk.uncompressed_size > LARGEST_CHUNK:
            raise UberSimError(f"it has {chunk.uncompressed_size} bytes; allowed are {LARGEST_CHUNK}")
        match chunk.compression:
            case "lz4":
                data: bytes = LZ4FrameDecompressor().decompress(chunk.data, chunk.uncompressed_size)
            case "zstd":  # recordings are not, but other tools compress them once more
                data = ZstdDecompressor().stream_reader(chunk.data).read(chunk.uncompressed_size)
            case "":
                data = chunk.data
            case other:
                raise UberSimError(f"it is compressed as {other!r:.40}; known are lz4 and zstd")
        if len(data) != chunk.uncompressed_size:
            raise UberSimError(f"it has {len(data)} bytes instead of {chunk.uncompressed_size}")
        return data

    @contextmanager
    def _damage(self, offset: int) -> Iterator[None]:
        """Whatever mcap and lz4 raise over bytes that nobody wrote there."""
        try:
            yield
        except _DamagedError:
            raise  # of a chunk that had to be looked into
        except Exception as error:
            raise _DamagedError(f"{self.path}: what is at byte {offset} is damaged: {error or repr(error)}") from None

    def _scan(self) -> None:
        """Goes from record to record, without looking into chunks other than those that introduce new channels."""
        offset = len(_MAGIC)
        while offset + _HEAD.size <= self.size:
            self._file.seek(offset)
            opcode, length = _HEAD.unpack(self._file.read(_HEAD.size))
            offset += _HEAD.size
            if offset + length > self.size or not opcode:
                break  # the record that was being written, or room for it
            with self._damage(offset):
                self._take(opcode, offset, length)
            offset += length
            if opcode == Opcode.DATA_END:
                self.complete = True
                break
        for number, times in enumerate(self._times):
            if not times:  # its list of messages did not make it to the file, or was never written
                for message in self.messages(number):
                    times.setdefault(message.channel_id, []).append(message.log_time)

    def _take(self, opcode: int, offset: int, length: int) -> None:
        if opcode == Opcode.CHUNK:
            self.places.append(Place(offset, length))
            self._times.append({})
        elif opcode == Opcode.MESSAGE_INDEX and self.places:
            index = MessageIndex.read(ReadDataStream(BytesIO(self._file.read(length))))
            if index.channel_id not in self.topics:
                self.messages(len(self.places) - 1)
            self._times[-1][index.channel_id] = [time for time, _ in index.records]
        elif opcode == Opcode.METADATA:
            metadata = Metadata.read(ReadDataStream(BytesIO(self._file.read(length))))
            self.metadata[metadata.name] = metadata.metadata
        elif opcode == Opcode.ATTACHMENT:
            attachment = Attachment.read(ReadDataStream(BytesIO(self._file.read(length))))
            self.attachments[attachment.name] = attachment.data
