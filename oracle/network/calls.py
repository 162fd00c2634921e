"""MQI calls that come over a channel: parameters are read, the stand-in carries out the call, a reply is written.

A call that the model lacks is answered with MQRC_FUNCTION_NOT_SUPPORTED (2298). An unreadable one raises BadInputError.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Final

from oracle.errors import NotModelledError
from oracle.model.reply import Reply
from oracle.mqi.binary import Layout
from oracle.mqi.connection_layouts import MQSTS
from oracle.mqi.constants import INPUT_OPTIONS, MQCC, MQOO, MQPER, MQRC
from oracle.mqi.constants import MQPMO as PMO
from oracle.mqi.layouts import MQGMO, MQMD, MQOD, MQPMO
from oracle.network import asynchronous
from oracle.network.conversation import Conversation, Wait
from oracle.network.forms import to_wire
from oracle.network.parameters import Parameters
from oracle.standin import attribute_verbs, connections, verbs
from oracle.standin.answers import Answer, Failed
from oracle.standin.memory import member, text, written
from oracle.standin.options import VERBS_REFUSED
from oracle.standin.warning import warn_of_refusal
from oracle.wire import replies
from oracle.wire.flows import Flow
from oracle.wire.headers import Kind
from oracle.wire.replies import OpenDefaults

Reader = Callable[[Conversation, Flow], bytes]

LOG: Final = logging.getLogger("oracle.network")

_SHARED: Final = connections.SHARE_BLOCK
_SPI_OPEN: Final = 12
_SPI_QUERY: Final = 1
_SPI_RESERVE: Final = 6
_LACKING: Final[Mapping[int, str]] = {
    0x8E: "MQSUB", 0x8F: "MQSUBRQ", 0xA1: "xa_start", 0xA2: "xa_end",
    0xA3: "xa_open (a transaction manager)", 0xA4: "xa_close", 0xA5: "xa_prepare", 0xA6: "xa_commit",
    0xA7: "xa_rollback", 0xA8: "xa_forget", 0xA9: "xa_recover", 0xAA: "xa_complete",
}  # fmt: skip  # pairs
"""The calls that the model lacks, by the types of their flows."""

_SPI_LACKING: Final[Mapping[int, str]] = {
    2: "a put, as with a delivery delay",
    3: "a get",
    7: "MQSUB (a subscription to a topic)",
}
"""The verbs of the service interface that the model, or this server, lacks."""


def carry_out(conversation: Conversation, flow: Flow) -> bytes | None:
    """Return the body of the reply to a call that does not wait; None for a put without a reply.

    Raises BadInputError for a call whose parameters cannot be read.
    """
    if flow.kind in (Kind.MQPUT, Kind.MQPUT1):
        return _put_or_put1(conversation, flow)
    try:
        return _CALLS.get(flow.kind, _unknown)(conversation, flow)
    except Failed as failed:
        return refused(conversation, flow, failed.reason)


def refused(conversation: Conversation, flow: Flow, reason: int) -> bytes:
    """Return the body of a reply with only the reason of a failure; the parameters are returned as they came."""
    rest = flow.body[replies.API_HEADER :]
    return replies.api(conversation.form, MQCC.FAILED, reason, flow.long(12), rest)


def _unknown(conversation: Conversation, flow: Flow) -> bytes:
    lacking = _LACKING.get(flow.kind, f"flows of type 0x{flow.kind:02x}")
    instead = f": {VERBS_REFUSED[lacking]}" if lacking in VERBS_REFUSED else ""
    warn_of_refusal(f"{lacking} on a client channel{instead}")
    return refused(conversation, flow, MQRC.FUNCTION_NOT_SUPPORTED)


def _codes(conversation: Conversation, flow: Flow, answer: Answer, rest: bytes = b"", hobj: int | None = None) -> bytes:
    number = flow.long(12) if hobj is None else hobj
    return replies.api(conversation.form, answer.comp_code, answer.reason, number, rest)


def _connect(conversation: Conversation, flow: Flow) -> bytes:
    """Carry out an MQCONN: the client has stated before who it is."""
    name, program = flow.text(16, 48), flow.text(64, 28)
    kind, capabilities = flow.long(92), flow.long(144)
    # A user without a password is only stated; it does not sign on.
    credentials = None if conversation.password is None else (conversation.user, conversation.password)
    remote = connections.Remote(conversation.manager, conversation.user, kind)
    identifier = tag = b""
    answer = Answer()
    try:
        if conversation.connection is None:
            conversation.connection, _ = connections.connect(
                name, _SHARED, credentials, channel=conversation.channel, program=program, remote=remote
            )
        else:
            answer = Answer(MQCC.WARNING, MQRC.ALREADY_CONNECTED)
    except Failed as failed:
        answer = Answer(failed.comp_code, failed.reason)
    if conversation.connection is not None:
        unique = conversation.connection.hconn.to_bytes(8, "big")
        identifier = b"AMQC" + conversation.manager.name.ljust(12)[:12].encode("latin-1", "replace") + unique
        conversation.identifier = identifier
        given = flow.body[148:276]
        made = f"MQCT{unique.hex().upper()}{conversation.manager.name}{program}".encode("latin-1", "replace")
        tag = given if any(given) else made
    rest = replies.connected(flow, conversation.form, capabilities | 1, identifier, tag)
    return _codes(conversation, flow, answer, rest, hobj=0)


def _disconnect(conversation: Conversation, flow: Flow) -> bytes:
    backed_out = _backed_out(conversation)
    answer = verbs.disconnect(conversation.hconn)
    if answer.comp_code != MQCC.FAILED:
        conversation.disconnected()
    return _codes(conversation, flow, backed_out or answer)


def _wire(conversation: Conversation, layout: Layout, changed: bytes | None, given: bytes) -> bytes:
    """Return a structure to send: as a verb has changed it, or as it was received."""
    return to_wire(layout, given if changed is None else changed, conversation.form)


def _carry_out_open(conversation: Conversation, od: bytes, options: int) -> tuple[Answer, int, bytes]:
    """Open an object; return the answer, the client's number of the handle, and the MQOD to send back."""
    if member(MQOD, od, "SelectionString.VSLength") > 0:
        warn_of_refusal("selection strings")
        return Answer(MQCC.FAILED, MQRC.FUNCTION_NOT_SUPPORTED), -1, to_wire(MQOD, od, conversation.form)
    answer = verbs.open_object(conversation.hconn, od, options)
    if answer.comp_code == MQCC.FAILED:
        return answer, -1, to_wire(MQOD, od, conversation.form)
    changed = written(MQOD, answer.od or od, {"KnownDestCount": 1})
    if text(MQOD, changed, "ObjectName") != text(MQOD, od, "ObjectName"):
        changed = written(MQOD, changed, {"ObjectQMgrName": conversation.manager.name})
    return answer, conversation.opened(answer.hobj), to_wire(MQOD, changed, conversation.form)


def _open(conversation: Conversation, flow: Flow) -> bytes:
    given = Parameters(flow, conversation.form)
    od, options = given.structure(MQOD), given.long()
    answer, number, sent = _carry_out_open(conversation, od, options)
    rest = replies.opened(sent, conversation.form, options, extended=given.has("FOPA"))
    return _codes(conversation, flow, answer, rest, hobj=number)


def _close(conversation: Conversation, flow: Flow) -> bytes:
    number, options = flow.long(12), Parameters(flow, conversation.form).long()
    kept = number in conversation.consumers
    answer = verbs.close(conversation.hconn, conversation.handle(number), options)
    if answer.comp_code == MQCC.FAILED:
        return _codes(conversation, flow, answer)
    conversation.closed(number)
    return _codes(conversation, flow, answer, hobj=number if kept else -1)


def _put_or_put1(conversation: Conversation, flow: Flow) -> bytes | None:
    """Carry out a put. One with MQPMO_ASYNC_RESPONSE has no reply, because the client continues without one."""
    given = Parameters(flow, conversation.form)
    od = given.structure(MQOD) if flow.kind == Kind.MQPUT1 else None
    md = given.structure(MQMD)
    pmo = _with_handle(conversation, given.structure(MQPMO))
    options = member(MQPMO, pmo, "Options")
    without_reply = options & PMO.ASYNC_RESPONSE
    if without_reply:
        pmo = written(MQPMO, pmo, {"Options": options & ~PMO.ASYNC_RESPONSE})
    length = given.long()
    data = given.data(length)
    try:
        if od is None:
            answer = verbs.put(conversation.hconn, conversation.handle(flow.long(12)), md, pmo, data)
        else:
            answer = verbs.put1(conversation.hconn, od, md, pmo, data)
    except Failed as failed:
        answer = Answer(failed.comp_code, failed.reason)
    if without_reply:
        queue = _queue_of(conversation, flow) if od is None else text(MQOD, od, "ObjectName")
        dooms = bool(options & PMO.SYNCPOINT) and _persistent(conversation, md, queue)
        conversation.puts.note(answer, queue, dooms=dooms)
        if answer.comp_code == MQCC.FAILED:
            note = "an asynchronous put to %s has failed with %s; MQSTAT reports it to its client"
            LOG.warning(note, queue, answer.reason)
        return None
    rest = b"" if od is None else _wire(conversation, MQOD, answer.od, od)
    return _codes(conversation, flow, answer, rest + _put_rest(conversation, answer, md, pmo, length))


def _queue_of(conversation: Conversation, flow: Flow) -> str:
    """Return the queue of the handle that a flow names; nothing if it names none."""
    conn = "" if conversation.connection is None else conversation.connection.conn
    handle = conversation.manager.state.handles.get((conn, conversation.handle(flow.long(12))))
    return "" if handle is None else handle.queue


def _persistent(conversation: Conversation, md: bytes, queue: str) -> bool:
    """Return whether a message is persistent, by itself or by the queue to which it is put."""
    persistence = member(MQMD, md, "Persistence")
    state = conversation.manager.state
    if persistence == MQPER.PERSISTENCE_AS_Q_DEF and queue in state.queues:
        persistence = state.definition_of(queue).def_persistence
    return persistence == MQPER.PERSISTENT


def _status(conversation: Conversation, flow: Flow) -> bytes:
    """Carry out an MQSTAT: report the outcomes of asynchronous puts, once."""
    given = Parameters(flow, conversation.form)
    kind, sts = given.long(), given.structure(MQSTS)
    connections.find(conversation.hconn)
    try:
        asynchronous.check_kind(kind)
    except NotModelledError as error:
        warn_of_refusal(str(error))
        return refused(conversation, flow, MQRC.FUNCTION_NOT_SUPPORTED)
    status = conversation.puts.report(sts, conversation.manager.name)
    conversation.puts = conversation.puts.after_report()
    return _codes(
        conversation, flow, Answer(), conversation.form.longs(kind) + to_wire(MQSTS, status, conversation.form)
    )


def _with_handle(conversation: Conversation, pmo: bytes) -> bytes:
    """Return the options of a put with the handle whose context it passes, as it is known here."""
    source = member(MQPMO, pmo, "Context")
    return written(MQPMO, pmo, {"Context": conversation.handle(source)}) if source else pmo


def _put_rest(conversation: Conversation, answer: Answer, md: bytes, pmo: bytes, length: int) -> bytes:
    if answer.pmo is not None:
        pmo = written(MQPMO, answer.pmo, {"KnownDestCount": 1})
    if source := member(MQPMO, pmo, "Context"):
        pmo = written(MQPMO, pmo, {"Context": conversation.number_of(source)})
    sent = _wire(conversation, MQMD, answer.md, md) + to_wire(MQPMO, pmo, conversation.form)
    return sent + conversation.form.longs(length)


def begin_get(conversation: Conversation, flow: Flow, ended: Callable[[bytes], None]) -> bytes | Wait:
    """Begin an MQGET: return the body of the reply, or its wait.

    After a wait `ended` gets the body, perhaps in another thread.

    Raises BadInputError for a call whose parameters cannot be read.
    """
    given = Parameters(flow, conversation.form)
    md, gmo = given.structure(MQMD), given.structure(MQGMO)
    length = given.long()
    number = flow.long(12)

    def reply_body(reply: Reply) -> bytes:
        connection.contexts.got(call, reply)
        return _got(conversation, flow, verbs.get_answer(reply, md, gmo), md, gmo)

    try:
        connection = connections.find(conversation.hconn)
        call = verbs.get_call(connection, conversation.handle(number), md, gmo, length)
        reply, identity = conversation.manager.get_later(call, lambda reply: ended(reply_body(reply)))
    except Failed as failed:
        return _got(conversation, flow, Answer(failed.comp_code, failed.reason), md, gmo)
    except NotModelledError as error:
        warn_of_refusal(str(error))
        return _got(conversation, flow, Answer(MQCC.FAILED, MQRC.FUNCTION_NOT_SUPPORTED), md, gmo)
    if reply.pending:
        return Wait(flow, identity, conversation.manager.due_ms(connection.conn))
    return reply_body(reply)


def _got(conversation: Conversation, flow: Flow, answer: Answer, md: bytes, gmo: bytes) -> bytes:
    sent = _wire(conversation, MQMD, answer.md, md) + _wire(conversation, MQGMO, answer.gmo, gmo)
    length = conversation.form.longs(answer.data_length or 0)
    return _codes(conversation, flow, answer, sent + length + answer.data)


def _inquire(conversation: Conversation, flow: Flow) -> bytes:
    given = Parameters(flow, conversation.form)
    counts = given.count(), given.count(), given.count()
    selectors = given.longs(counts[0])
    hobj = conversation.handle(flow.long(12))
    answer = attribute_verbs.inquire(conversation.hconn, hobj, selectors, counts[1], counts[2])
    characters = answer.characters.decode("latin-1").encode(conversation.form.charset, "replace")
    # The client reads as many integers as it has room for, whatever number is stated.
    numbers = [*answer.numbers, *[0] * (counts[1] - len(answer.numbers))]
    rest = replies.inquired(conversation.form, selectors, numbers, characters)
    return _codes(conversation, flow, answer, rest)


def _set(conversation: Conversation, flow: Flow) -> bytes:
    given = Parameters(flow, conversation.form)
    counts = given.count(), given.count(), given.count()
    selectors, numbers = given.longs(counts[0]), given.longs(counts[1])
    characters = given.data(counts[2]).decode(conversation.form.charset, "replace").encode("latin-1", "replace")
    hobj = conversation.handle(flow.long(12))
    answer = attribute_verbs.set_attributes(conversation.hconn, hobj, selectors, numbers, characters)
    return _codes(conversation, flow, answer, flow.body[replies.API_HEADER :])


def _commit(conversation: Conversation, flow: Flow) -> bytes:
    backed_out = _backed_out(conversation)
    answer = verbs.commit(conversation.hconn)
    return _codes(conversation, flow, backed_out or answer)


def _backed_out(conversation: Conversation) -> Answer | None:
    """Back out a unit of work that cannot be committed, and return its outcome; None for any other."""
    if not conversation.puts.doomed:
        return None
    conversation.puts.doomed = False
    answer = verbs.back(conversation.hconn)
    return Answer(MQCC.WARNING, MQRC.BACKED_OUT) if answer.comp_code == MQCC.OK else answer


def _back(conversation: Conversation, flow: Flow) -> bytes:
    conversation.puts.doomed = False
    return _codes(conversation, flow, verbs.back(conversation.hconn))


def _service(conversation: Conversation, flow: Flow) -> bytes:
    """Carry out a verb of the service interface, through which Java clients open queues."""
    verb = flow.long(replies.API_HEADER)
    if verb == _SPI_QUERY:
        return _codes(conversation, flow, Answer(), replies.spi_query(conversation.form, flow))
    if verb == _SPI_OPEN:
        return _service_open(conversation, flow)
    if verb == _SPI_RESERVE:
        connections.find(conversation.hconn)
        first = asynchronous.reserve(conversation.manager)
        rest = replies.spi_reserved(conversation.form, flow, asynchronous.RESERVED, first)
        return _codes(conversation, flow, Answer(), rest)
    meant = f", {_SPI_LACKING[verb]}," if verb in _SPI_LACKING else ""
    warn_of_refusal(f"verb {verb} of the service interface{meant} on a client channel")
    return refused(conversation, flow, MQRC.FUNCTION_NOT_SUPPORTED)


def _service_open(conversation: Conversation, flow: Flow) -> bytes:
    """MQOPEN through the service interface: the client's structure of options stands before the MQOD."""
    form = conversation.form
    at = flow.body.find("LPOO".encode(form.charset))
    od_at = flow.body.find("OD  ".encode(form.charset), at + _LPOO_LENGTH) if at >= 0 else -1
    options = _service_options(flow.long(at + 8), flow.long(at + 12)) if at >= 0 else 0
    od = Parameters(flow, form, od_at if od_at >= 0 else len(flow.body)).structure(MQOD)
    answer, number, sent = _carry_out_open(conversation, od, options)
    if answer.comp_code == MQCC.FAILED:
        return _codes(conversation, flow, answer, flow.body[replies.API_HEADER :], hobj=-1)
    defaults = _defaults(conversation, answer.hobj)
    rest = replies.spi_opened(form, flow, flow.body[at : at + _LPOO_LENGTH], sent, defaults)
    return _codes(conversation, flow, answer, rest, hobj=number)


def _service_options(options: int, own: int) -> int:
    """Return the options of MQOPEN; the service interface requests saving of context by options of its own."""
    return options | MQOO.SAVE_ALL_CONTEXT if own & _SAVES_CONTEXT and options & INPUT_OPTIONS else options


_SAVES_CONTEXT: Final = 0x03
"""Options of the service interface itself: identity context, and origin context."""

_LPOO_LENGTH: Final = 88


def _defaults(conversation: Conversation, hobj: int) -> OpenDefaults:
    """Return the attributes that a client receives of a queue that it has opened."""
    manager = conversation.manager
    conn = "" if conversation.connection is None else conversation.connection.conn
    handle = manager.state.handles.get((conn, hobj))
    if handle is None:
        return OpenDefaults(manager.name)
    first = manager.state.definition_of(handle.path[0])
    return OpenDefaults(handle.queue, first.def_persistence)


_CALLS: Final[Mapping[int, Reader]] = {
    Kind.MQCONN: _connect,
    Kind.MQDISC: _disconnect,
    Kind.MQOPEN: _open,
    Kind.MQCLOSE: _close,
    Kind.MQINQ: _inquire,
    Kind.MQSET: _set,
    Kind.MQCMIT: _commit,
    Kind.MQBACK: _back,
    Kind.SPI: _service,
    Kind.MQSTAT: _status,
}
"""The function that carries out each call except puts; `begin_get` begins MQGET, which may wait."""
