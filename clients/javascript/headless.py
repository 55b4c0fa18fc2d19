#!/usr/bin/env python3
"""The JavaScript client as a program: its page in a browser without a screen, with a gateway of its own to the server.

    python clients/javascript/headless.py HOST PORT
    ubersim conform --patience 60 -- python clients/javascript/headless.py {host} {port}

It ends when the page's robot does: with status 0 and how many frames it had, or with 1 and what went wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from ubersim.cli.web_files import WebFiles
from ubersim.transport.address import Address
from ubersim.transport.web_gateway import WebGateway

FLAGS = ("--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage")
_RESULT = "result/"
_TICK = 0.2
"""How often it is looked whether the browser is still there [s]."""


class PageFiles(WebFiles):
    """The files of this folder; what the page asks for below `result/` is what it has to say."""

    def __init__(self) -> None:
        super().__init__(Path(__file__).parent)
        self.results: queue.Queue[dict[str, Any]] = queue.Queue()

    def find(self, path: str) -> Path | None:
        """The file of a path."""
        if path.startswith(_RESULT):
            self.results.put(json.loads(path[len(_RESULT) :]))
            return None
        return super().find(path)


def result_of(browser: subprocess.Popen[bytes], files: PageFiles) -> dict[str, Any]:
    """What the page says in the end."""
    while browser.poll() is None:
        try:
            return files.results.get(timeout=_TICK)
        except queue.Empty:
            continue
    return {"error": f"the browser has ended with status {browser.returncode}"}


def _folder() -> tempfile.TemporaryDirectory[str]:
    """For the browser, whose helpers may still write into it when it has ended."""
    return tempfile.TemporaryDirectory(prefix="ubersim-browser-", ignore_cleanup_errors=True)


def main() -> None:
    """Opens the page, and waits until it is done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("--browser", default="chromium", help="Chromium, or one that takes its options")
    given = parser.parse_args()
    files = PageFiles()
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # it has none for root
    with WebGateway(Address(given.host, given.port), 0, files.find) as gateway, _folder() as profile:
        address = f"http://127.0.0.1:{gateway.port}/headless.html"
        program = [given.browser, *FLAGS, *sandbox, f"--user-data-dir={profile}/profile", address]
        nothing = subprocess.DEVNULL
        browser = subprocess.Popen(program, stdin=nothing, stdout=nothing, stderr=nothing)
        try:
            result = result_of(browser, files)
        finally:
            browser.terminate()
            browser.wait()
    if "error" in result:
        sys.exit(result["error"])
    print(f"{result['frames']} frames: {(result['end'] or {}).get('text', 'the server has ended')}")


if __name__ == "__main__":
    main()
