"""Attributes that tests give by name: the names in MQINQ's documentation, and those of the target protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from oracle.errors import BadInputError
from oracle.mqi.definitions import QueueManagerDefinition
from oracle.standin.attribute_tables import QUEUE_TYPES, Attribute
from oracle.standin.attributes import OF_MANAGER, OF_TYPE, Values, by_name, cap_in_custom, warn_of_kept
from oracle.text.similar_names import do_you_mean

_OWN: Final = {"QName": "name", "QType": "type"}
"""The identifying attributes of a queue, by their names in MQINQ's documentation."""

_MANAGER_ONLY: Final = frozenset(field.alias or name for name, field in QueueManagerDefinition.model_fields.items())

Parted = tuple[dict[str, Any], Values]
"""The attributes of the model by its names, and the others by their selectors."""


def kind_of(attributes: Mapping[str, Any]) -> str:
    """Return the type of queue that attributes define, local if they do not say.

    Raises BadInputError for an unknown type.
    """
    given = attributes.get("type", attributes.get("QType", "local"))
    for word, number in QUEUE_TYPES.items():
        if given in (word, number) and not isinstance(given, bool):
            return word
    raise BadInputError(f"the type of a queue must be one of {', '.join(QUEUE_TYPES)}, not {given!r}")


def of_queue(name: str, kind: str, attributes: Mapping[str, Any]) -> Parted:
    """Split the attributes of a queue of a type, and warn of those that have no effect.

    Raises BadInputError, with similar names, for an attribute that such a queue does not have.
    """
    table = OF_TYPE[kind]
    known = by_name([table])
    given = {_OWN.get(each, each): value for each, value in attributes.items()}
    owner = "queue" if kind == "local" else f"{kind} queue"
    own: dict[str, Any] = {each: given.pop(each) for each in _OWN.values() if each in given}
    if "type" in own:
        own["type"] = kind
    model, beside = _parted(owner, known, given)
    warn_of_kept(name, table, beside)
    return {**own, **model}, beside


def of_manager(name: str, attributes: Mapping[str, Any]) -> Parted:
    """Split the attributes of the queue manager, and warn of those that have no effect.

    Raises BadInputError, with similar names, for an attribute that it does not have.
    """
    known = by_name([OF_MANAGER])
    own = {each: value for each, value in attributes.items() if each in _MANAGER_ONLY}
    rest = {each: value for each, value in attributes.items() if each not in own}
    model, beside = _parted("queue manager", known, rest)
    warn_of_kept(name, OF_MANAGER, beside)
    return {**own, **model}, beside


def _parted(owner: str, known: Mapping[str, Attribute], given: Mapping[str, Any]) -> Parted:
    by_model = {each.in_model: each for each in known.values() if each.in_model is not None}
    model: dict[str, Any] = {}
    beside: Values = {}
    for name, value in given.items():
        each = known.get(name) or by_model.get(name)
        if each is None or each.fixed:
            _refuse(owner, name, {other for other, row in {**by_model, **known}.items() if not row.fixed})
        elif each.in_model is None:
            beside[each.selector] = _kept(each, value)
        else:
            number = isinstance(value, int) and not isinstance(value, bool)
            model[each.in_model] = each.to_model(value) if number else value
    return {**cap_in_custom(beside), **model}, beside


def _kept(attribute: Attribute, value: Any) -> int | str:
    """Return the value of an attribute that is kept.

    Raises BadInputError for an invalid value.
    """
    wrong = attribute.wrong(value)
    if wrong:
        raise BadInputError(wrong)
    found: int | str = value
    return found


def _refuse(owner: str, name: str, known: set[str]) -> NoReturn:
    hint = do_you_mean(name, sorted(known)) or f"there are {', '.join(sorted(known))}"
    article = "an" if owner.startswith("alias") else "a"
    raise BadInputError(f"{article} {owner} has no attribute {name!r}; {hint}")
