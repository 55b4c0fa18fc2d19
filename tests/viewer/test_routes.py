"""What the page's own script may ask for, and that nothing else may."""

from __future__ import annotations

import gzip
import json
import urllib.error
import urllib.request

import pytest

from tests.helpers.page_client import PageClient, control
from tests.helpers.waiting import until
from ubersim.viewer.choices import Choices
from ubersim.viewer.page import Page
from ubersim.viewer.routes import HEADER, Document


def test_only_the_pages_own_script_is_answered() -> None:
    page = Page(title="ÜberSim · a <test>")
    page.routes.on("echo", lambda values: Document(values["text"].encode(), "text/plain"))
    try:
        with PageClient(page.address) as client:
            assert client.ask("echo", text="a & b") == "a & b"
            for path, code in (("echo", 400), ("nothing", 404)):
                with pytest.raises(urllib.error.HTTPError, match=str(code)):
                    client.ask(path)
        with pytest.raises(urllib.error.HTTPError, match="403"):  # as another site would ask
            urllib.request.urlopen(f"{page.address}/ubersim/echo?text=x", timeout=120)
        foreign = urllib.request.Request(
            f"{page.address}/ubersim/echo?text=x", headers={HEADER: "1", "Origin": "http://x.org"}
        )
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(foreign, timeout=120)
        for encoding in ("gzip", "identity"):
            plain = urllib.request.Request(page.address, headers={"Accept-Encoding": encoding})
            with urllib.request.urlopen(plain, timeout=120) as answer:
                body = answer.read()
            text = (gzip.decompress(body) if encoding == "gzip" else body).decode()
            assert "<title>ÜberSim · a &lt;test&gt;</title>" in text
            assert "us-tree" in text and HEADER in text
    finally:
        page.stop()


def test_what_was_chosen_is_found_again() -> None:
    """A browser's choices set a page that is new, and not one that somebody uses already."""
    page = Page()
    box, menu = page.gui.add_checkbox("Box", False), page.gui.add_dropdown("Menu", ("a", "b"))
    choices = Choices(page)
    choices.track("box", box)
    choices.track("menu", menu)
    try:
        with PageClient(page.address) as client:
            client.ask("restore", choices=json.dumps({"box": True, "menu": "nonsense", "other": 1}))
            page.catch_up()
            assert box.value is True and menu.value == "a"
            client.ask("restore", choices=json.dumps({"box": False, "menu": "b"}))
            page.catch_up()
            assert box.value is True and menu.value == "a", "it is in use"
            client.set(control(page, "Menu"), "b")
            until(lambda: menu.value == "b")
            choices._told = -1.0
            choices.catch_up()
            assert "&quot;menu&quot;: &quot;b&quot;" in choices._element.content
            assert 'data-fresh="no"' in choices._element.content
            with pytest.raises(urllib.error.HTTPError, match="400"):
                client.ask("restore", choices="[1")
    finally:
        page.stop()
