"""What reports say of a counterexample, in the words of the notation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from conformance.checks import Counterexample
from conformance.session import Exchange, Session, Setup
from oracle.constants import MQCC, MQRC, NULL_ID
from oracle.notation import Expected, write
from oracle.protocol import ObservedReply

_DIFFERENCES_SHOWN = 3


def requests(found: Counterexample) -> list[Mapping[str, Any]]:
    """Return the protocol requests; they begin with `setup` unless the queue manager has just the default queue."""
    setup = found.session.setup
    first = [] if setup == Setup() else [setup.request()]
    return [*first, *(exchange.request for exchange in found.session.exchanges)]


def calls(found: Counterexample) -> list[str]:
    """Return the calls in the notation, each with what came back."""
    return [call(exchange, found.session) for exchange in found.session.exchanges]


def call(exchange: Exchange, session: Session) -> str:
    """Return one call in the notation, with what came back."""
    return write(replace(exchange.line, expected=_outcome(exchange, session)))


def allowed(found: Counterexample) -> str:
    """Return what the documents allow in place of the last reply."""
    return readable(" or ".join(found.departure.allowed), found.session)


def observed(found: Counterexample) -> str:
    """Return what the target answered, and what of it is not allowed beside the codes."""
    departure, session = found.departure, found.session
    text = _codes(departure.observed)
    message = _message(session.exchanges[-1].reply, session)
    if message is not None:
        text += f", message {message}"
    if any(item.member == "MQMD.MsgId" for item in departure.differences):
        return text  # another message than the documents allow differs in nearly everything
    details = [str(item) for item in departure.differences if item.member != "CompCode and Reason"]
    return readable("; ".join((text, *details[:_DIFFERENCES_SHOWN])), session)


def explanation(found: Counterexample) -> str:
    """Return the sentence that says why this is not allowed."""
    return readable(found.departure.sentence, found.session)


def readable(text: str, session: Session) -> str:
    """Return a text with the names of the history in place of generated identifiers and numbers of requests."""
    for name, members in session.bindings.messages.items():
        if members["MsgId"] != NULL_ID:
            text = text.replace(f"message ...{members['MsgId'].hex()[-12:]}", f"message {name}")
    for name, number in session.bindings.waits.items():
        text = re.sub(rf"(waiting calls? |, ){number}\b", rf"\g<1>{name}", text)
    return text


def _outcome(exchange: Exchange, session: Session) -> Expected | None:
    reply = exchange.reply
    ended = tuple(_ended(reply, session))
    if "CompCode" not in reply:
        pending = reply.get("pending") is True
        return Expected(pending=pending, ended=ended) if pending or ended else None
    message = _message(reply, session)
    outputs = tuple((name, str(value)) for name, value in reply.get("values", {}).items())
    reason = None if message is not None and not reply["Reason"] else reply["Reason"]
    return Expected(reason=reason, message=message, outputs=outputs, ended=ended)


def _ended(reply: Mapping[str, Any], session: Session) -> Iterator[tuple[str, int | str]]:
    names = {number: name for name, number in session.bindings.waits.items()}
    for done in reply.get("completed", ()):
        message = _message(done, session)
        yield names.get(done["seq"], str(done["seq"])), done["Reason"] if message is None else message


def _message(reply: Mapping[str, Any], session: Session) -> str | None:
    """Return the name of the message that was returned, by its data; or the data, if no such message was put."""
    if "data" not in reply:
        return None
    data = bytes.fromhex(reply["data"])
    for name, members in session.bindings.messages.items():
        if data and members["data"].startswith(data):
            return name
    return reply["data"] or None


def _codes(seen: ObservedReply) -> str:
    if seen.pending:
        return "pending"
    return f"{MQCC.name_of(seen.comp_code)} {MQRC.describe(seen.reason)}"
