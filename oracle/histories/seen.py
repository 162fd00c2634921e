"""The outcome in the `->` part of a line, as a reply that a follower can judge.

A history in the notation need not spell out every output: what a line states counts as observed, and everything else
comes from the nearest allowed outcome.

>>> from oracle.mqi.calls import Commit
>>> from oracle.model.queue_manager import new_state, outcomes
>>> from oracle.histories.notation import parse
>>> (line,) = parse("cmit -> OK")
>>> failed = next(outcomes(new_state([]), Commit("A")))
>>> str(failed.reply)
'FAILED 2018 HCONN_ERROR'
>>> observed(line, failed, Bindings())
ObservedReply(comp_code=0, reason=0, pending=False, members={}, completed={})
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, cast

from oracle.errors import UsageError
from oracle.histories.history import LAYOUTS, Bindings, disagreement, header_members, observed_of
from oracle.histories.notation import DEFAULT_BUFFER, HEADERS, PENDING, Expected, Line, Value, structure_of
from oracle.model.step import Outcome
from oracle.mqi.constants import MQCC, MQEC, MQPER, MQPRI, MQRC
from oracle.mqi.layouts import byte_order
from oracle.mqi.structures import GetMessageOptions, MessageDescriptor
from oracle.protocol import ObservedReply
from oracle.protocol.members import bytes_of

_MQMD: Final = frozenset(MessageDescriptor.c_names().values())
_AS_Q_DEF: Final = {"MQMD.Priority": MQPRI.PRIORITY_AS_Q_DEF, "MQMD.Persistence": MQPER.PERSISTENCE_AS_Q_DEF}
_MQGMO: Final = frozenset(GetMessageOptions.c_names().values()) - {"Version"}


def nearest(line: Line, allowed: Sequence[Outcome], bindings: Bindings) -> Outcome:
    """Return the first allowed outcome that agrees with a line, or else the nearest one.

    Raises UsageError if the line refers to a message that was not put.
    """
    return min(allowed, key=lambda outcome: _distance(line, _reply_of(outcome), bindings))


def observed(line: Line, outcome: Outcome, bindings: Bindings) -> ObservedReply:
    """Return the reply that a line states, completed from the outcome.

    A line with a message or an output says that the call succeeded. A line with only a reason says that it failed,
    unless the outcome gives the same reason. Waiting calls that it does not name are as in the outcome; only named
    signals are observed. Raises UsageError if the line refers to a message or a waiting call that there is not.
    """
    base = _reply_of(outcome)
    expected = line.expected
    if expected is None:
        return replace(base, posted=None)
    bindings = _with_put(line, base, bindings)
    completed = dict(base.completed)
    posted = None if bindings.signals.keys().isdisjoint(name for name, _ in expected.ended) else dict(base.posted or {})
    for name, end in expected.ended:
        if name in bindings.signals and posted is not None:
            posted.pop(bindings.signals[name], None)
            if end != PENDING:
                posted[bindings.signals[name]] = _event_code(end)
            continue
        identity = _waiting(name, bindings)
        seen = completed.pop(identity, None)
        if end != PENDING:
            said = Expected(reason=end) if isinstance(end, int) else Expected(message=end)
            completed[identity] = _seen(line, said, seen or ObservedReply(), bindings)
    return replace(_seen(line, expected, base, bindings), completed=completed, posted=posted)


def _reply_of(outcome: Outcome) -> ObservedReply:
    reply = observed_of(outcome.reply, {done.identity: done.reply for done in outcome.completed})
    return replace(reply, posted={each.identity: each.code for each in outcome.posted})


def _event_code(name: int | str) -> int:
    """Return the code of MQEC that a signal is delivered with.

    Raises UsageError if there is no such name.
    """
    code = MQEC.members().get(str(name))
    if not isinstance(code, int):
        raise UsageError(f"{name!r} is no name of MQEC, such as MSG_ARRIVED")
    return code


def _with_put(line: Line, reply: ObservedReply, bindings: Bindings) -> Bindings:
    """Return the bindings with the message that the line itself puts, which a waiting call may be given."""
    if line.message is None:
        return bindings
    extended = replace(bindings, messages=dict(bindings.messages))
    extended.bind(line, bindings.call(line, 0), reply)
    return extended


def _distance(line: Line, reply: ObservedReply, bindings: Bindings) -> int:
    """Return 0 for a reply that agrees, and more the further it is from what the line says."""
    bindings = _with_put(line, reply, bindings)
    if disagreement(line, reply, bindings) is None:
        return 0
    expected = line.expected or Expected()
    ends_otherwise = expected.pending != reply.pending or expected.reason not in (None, reply.reason)
    without_message = expected.message is not None and "data" not in reply.members
    return 1 + ends_otherwise + without_message


def _waiting(name: str, bindings: Bindings) -> int:
    try:
        return bindings.waits[name]
    except KeyError:
        raise UsageError(f"no call {name!r} waits in this history") from None


def _seen(line: Line, said: Expected, base: ObservedReply, bindings: Bindings) -> ObservedReply:
    """Return the end of one call: what the line states, and everything else from the base."""
    if said.pending:
        return ObservedReply(pending=True)
    reply = base
    if said.message is not None and _differs(line, Expected(message=said.message), base, bindings):
        reply = ObservedReply(members=_message(line, said.message, bindings, base))
    elif said.outputs and said.reason is None and (base.pending or base.comp_code == MQCC.FAILED):
        reply = ObservedReply()
    if said.reason is not None and (reply.pending or said.reason != reply.reason):
        reply = _with_reason(reply, said.reason, warning=said.message is not None)
    members = dict(reply.members)
    for name, value in said.outputs:
        _set_output(members, line, name, bindings.value(name, value))
    return replace(reply, members=members)


def _differs(line: Line, said: Expected, reply: ObservedReply, bindings: Bindings) -> bool:
    return disagreement(replace(line, expected=said), reply, bindings) is not None


def _with_reason(reply: ObservedReply, reason: int, *, warning: bool) -> ObservedReply:
    if reason == MQRC.NONE:
        return replace(reply, comp_code=MQCC.OK, reason=int(MQRC.NONE), pending=False)
    return replace(reply, comp_code=MQCC.WARNING, reason=reason) if warning else ObservedReply(MQCC.FAILED, reason)


def _message(line: Line, name: str, bindings: Bindings, base: ObservedReply) -> dict[str, Any]:
    """Return the outputs of an MQGET that returned a message of the history as it was put.

    The put of a message with the queue's default does not show the value; it is taken from the base.
    """
    try:
        put = bindings.messages[name]
    except KeyError:
        raise UsageError(f"no message {name!r} was put in this history") from None
    length = dict(line.members).get("BufferLength", DEFAULT_BUFFER)
    data = put["data"][:length] if isinstance(length, int) else put["data"]
    descriptor = {f"MQMD.{member}": value for member, value in put.items() if member in _MQMD}
    for member, as_q_def in _AS_Q_DEF.items():
        if descriptor[member] == as_q_def:
            descriptor[member] = base.members.get(member, 0)
    return {**descriptor, "data": data, "DataLength": len(put["data"])}


def _set_output(members: dict[str, Any], line: Line, name: str, value: Value) -> None:
    """Set an output that a line names: an attribute of MQINQ, or a member by its C name."""
    c_name = name.rpartition(".")[2]
    if line.verb == "inq":
        members["values"] = {**members.get("values", {}), c_name: value}
        return
    if structure_of(name) in HEADERS:
        _set_in_data(members, name, value)
        return
    of_gmo = name.startswith("MQGMO.") or c_name in _MQGMO - _MQMD
    if of_gmo or c_name in _MQMD:
        structure, initial = ("MQGMO", GetMessageOptions()) if of_gmo else ("MQMD", MessageDescriptor())
        kept = next(getattr(initial, own) for own, known in initial.c_names().items() if known == c_name)
        members[f"{structure}.{c_name}"] = bytes_of(value, c_name, len(kept)) if isinstance(kept, bytes) else value
    else:
        members[c_name] = bytes_of(value, c_name) if c_name == "data" else value


def _set_in_data(members: dict[str, Any], name: str, value: Value) -> None:
    """Set a member of the structure at the beginning of the data; data that begin with another become this one."""
    structure, _, c_name = name.partition(".")
    data, encoding = members.get("data", b""), members.get("MQMD.Encoding", MessageDescriptor().encoding)
    known = header_members(data, structure, encoding)
    layout, order = LAYOUTS[structure], byte_order(encoding)
    header = layout.encode({**(known or {}), c_name: cast("int | str", value)}, order)
    behind = b"" if known is None else data[len(header) :]
    members.update(data=header + behind, DataLength=len(header) + len(behind))
