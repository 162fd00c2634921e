"""The reference of the public modules: pages that mkdocstrings fills from the docstrings; nothing is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import spark_checks.readers

FOLDER: Final = "reference"

_MODULES: Final = ("oracle", "oracle.testing")


def pages() -> Iterator[tuple[str, str]]:
    """Yield the path of each page in the site and its Markdown."""
    readers = list(_readers())
    lines = ["# API reference", "", "The public modules.", ""]
    lines += [f"- [`{name}`]({name}.md)" for name in _MODULES]
    lines += ["", "The readers of the audit, one a format or a step of reading:", ""]
    lines += [f"- [`{name}`]({name}.md): {about}" for name, about in readers]
    yield f"{FOLDER}/index.md", "\n".join(lines) + "\n"
    for name in (*_MODULES, *(name for name, _ in readers)):
        yield f"{FOLDER}/{name}.md", f"# `{name}`\n\n::: {name}\n"


def _readers() -> Iterator[tuple[str, str]]:
    """Yield each reader's full name and the first sentence of its docstring."""
    folder = Path(spark_checks.readers.__file__).parent
    for path in sorted(folder.glob("*.py")):
        about = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        name = spark_checks.readers.__name__ + ("" if path.stem == "__init__" else f".{path.stem}")
        yield name, " ".join(about.partition("\n\n")[0].split())
