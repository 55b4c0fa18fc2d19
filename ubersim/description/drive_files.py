"""Puts the contents of drives' files, as `ubersim learn-motion` writes them, into a document."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
from lxml import etree
from lxml.etree import _Element as Element

from ubersim.description.parse_context import line_of, path_of
from ubersim.errors import Problem
from ubersim.files import read_file

LARGEST = 2**20
"""Bytes that such a file may have."""


def inline_drives(root: Element, folder: Path) -> list[Problem]:
    """Replaces every `File` of a `LearnedDrive` by what is in the file, on one line; what is wrong with that."""
    files = [file for drive in root.iter("LearnedDrive") for file in drive.iterchildren("File")]
    return [problem for file in files if (problem := _inline(file, folder)) is not None]


def _inline(file: Element, folder: Path) -> Problem | None:
    name, drive = (file.text or "").strip(), file.getparent()
    assert drive is not None
    if len(list(drive.iterchildren("File", "Period", "Weights"))) > 1:
        return Problem(line_of(file), path_of(file), "stands beside another File, Period or Weights; it says both")
    try:
        with np.load(io.BytesIO(read_file(folder / name, LARGEST)), allow_pickle=False) as data:
            period, weights = float(data["period"]), data["weights"].astype(np.float64).ravel()
    except OSError as error:
        return Problem(line_of(file), path_of(file), f"{name!r} cannot be read: {error.strerror or error}")
    except (EOFError, AttributeError, KeyError, TypeError, ValueError, zipfile.BadZipFile):
        return Problem(line_of(file), path_of(file), f"{name!r} is nothing that `ubersim learn-motion` wrote")
    numbers = etree.Element("Weights")
    numbers.text, numbers.tail = " ".join(map(repr, weights.tolist())), file.tail
    file.tag, file.text, file.tail = "Period", repr(period), None
    file.addnext(numbers)
    return None
