"""Other tools write a log's chunks anew: as zstd, or not compressed at all; what cannot be read is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer

from tests.helpers.recording_robots import record
from ubersim.errors import UberSimError
from ubersim.recording import Log
from ubersim.recording.replay import replay


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    record(folder / "run.mcap", folder, frames=1000)
    return folder / "run.mcap"


def rewritten(source: Path, target: Path, compression: CompressionType) -> Path:
    """As `mcap compress` and `mcap decompress` do it."""
    with source.open("rb") as file, target.open("wb") as out:
        reader, writer = make_reader(file), Writer(out, compression=compression)
        writer.start(profile="ubersim")
        for metadata in reader.iter_metadata():
            writer.add_metadata(metadata.name, metadata.metadata)
        for attachment in reader.iter_attachments():
            writer.add_attachment(0, 0, attachment.name, attachment.media_type, attachment.data)
        channels: dict[int, int] = {}
        for schema, channel, message in reader.iter_messages(log_time_order=False):
            if channel.id not in channels:
                number = writer.register_schema(schema.name, schema.encoding, schema.data) if schema else 0
                channels[channel.id] = writer.register_channel(channel.topic, channel.message_encoding, number)
            writer.add_message(channels[channel.id], message.log_time, message.data, message.publish_time)
        writer.finish()  # type: ignore[no-untyped-call]
    return target


@pytest.mark.parametrize("compression", [CompressionType.ZSTD, CompressionType.NONE, CompressionType.LZ4])
def test_a_log_is_the_same_however_it_is_compressed(run: Path, tmp_path: Path, compression: CompressionType) -> None:
    with Log(run) as log, Log(rewritten(run, tmp_path / "other.mcap", compression)) as other:
        for time in (0.0, 0.4321, 0.9):
            assert log.at(time).frame == other.at(time).frame
            for key, state in log.at(time).states.items():
                assert (state == other.at(time).states[key]).all()
        assert (other.first, other.last) == (log.first, log.last)
        assert len(list(other.instants())) == len(list(log.instants()))
        assert replay(other) is None


def test_an_unknown_compression_is_named(run: Path, tmp_path: Path) -> None:
    forged = tmp_path / "forged.mcap"
    forged.write_bytes(run.read_bytes().replace(b"\x03\0\0\0lz4", b"\x03\0\0\0zip"))
    with pytest.raises(UberSimError, match="compressed as 'zip'; known are lz4 and zstd") as told, Log(forged) as log:
        log.at(0.1)
    assert str(told.value).count("forged.mcap") == 1
