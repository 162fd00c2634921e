"""Attributes of queues and of the queue manager by their selectors, as MQINQ, MQSET and PCF messages name them.

The tables are in `attribute_tables`. The model has the attributes that its rules mention. The others are kept: a
program that sets a backout threshold on its queue finds the value there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from oracle.errors import BadInputError
from oracle.model.state import Queue, State
from oracle.mqi.constants import MQOO
from oracle.mqi.definitions import QueueDefinition
from oracle.standin.attribute_tables import CUSTOM, MANAGER, QUEUES, Attribute
from oracle.standin.warning import warn

CHARACTERS: Final = range(2001, 4001)
"""The selectors of attributes that are characters (MQCA_FIRST to MQCA_LAST)."""

DEFINED_SELECTORS: Final = frozenset({*range(1, 280), *range(2001, 2139)})
"""The selectors that IBM's headers define (MQIA_FIRST to MQIA_LAST_USED, and MQCA)."""

OF_TYPE: Final[Mapping[str, Mapping[int, Attribute]]] = {
    kind: {each.selector: each for each in table} for kind, table in QUEUES.items()
}
"""The attributes of each type of queue, by selector."""

OF_MANAGER: Final[Mapping[int, Attribute]] = {each.selector: each for each in MANAGER}
"""The attributes of the queue manager, by selector."""

EVERY: Final = {selector: each for table in (OF_MANAGER, *OF_TYPE.values()) for selector, each in table.items()}
"""Every selector that is known for any object."""

_CAP: Final = re.compile(r"\bCAPEXPRY\(\s*(\d+)\s*\)", re.IGNORECASE)

Values = dict[int, int | str]


def by_name(tables: Iterable[Mapping[int, Attribute]]) -> dict[str, Attribute]:
    """Return the attributes of some objects by their names in the documentation of MQINQ."""
    return {each.name: each for table in tables for each in table.values()}


def warn_of_unknown(selectors: Iterable[int]) -> None:
    """Warn of selectors that IBM MQ has and the stand-in lacks."""
    for selector in selectors:
        if selector in DEFINED_SELECTORS and selector not in EVERY:
            warn(f"the stand-in does not know the attribute {selector} of IBM MQ, which is refused or left out")


def warn_of_kept(owner: str, table: Mapping[int, Attribute], values: Mapping[int, int | str]) -> None:
    """Warn of kept attributes that would have an effect on a queue manager with these values."""
    for selector, value in values.items():
        each = table[selector]
        rest = _CAP.sub("", str(value)).strip() if selector == CUSTOM else value
        if each.would and rest != each.default:
            warn(f"{each.name} of {owner} is kept and has no effect on the stand-in: {each.would}")


def cap_in_custom(beside: Mapping[int, int | str]) -> dict[str, int]:
    """Return the cap on expiry in Custom, as queue managers read it that have no attribute for it."""
    found = _CAP.search(str(beside.get(CUSTOM, "")))
    return {} if found is None else {"CAPEXPRY": int(found[1])}


def definition_values(definition: QueueDefinition, beside: Mapping[int, int | str]) -> Values:
    """Return the attributes of a queue except the counts. `beside` are those kept ones that have been set."""
    model = {"QName": definition.name, **definition.attributes()}
    return _values(OF_TYPE[definition.type], model, beside)


def queue_counts(state: State, queue: Queue) -> Values:
    """Return the counts of a queue: CurrentQDepth, OpenInputCount and OpenOutputCount."""
    handles = list(state.handles_of(queue.name))
    return {
        3: state.depth(queue),
        17: sum(1 for handle in handles if handle.open_for_input),
        18: sum(1 for handle in handles if handle.options & MQOO.OUTPUT),
    }


def manager_values(state: State, beside: Mapping[int, int | str]) -> Values:
    """Return the attributes of the queue manager."""
    model = {**state.definition.attributes(), "platform": state.profile.platform}
    return _values(OF_MANAGER, model, beside)


def _values(table: Mapping[int, Attribute], model: Mapping[str, Any], beside: Mapping[int, int | str]) -> Values:
    values: Values = {}
    for selector, each in table.items():
        if each.in_model is None:
            values[selector] = beside.get(selector, each.default)
        elif each.in_model in model:
            value = model[each.in_model]
            values[selector] = "" if value is None else each.from_model(value)
    return values


def split(table: Mapping[int, Attribute], values: Mapping[int, int | str]) -> tuple[dict[str, Any], Values]:
    """Split attributes that are to be changed into those of the model, by name, and the kept ones.

    Raises BadInputError for an attribute that is not in the table or cannot be changed.
    """
    model: dict[str, Any] = {}
    beside: Values = {}
    for selector, value in values.items():
        if selector not in table or table[selector].fixed:
            raise BadInputError(f"there is no attribute {selector} of this object that can be changed")
        each = table[selector]
        if each.in_model is None:
            beside[selector] = value
        else:
            model[each.in_model] = each.to_model(value)
    return {**cap_in_custom(beside), **model}, beside
