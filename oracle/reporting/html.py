"""Self-contained HTML pages: each package's templates, and the shared ones they build on.

All values are escaped, and a name that a template misspells is an error. The filter `short` shortens identifiers
(`identifiers.py`). The one script of a page filters its rows and copies identifiers; without it the page is whole.
"""

from __future__ import annotations

from datetime import datetime, timezone
from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from oracle.reporting.identifiers import with_short_identifiers


def render(package: str, template: str, **values: Any) -> str:
    """Return the page that a template of the package's `templates` makes from values."""
    return _environment(package).get_template(template).render(**values)


@cache
def _environment(package: str) -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("oracle.reporting")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    environment.filters["short"] = with_short_identifiers
    return environment


def today() -> str:
    """Return the day and the minute for a page's title, in UTC."""
    return f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC"
