"""Films as MP4 files. The only import of PyAV, an extra."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from ubersim.errors import UberSimError


def write_mp4(pictures: Sequence[Path], path: Path, *, rate: float) -> None:
    """PNG files, one after the other, so many per second."""
    try:
        import av
    except ImportError:
        raise UberSimError("MP4 files need PyAV: pip install 'ubersim[film]'") from None
    library: Any = av
    with library.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=Fraction(rate).limit_denominator(1000))
        stream.pix_fmt = "yuv420p"
        for number, picture in enumerate(pictures):
            with library.open(str(picture)) as file:
                frame = next(file.decode(video=0))
            # Half of the rows and columns carry the colour, so that there has to be an even number of them.
            width, height = frame.width - frame.width % 2, frame.height - frame.height % 2
            if not number:
                stream.width, stream.height = width, height
            turned = frame.reformat(width=width, height=height, format="yuv420p")
            turned.pts, turned.time_base = number, 1 / Fraction(rate).limit_denominator(1000)
            for packet in stream.encode(turned):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
