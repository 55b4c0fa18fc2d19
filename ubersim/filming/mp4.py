"""Films as MP4 files. The only import of PyAV, an extra."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ubersim.errors import UberSimError


class Mp4Writer:
    """Takes the pictures of a film one after the other, so that none has to be kept."""

    def __init__(self, path: Path, *, rate: float) -> None:
        """`rate`: pictures per second."""
        self._library, self._path, self._broken = pyav(), path, False
        self._container = self._library.open(str(path), "w")
        self._rate = Fraction(rate).limit_denominator(1000)
        self._stream = self._container.add_stream("libx264", rate=self._rate)
        self._stream.pix_fmt = "yuv420p"
        self.count = 0
        """Pictures so far."""

    def __enter__(self) -> Mp4Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, picture: NDArray[np.uint8]) -> None:
        """A picture: rows, columns, red green blue."""
        self.add_frame(self._library.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24"))

    def add_frame(self, frame: Any) -> None:
        """A picture as PyAV has it."""
        # Half of the rows and columns carry the colour, so that there has to be an even number of them.
        width, height = frame.width - frame.width % 2, frame.height - frame.height % 2
        if not (width and height):
            raise UberSimError(f"a film in MP4 has 2 x 2 pixels or more, not {frame.width} x {frame.height}")
        if not self.count:
            self._stream.width, self._stream.height = width, height
        turned = frame.reformat(width=width, height=height, format="yuv420p")
        turned.pts, turned.time_base = self.count, 1 / self._rate
        self.count += 1
        self._write(turned)

    def close(self) -> None:
        """Ends the film."""
        if self.count and not self._broken:
            self._write(None)
        try:
            self._container.close()
        except OSError as error:
            if not self._broken:
                raise self._failure(error) from None

    def _write(self, frame: Any | None) -> None:
        try:
            for packet in self._stream.encode(frame):
                self._container.mux(packet)
        except OSError as error:
            self._broken = True  # whatever is written after that may end the process
            raise self._failure(error) from None

    def _failure(self, error: OSError) -> UberSimError:
        return UberSimError(f"cannot write {self._path}: {error.strerror}")


def write_mp4(pictures: Sequence[Path], path: Path, *, rate: float) -> None:
    """PNG files, one after the other, so many per second."""
    library = pyav()
    with Mp4Writer(path, rate=rate) as film:
        for picture in pictures:
            with library.open(str(picture)) as file:
                film.add_frame(next(file.decode(video=0)))


def pyav() -> Any:
    """The library; asked for before anything is drawn, so that nobody waits for a film that cannot be."""
    try:
        import av
    except ImportError:
        raise UberSimError("MP4 files need PyAV: pip install 'ubersim[film]'") from None
    return av
