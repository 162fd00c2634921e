"""Writer of `docs/drawings/`: the layers of the three packages, and the text for them in `ARCHITECTURE.md`.

    python -m bench.drawings           # writes the drawings and the words
    python -m bench.drawings --check   # exits with 1 if one of them is out of date

The parts of a package, its subpackages and the modules beside them, stand in the order of
`tests/test_architecture.py`, from the bottom up. A layer ends before the first part that imports one of it, so no part
imports another of its layer.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

from tests.test_architecture import ORDER, ROOT, UPWARD, modules

PAGE: Final = ROOT / "ARCHITECTURE.md"
FOLDER: Final = ROOT / "docs" / "drawings"

_WIDTH: Final = 380
"""The width in pixels: a telephone shows it without scaling it down."""
_LETTER: Final = 7.9
"""The greatest width of a letter."""
_HEIGHT: Final = 26
_GAP: Final = 6
_STYLE: Final = (
    "text{font:13px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#fff;text-anchor:middle}"
    ".layer{fill:#888;fill-opacity:.2}.subpackage{fill:#2b6390}.module{fill:#5b6b7a}"
)
"""Colours that are visible on a light page and on a dark one: a picture does not know its background."""


def layers(package: str) -> list[list[str]]:
    """Return the parts of a package by layer, the lowest first."""
    found: list[list[str]] = [[]]
    for part in ORDER[package]:
        if part.startswith("__"):
            continue
        if imports(package, part) & set(found[-1]):
            found.append([])
        found[-1].append(part)
    return found


def imports(package: str, part: str) -> set[str]:
    """Return the parts that a part imports, except by files that `UPWARD` excuses."""
    folder = ROOT / package / part
    paths = folder.glob("**/*.py") if folder.is_dir() else [folder.with_suffix(".py")]
    used = [modules(path) for path in paths if str(path.relative_to(ROOT)) not in UPWARD]
    return {module.split(".")[1] for each in used for module in each if module.startswith(f"{package}.")}


def words(package: str) -> str:
    """Return the drawing in words, for readers who see or hear the page as text."""
    return f"Layers of {package}, from the bottom up: " + "; ".join(", ".join(each) for each in layers(package))


def drawing(package: str) -> str:
    """Return the drawing as SVG."""
    parts: list[str] = []
    top = 0
    for layer in reversed(layers(package)):
        lines = _lines(layer)
        height = len(lines) * (_HEIGHT + _GAP) + _GAP
        parts.append(f'<rect class="layer" y="{top}" width="{_WIDTH}" height="{height}" rx="4"/>')
        for number, line in enumerate(lines):
            parts += _boxes(package, line, top + _GAP + number * (_HEIGHT + _GAP))
        top += height + _GAP
    height = top - _GAP
    size = f'width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    return "\n".join([head, f"<title>{words(package)}</title>", f"<style>{_STYLE}</style>", *parts, "</svg>\n"])


def _box_width(part: str) -> int:
    return round(len(part) * _LETTER + 18)


def _lines(layer: list[str]) -> list[list[str]]:
    """Return a layer in as many lines as its parts need."""
    lines: list[list[str]] = [[]]
    for part in layer:
        if sum(_box_width(each) + _GAP for each in [*lines[-1], part]) + _GAP > _WIDTH:
            lines.append([])
        lines[-1].append(part)
    return lines


def _boxes(package: str, line: list[str], top: int) -> list[str]:
    left = (_WIDTH - sum(_box_width(part) + _GAP for part in line) + _GAP) / 2
    boxes = []
    for part in line:
        width = _box_width(part)
        kind = "subpackage" if (ROOT / package / part).is_dir() else "module"
        boxes.append(
            f'<rect class="{kind}" x="{left:g}" y="{top}" width="{width}" height="{_HEIGHT}" rx="3"/>'
            f'<text x="{left + width / 2:g}" y="{top + 17.5:g}">{part}</text>'
        )
        left += width + _GAP
    return boxes


def page(text: str) -> str:
    """Return the text of the page with the words of the present drawings."""
    for package in ORDER:
        address = f"docs/drawings/{package}.svg"
        text, count = re.subn(rf"!\[[^\]\n]*\]\({address}\)", f"![{words(package)}]({address})", text)
        if count != 1:
            raise SystemExit(f"{PAGE.name} has to show {address} once")
    return text


def contents() -> dict[Path, str]:
    """Return the contents of each file."""
    made = {FOLDER / f"{package}.svg": drawing(package) for package in ORDER}
    return {**made, PAGE: page(PAGE.read_text(encoding="utf-8"))}


def main() -> None:
    """Write the drawings, or say whether they are up to date."""
    if "--check" in sys.argv[1:]:
        old = [path.name for path, text in contents().items() if path.read_text(encoding="utf-8") != text]
        sys.exit(f"out of date: {', '.join(old)}" if old else 0)
    FOLDER.mkdir(exist_ok=True)
    for path, text in contents().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
