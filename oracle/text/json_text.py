"""JSON written by people: a repeated member is a mistake, because the second would win silently."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from oracle.errors import BadInputError, Place

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def is_unicode(text: str) -> bool:
    """Return whether a text has no half of a surrogate pair, which JSON can escape alone."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class _TwiceError(Exception):
    """An object has two members with one name."""


def parse_json(text: str, place: Place, wrong: str = "not JSON") -> Any:
    """Return the value of a JSON text.

    Raises BadInputError, which says `wrong` if it is not JSON, with the line if `place` has none.
    """
    try:
        value = json.loads(text, object_pairs_hook=_members)
        if _ESCAPED_SURROGATE.search(text) and not is_unicode(json.dumps(value, ensure_ascii=False)):
            raise BadInputError(f"{wrong}: half of a character (a surrogate without the other)", place)
        return value  # noqa: TRY300 - what the text is
    except _TwiceError as error:
        raise BadInputError(f"{error} is given twice in one object", place) from error
    except json.JSONDecodeError as error:
        if place.line is None:
            raise BadInputError(f"{wrong}: {error.msg}", Place(place.source, error.lineno)) from error
        raise BadInputError(wrong, place) from error
    except (ValueError, RecursionError) as error:
        raise BadInputError(wrong, place) from error


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _TwiceError(next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1))
    return members
