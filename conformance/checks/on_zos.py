"""Histories that were written for other platforms, as z/OS plays them.

z/OS has groups only on queues with an index (LOG-45), and another default of syncpoint (SYN-04, PUT-07).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from conformance.checks.circumstances.change import GET_UNITS, PUT_UNITS
from conformance.sessions.session import History
from oracle.histories.notation import Line
from oracle.model.requests.option_matrix import GROUPING
from oracle.mqi.constants import MQGMO, MQPMO
from oracle.values import replace

_WITH_INDEX: Final = ("local", "model")
_SYNCPOINTS: Final = {
    "put": (PUT_UNITS, MQPMO.NO_SYNCPOINT),
    "put1": (PUT_UNITS, MQPMO.NO_SYNCPOINT),
    "get": (GET_UNITS, MQGMO.NO_SYNCPOINT),
}
"""By verb, the options about syncpoint, and the one that is the default on other platforms."""


def asks_for_groups(line: Line) -> bool:
    """Return whether a line is a get with an option that z/OS has only on a queue indexed by group identifiers."""
    return line.verb == "get" and bool(line.options & GROUPING)


def is_about_groups(line: Line) -> bool:
    """Return whether a line is such a get, or a put that keeps a group's order."""
    return asks_for_groups(line) or (line.verb == "put" and bool(line.options & MQPMO.LOGICAL_ORDER))


def with_index(history: History, needs: Callable[[Line], bool] = is_about_groups) -> History:
    """Return the history with all its queues indexed by group identifiers if a line needs that.

    A queue that says which index it has keeps it.
    """
    if not any(map(needs, history.lines)):
        return history
    queues = tuple(
        {"IndexType": "GROUP_ID", **each} if each.get("type", "local") in _WITH_INDEX else each
        for each in history.setup.queues
    )
    return History(replace(history.setup, queues=queues), history.lines)


def spelled_out(line: Line) -> Line:
    """Return a line with the syncpoint option that is the default elsewhere, if it has none."""
    if line.verb not in _SYNCPOINTS:
        return line
    said, default = _SYNCPOINTS[line.verb]
    return line if line.options & said else replace(line, options=line.options | default)
