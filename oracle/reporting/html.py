"""HTML pages that need nothing beside them: each package's templates, and the shared ones they build on.

Whatever is shown is escaped, and a name that a template misspells is an error.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined


def render(package: str, template: str, **values: Any) -> str:
    """Return the page that a template makes of values; it lies in `templates` of the package."""
    return _environment(package).get_template(template).render(**values)


@cache
def _environment(package: str) -> Environment:
    return Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("oracle.reporting")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
