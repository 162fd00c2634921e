"""The texts of a counterexample for reports, in the notation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any, Final

from conformance.checks.check import Counterexample
from conformance.sessions.session import Exchange, Setup, Transcript
from oracle.histories.history import header_members
from oracle.histories.notation import Expected, Value, write
from oracle.judging.data_in_words import LONGEST
from oracle.mqi.constants import MQCC, MQRC
from oracle.mqi.structures import MessageDescriptor
from oracle.protocol import ObservedReply

_DIFFERENCES_SHOWN = 3

_CODES = "CompCode and Reason"


def requests(found: Counterexample) -> list[Mapping[str, Any]]:
    """Return the protocol requests; they begin with `setup` unless the queue manager has only the default queue."""
    setup = found.transcript.setup
    first = [] if setup == Setup() else [setup.request()]
    return [*first, *(exchange.request for exchange in found.transcript.exchanges)]


def calls(found: Counterexample) -> list[str]:
    """Return the calls in the notation, each with its outcome."""
    return [call(exchange, found.transcript) for exchange in found.transcript.exchanges]


def call(exchange: Exchange, transcript: Transcript) -> str:
    """Return one call in the notation, with its outcome."""
    return write(replace(exchange.line, expected=_outcome(exchange, transcript)))


def allowed(found: Counterexample) -> str:
    """Return the outcomes that the documents allow in place of the last reply."""
    return readable(" or ".join(found.departure.allowed), found.transcript)


def observed(found: Counterexample) -> str:
    """Return the target's answer, and the values in it that are not allowed besides the codes."""
    departure, transcript = found.departure, found.transcript
    text = _codes(departure.observed)
    reply = transcript.exchanges[-1].reply
    message = _message(reply, transcript)
    if message is not None:
        text += f", message {message}"
    elif reply.get("data"):
        text += f", a message of {len(reply['data']) // 2} bytes"
    if any(item.member == "MQMD.MsgId" for item in departure.differences):
        return text  # another message than the allowed one differs in nearly everything
    details = [str(item) for item in departure.differences if item.member != _CODES]
    return readable("; ".join((text, *details[:_DIFFERENCES_SHOWN])), transcript)


def way(found: Counterexample) -> str:
    """Return the way in which a departure shows, without anything that varies between runs: for known deviations."""
    departure = found.departure
    members = [re.sub(r"\d+", "*", item.member) for item in departure.differences if item.member != _CODES]
    if "MQMD.MsgId" in members:
        members = ["another message"]
    return "; ".join((_codes(departure.observed), *dict.fromkeys(members)))


def explanation(found: Counterexample) -> str:
    """Return the sentence that explains the departure."""
    return readable(found.departure.sentence, found.transcript)


def readable(text: str, transcript: Transcript) -> str:
    """Return a text with the names of the history in place of numbers of requests."""
    return transcript.bindings.readable(text)


def _outcome(exchange: Exchange, transcript: Transcript) -> Expected | None:
    reply = exchange.reply
    ended = tuple(_ended(reply, transcript))
    if "CompCode" not in reply:
        pending = reply.get("pending") is True
        return Expected(pending=pending, ended=ended) if pending or ended else None
    message = _message(reply, transcript)
    outputs: tuple[tuple[str, Value], ...] = tuple(
        (name, str(value)) for name, value in reply.get("values", {}).items()
    )
    if message is None and "data" in reply:
        outputs += tuple(_made_by_the_queue_manager(reply))
    reason = None if message is not None and not reply["Reason"] else reply["Reason"]
    return Expected(reason=reason, message=message, outputs=outputs, ended=ended)


def _ended(reply: Mapping[str, Any], transcript: Transcript) -> Iterator[tuple[str, int | str]]:
    names = {number: name for name, number in transcript.bindings.waits.items()}
    for done in reply.get("completed", ()):
        message = _message(done, transcript)
        yield names.get(done["seq"], str(done["seq"])), done["Reason"] if message is None else message


def _message(reply: Mapping[str, Any], transcript: Transcript) -> str | None:
    """Return the name of the message that was returned, or short data if no such message was put.

    It is identified by its data and its MsgId, in this order if the two disagree: the messages of a history have unique
    data by default, and a target may change identifiers. Truncated data count least.
    """
    if "data" not in reply:
        return None
    data, msg_id = bytes.fromhex(reply["data"]), bytes.fromhex(reply.get("MQMD", {}).get("MsgId", ""))
    put = transcript.bindings.messages
    whole = [name for name, members in put.items() if members["data"] == data]
    cut = [name for name, members in put.items() if data and members["data"].startswith(data)]
    same = [name for name, members in put.items() if members["MsgId"] == msg_id]
    both = [name for name in (*whole, *cut) if name in same]
    shown = reply["data"] if len(data) <= LONGEST else ""
    return next(chain(both, whole, same, cut), shown) or None


_TELLING: Final = {"MQTRIG": "MQTM.QName", "MQDEAD": "MQDLH.Reason", "MQXMIT": "MQXQH.RemoteQName"}
"""By format of a message that a queue manager makes, the member of its header that tells most."""


def _made_by_the_queue_manager(reply: Mapping[str, Any]) -> Iterator[tuple[str, Value]]:
    """Yield what tells a message apart that nobody has put: its format, and a member of its header."""
    md = reply.get("MQMD", {})
    kind = str(md.get("Format", "")).strip()
    if kind:
        yield "Format", kind
    member = _TELLING.get(kind)
    if member is not None:
        structure, _, name = member.partition(".")
        encoding = md.get("Encoding", MessageDescriptor().encoding)
        header = header_members(bytes.fromhex(reply["data"]), structure, encoding) or {}
        if name in header:
            yield member, header[name]


def _codes(seen: ObservedReply) -> str:
    if seen.pending:
        return "pending"
    return f"{MQCC.name_of(seen.comp_code)} {MQRC.describe(seen.reason)}"
