"""The hooks of `mkdocs.yml`: pages that are made from the checkout, and the links of all pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from bench.site import reference, rule_page
from bench.site.links import PAGES_OF_THE_TOP, of_the_top, with_rules
from bench.site.standing import ROOT, standings

_ASSETS: Final = Path(__file__).parent / "assets"
_NOT_SEARCHED: Final = ("conditions.md", "coverage.md", "pairs.md", "sensitivity.md", "sensitivity-unseen.md")
"""Long tables by rule: the search finds the rules' own pages instead."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that no file of `docs/` has, and the site's own script and style."""
    for path, text in _made():
        files.append(File.generated(config, path, content=text))
    for asset in sorted(_ASSETS.iterdir()):
        files.append(File.generated(config, f"assets/{asset.name}", abs_src_path=str(asset)))
    paths = set(files.src_uris) | set(PAGES_OF_THE_TOP.values())
    for name, page in PAGES_OF_THE_TOP.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=of_the_top(text, paths)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 - as MkDocs calls it
    """Make the rule ids of a page links to the rules' pages, and keep the long tables out of the search."""
    if page.file.src_uri in _NOT_SEARCHED:
        page.meta["search"] = {"exclude": True}
    return with_rules(markdown, page.file.src_uri)


def _made() -> Iterator[tuple[str, str]]:
    yield from rule_page.pages(standings())
    yield from reference.pages()
