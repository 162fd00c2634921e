"""Examples in docstrings as blocks of code: an extension of griffe, with which mkdocstrings reads the modules."""

from __future__ import annotations

import re
from typing import Any

try:
    from griffe import Extension
except ImportError:  # installed only where the site is built
    Extension = object

_EXAMPLE = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


def fenced(docstring: str) -> str:
    """Return a docstring whose examples are blocks of code, which Markdown would take for quotations."""
    return _EXAMPLE.sub(lambda example: f"```pycon\n{example[0]}\n```", docstring)


class Doctests(Extension):  # type: ignore[misc]  # has types only where it is installed
    """A griffe extension that turns the examples of every docstring into blocks of code."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Change the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
