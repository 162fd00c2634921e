"""A page as a browser would see it."""

from __future__ import annotations

from html.parser import HTMLParser
from importlib.resources import files

from oracle.rules import catalogue

_EMPTY = ("meta", "br", "input")
_SCRIPT = (files("oracle.reporting") / "templates" / "page.js").read_text(encoding="utf-8")
"""The one script that a page may have."""


class Page(HTMLParser):
    """A page as a browser sees it: its texts, and everything that it would fetch.

    An identifier that is shown shortened counts in the text as what a hover shows. `copied` are the values of the
    buttons that copy, `rows` the number of rows that the filter knows, and `scripts` counts those that are not the
    project's own.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.texts: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self.scripts = 0
        self.copied: list[str] = []
        self.rows = 0
        self._glued = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what would be fetched, and what has to be closed."""
        found = dict(attrs)
        if tag == "span" and found.get("class") == "id":
            self._keep(str(found["title"]), glued=True)
            self._glued = True
            self.open.append("shortened")
            return
        if tag == "button" and found.get("class") == "copy":
            self.copied.append(str(found["value"]))
        self.rows += "data-row" in found
        self.scripts += tag == "script"
        self.fetched += [f"{tag} {name}={value}" for name, value in attrs if name == "src" or tag == "link"]
        self.ids += [str(value) for name, value in attrs if name == "id"]
        self.links += [str(value) for name, value in attrs if name == "href"]
        self.tags.append(tag)
        if tag not in _EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that closes itself, as those of pictures do."""
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Check that what was opened last is closed first."""
        assert self.open.pop().replace("shortened", "span") == tag

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        if self.open and self.open[-1] == "script":
            self.scripts -= data.strip() == _SCRIPT.strip()
        elif not self.open or self.open[-1] not in ("shortened", "style"):
            self._keep(data, glued=self._glued)
            self._glued = False

    def _keep(self, text: str, *, glued: bool) -> None:
        if glued and self.texts:
            self.texts[-1] += text
        else:
            self.texts.append(text)

    @property
    def lost_links(self) -> set[str]:
        """The links that lead neither to a place of the page nor to a document that rules cite."""
        documents = {document.address for document in catalogue.documents().values()}
        return {*self.links} - {f"#{name}" for name in self.ids} - documents

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())
