"""MQINQ and MQSET."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from oracle.errors import BadInputError
from oracle.model.reply import Reply
from oracle.mqi import calls
from oracle.mqi.constants import MQCC, MQOO, MQRC
from oracle.standin.answers import Answer, Failed, codes_of, verb
from oracle.standin.attributes import (
    CHARACTERS,
    EVERY,
    OF_MANAGER,
    OF_TYPE,
    Values,
    definition_values,
    manager_values,
    warn_of_unknown,
)
from oracle.standin.connections import Connection, using

_NOT_APPLICABLE: Final = -1
_DIST_LISTS: Final = 34


@verb
def inquire(hconn: int, hobj: int, selectors: Sequence[int], numbers: int, characters: int) -> Answer:
    """Carry out an MQINQ. `numbers` and `characters` are the room for values, `characters` in bytes."""
    with using(hconn) as connection:
        if any(selector not in EVERY for selector in selectors):
            warn_of_unknown(selectors)
            raise Failed(MQRC.SELECTOR_ERROR)
        reply, values = _inquire(connection, hobj, selectors)
        if reply.failed:
            return codes_of(reply)
        of_numbers = [selector for selector in selectors if selector not in CHARACTERS]
        of_texts = [selector for selector in selectors if selector in CHARACTERS]
        texts = b"".join(
            EVERY[selector].as_text(values.get(selector, "*" * EVERY[selector].length)) for selector in of_texts
        )
        code, reason = reply.comp_code, reply.reason
        if len(of_numbers) > numbers:
            code, reason = MQCC.WARNING, MQRC.INT_ATTR_COUNT_TOO_SMALL
        elif len(texts) > characters:
            code, reason = MQCC.WARNING, MQRC.CHAR_ATTRS_TOO_SHORT
        found = tuple(int(values.get(selector, _NOT_APPLICABLE)) for selector in of_numbers)
        return Answer(code, reason, numbers=found[:numbers], characters=texts[:characters])


def _inquire(connection: Connection, hobj: int, selectors: Sequence[int]) -> tuple[Reply, Values]:
    """Return the outcome of MQINQ, and the values by selector; the model itself returns those that it has."""
    manager = connection.manager
    if hobj in connection.managers:
        if not connection.managers[hobj] & MQOO.INQUIRE:
            raise Failed(MQRC.NOT_OPEN_FOR_INQUIRE)
        if not set(selectors) <= set(OF_MANAGER):
            raise Failed(MQRC.SELECTOR_ERROR)
        return Reply(), manager_values(manager.state, manager.beside.get(None, {}))
    handle = manager.state.handles.get((connection.conn, hobj))
    exists = handle is not None and not handle.queue_deleted
    kind = manager.state.definition_of(handle.path[0]).type if handle is not None and exists else "local"
    named = {OF_TYPE["local"][each].in_model: each for each in selectors if each in OF_TYPE["local"]}
    asked = tuple(name for name in named if name is not None and name[0].isupper())
    reply = manager.perform(calls.Inquire(connection.conn, hobj, asked))
    if reply.failed or handle is None:
        return reply, {}
    name = handle.path[0]
    values = definition_values(manager.state.definition_of(name), manager.beside.get(name, {}))
    for attribute, value in (reply.values or {}).items():
        selector = named[attribute]
        values[selector] = OF_TYPE["local"][selector].from_model(value)
    if reply.comp_code == MQCC.OK and not set(selectors) <= set(OF_TYPE[kind]):
        reply = replace(reply, comp_code=MQCC.WARNING, reason=MQRC.SELECTOR_NOT_FOR_TYPE)
    return reply, {selector: value for selector, value in values.items() if selector in OF_TYPE[kind]}


@verb
def set_attributes(
    hconn: int, hobj: int, selectors: Sequence[int], numbers: Sequence[int], characters: bytes
) -> Answer:
    """Carry out an MQSET."""
    with using(hconn) as connection:
        of_numbers, rest = list(numbers), characters
        values: dict[str, object] = {}
        kept: Values = {}
        for selector in selectors:
            attribute = EVERY.get(selector)
            if attribute is None or (attribute.in_model is None and selector != _DIST_LISTS):
                raise Failed(MQRC.SELECTOR_ERROR)
            if selector in CHARACTERS:
                here, rest = rest[: attribute.length], rest[attribute.length :]
                values[attribute.in_model or ""] = here.decode("latin-1").partition("\0")[0].rstrip(" ")
            elif not of_numbers:
                raise Failed(MQRC.INT_ATTR_COUNT_ERROR)
            elif attribute.in_model is None:
                kept[selector] = of_numbers.pop(0)
                if attribute.wrong(kept[selector]):
                    raise Failed(MQRC.INHIBIT_VALUE_ERROR)
            else:
                values[attribute.in_model] = attribute.to_model(of_numbers.pop(0))
        if hobj in connection.managers:
            raise Failed(MQRC.NOT_OPEN_FOR_SET)
        return _set(connection, hobj, values, kept)


def _set(connection: Connection, hobj: int, values: dict[str, object], kept: Values) -> Answer:
    manager = connection.manager
    try:
        reply = manager.perform(calls.Set(connection.conn, hobj, values))
    except BadInputError:
        raise Failed(MQRC.INHIBIT_VALUE_ERROR) from None
    if kept and not reply.failed:
        name = manager.state.handles[(connection.conn, hobj)].path[0]
        manager.beside[name] = {**manager.beside.get(name, {}), **kept}
    return codes_of(reply)
