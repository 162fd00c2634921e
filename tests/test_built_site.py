"""The built site, which `tox -e site` has made: it is whole, needs no network, and its links lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from oracle.rules import catalogue

ROOT = Path(__file__).parents[1]
SITE = ROOT / "build" / "site"

pytestmark = pytest.mark.skipif("SITE" not in os.environ, reason="tox -e site builds the site")


class Page(HTMLParser):
    """The links, the anchors and the resources of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.anchors.update(each for each in (found.get("id"), found.get("name")) if each)
        if tag == "a" and found.get("href"):
            self.links.add(str(found["href"]))
        if tag == "link" and found.get("rel") != "canonical":
            self.loaded.add(str(found.get("href")))
        if found.get("src"):
            self.loaded.add(str(found["src"]))


@cache
def pages() -> dict[Path, Page]:
    return {path: Page(path) for path in SITE.rglob("*.html") if path.name != "404.html"}


def test_every_rule_has_a_page() -> None:
    assert [rule.id for rule in catalogue.rules() if not (SITE / "rules" / f"{rule.id}.html").is_file()] == []


def test_nothing_is_loaded_from_the_network() -> None:
    assert len(pages()) > 700
    for path, page in pages().items():
        assert {each for each in page.loaded if urlsplit(each).scheme or urlsplit(each).netloc} == set(), path
        assert all((path.parent / unquote(urlsplit(each).path)).is_file() for each in page.loaded), path


def test_every_link_within_the_site_leads_to_a_file_and_an_anchor() -> None:
    for path, page in pages().items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path}: {link}"
            if parts.fragment and target in pages():
                assert unquote(parts.fragment) in pages()[target].anchors, f"{path}: {link}"


def test_the_search_has_the_rules_and_is_a_script_that_a_page_without_server_can_load() -> None:
    index = (SITE / "search" / "search_index.js").read_text(encoding="utf-8")
    assert index.startswith("var __index = ")
    assert "rules/LCK-12.html" in index
    home = (SITE / "index.html").read_text(encoding="utf-8")
    assert re.search(r'src="assets/iframe-worker\.js"', home)


def test_examples_of_docstrings_are_code() -> None:
    text = (SITE / "reference" / "oracle.html").read_text(encoding="utf-8")
    assert '<code><span class="gp">&gt;&gt;&gt; </span>' in text
    assert "<blockquote>" not in text


@pytest.mark.parametrize(
    ("text", "named"), [("[a](no-such-page.md)", "no-such-page.md"), ("[a](other.md#none)", "#none")]
)
def test_a_broken_link_fails_the_build(tmp_path: Path, text: str, named: str) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# A\n\n{text}\n", encoding="utf-8")
    (tmp_path / "docs" / "other.md").write_text("# B\n", encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(
        f"INHERIT: {ROOT / 'mkdocs.yml'}\ndocs_dir: docs\nsite_dir: out\nhooks: []\nplugins: []\nnav: []\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "mkdocs", "build", "--config-file", str(tmp_path / "mkdocs.yml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert named in done.stderr
