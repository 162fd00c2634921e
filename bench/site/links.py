"""Links of the site: those of the files at the top of the checkout, and rule ids that become links to their pages."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection
from typing import Final

from bench.site.rule_page import FOLDER
from oracle.rules import catalogue

_LINK: Final = re.compile(r"\[([^\]\n]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")
PAGES_OF_THE_TOP: Final = {
    "README.md": "index.md",
    "README.zh-CN.md": "index.zh-CN.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""The files at the top of the checkout that are pages of the site, and their names there."""

_NOT_TEXT: Final = re.compile(
    r"(?ms)^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)`*$"  # a block of code
    r"|^(?: {4}|\t).*?$"  # an indented one
    r"|^#.*?$"  # a heading, whose anchor would change
    r"|`[^`\n]+`"
    r"|\[[^\]\n]*\]\([^)\n]*\)"
    r"|<[^>\n]+>"
)
_RULE_ID: Final = re.compile(r"(?<![\w-])[A-Z]{3}-\d{2}(?![\w-])")


def of_the_top(text: str, paths: Collection[str]) -> str:
    """Return a file of the checkout's top with its links as a page at the site's top has them.

    `paths` are those of the site's files. A link to something outside the site, such as a folder, keeps only its words.
    """

    def linked(match: re.Match[str]) -> str:
        words, address, anchor = match[1], match[2], match[3] or ""
        path = PAGES_OF_THE_TOP.get(address, address.removeprefix("docs/"))
        return f"[{words}]({path}{anchor})" if path in paths else words

    return _LINK.sub(linked, text)


def with_rules(text: str, page: str) -> str:
    """Return the Markdown of a page with links on the rule ids in its text, except in code and in links."""
    known = {rule.id for rule in catalogue.rules()}
    folder = posixpath.dirname(page) or "."

    def linked(match: re.Match[str]) -> str:
        rule = match[0]
        return f"[{rule}]({posixpath.relpath(f'{FOLDER}/{rule}.md', folder)})" if rule in known else rule

    parts: list[str] = []
    end = 0
    for match in _NOT_TEXT.finditer(text):
        parts += [_RULE_ID.sub(linked, text[end : match.start()]), match[0]]
        end = match.end()
    return "".join((*parts, _RULE_ID.sub(linked, text[end:])))
