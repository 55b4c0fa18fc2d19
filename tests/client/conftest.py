"""The C client's programs, built once for each file of tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.c_client import build_probe, build_segway


@pytest.fixture(scope="module")
def segway(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_segway(tmp_path_factory.mktemp("segway"))


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_probe(tmp_path_factory.mktemp("probe"))
