"""A page as a browser would see it."""

from __future__ import annotations

from html.parser import HTMLParser

from oracle.rules import catalogue

_EMPTY = ("meta", "br")


class Page(HTMLParser):
    """What a browser would make of a page: its texts, and whatever it would fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.texts: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self.scripts = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what would be fetched, and what has to be closed."""
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
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        self.texts.append(data)

    @property
    def lost_links(self) -> set[str]:
        """The links that lead neither to a place of the page nor to a document that rules cite."""
        documents = {document.address for document in catalogue.documents().values()}
        return {*self.links} - {f"#{name}" for name in self.ids} - documents

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())
