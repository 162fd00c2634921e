"""Integrity: a message is delivered as it was put (DLV-04, and the rules about single fields of its descriptor).

A returned message is compared with the only put that it can come from. What a queue manager may lawfully change is left
out: messages on transmission queues, segments and reassembled messages, messages with properties, and converted data. A
message put with a default of the queue must have the queue's value (PRI-02, PER-02).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from oracle.model.groups.put_groups import GROUP_FLAGS
from oracle.mqi.constants import MQCC, MQGMO, MQMF, MQMT, MQPER, MQPMO, MQPRI
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.checks.delivery import another_report, the_one_put
from spark_checks.frames import Column
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import has, holds, text, unknown_or
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.identity import of_earlier_put, perhaps_another
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import HEADED, IN_PIECES, RETURNS
from spark_checks.results.findings import Statement, this_call
from spark_checks.times import PUT_TIME_US

_LAST: Final = int(MQMF.LAST_MSG_IN_GROUP)


def _put(column: str) -> Column:
    return fn.col("put")[column]


def _format(of: Column) -> Column:
    return fn.rtrim(of)


def _comparable(log: Log) -> Column:
    """Return whether a row shows a whole message that its only put in the log shows too."""
    report = holds(fn.col("msg_type") == MQMT.REPORT)
    headed = holds(_format(fn.col("format")).is_in(*HEADED) | _format(_put("format")).is_in(*HEADED))
    pieces = holds(has("msg_flags", IN_PIECES)) | holds(_put("msg_flags").bit_and(fn.lit(IN_PIECES)) != 0)
    together = holds(has("options", MQGMO.COMPLETE_MSG))
    one = fn.col("put").is_not_null() & the_one_put(log.margin) & ~of_earlier_put(log.margin)
    return fn.col("role").is_in(*RETURNS) & one & ~report & ~headed & ~pieces & ~together


def _not_asked_of_put(bits: int) -> Column:
    return holds(_put("options").bit_and(fn.lit(bits)) == 0)


@dataclass(frozen=True)
class Member:
    """A field that must arrive as it was put, and the rule that says so."""

    rule: str
    """The id of the rule."""
    column: str
    """The column of the event log that has the field."""
    name: str
    """The name of the field in an explanation."""
    where: Callable[[], Column] = lambda: fn.lit(True)
    """The messages that must have it: all by default."""
    same: Callable[[str], Column] = lambda column: fn.col(column) == _put(column)
    """Given the column's name, whether the returned value counts as the value put: by default if they are equal."""


def _at_least_all() -> Column:
    """Return whether no data of the put can be missing: not converted, and surely not split.

    A header may have been added if the Format is unknown.
    """
    may_be_split = unknown_or(_put("msg_flags").bit_and(fn.lit(int(MQMF.SEGMENTATION_ALLOWED))) != 0)
    unknown = (fn.col("msg_flags").is_null() & may_be_split) | _put("format").is_null()
    return ~unknown_or(has("options", MQGMO.CONVERT)) & ~unknown


def _as_it_stands() -> Column:
    """Return whether the data are those of the put: not converted, no header added, and surely not split."""
    return _at_least_all() & fn.col("format").is_not_null()


def _as_long(name: str) -> Column:
    """Return whether the data are as long as those of the put, or longer where headers may have been added."""
    as_put, now = _put(name), fn.col(name)
    return fn.when(_as_it_stands(), now == as_put).otherwise(now >= as_put)


def _whole() -> Column:
    """Return whether all data were returned; another warning may hide that they were truncated."""
    return _as_it_stands() & (fn.col("comp_code") == MQCC.OK)


def _is_blank(name: Column) -> Column:
    """Return whether a ReplyToQ names no queue.

    A name that is not blank may change, because it may stand for another queue.
    """
    return fn.trim(name) == ""


MEMBERS = (
    Member("IDS-08", "correl_id", "CorrelId", lambda: _not_asked_of_put(MQPMO.NEW_CORREL_ID)),
    Member("TYP-01", "msg_type", "MsgType"),
    Member("FMT-01", "format", "Format", same=lambda name: _format(fn.col(name)) == _format(_put(name))),
    Member(
        "DLV-04", "priority", "Priority", lambda: _put("priority") >= 0,
        lambda name: (fn.col(name) == _put(name))
        | (unknown_or(fn.col("sequence") == "FIFO") & unknown_or(fn.col(name) == fn.col("def_priority"))),
    ),
    Member("DLV-04", "persistence", "Persistence", lambda: _put("persistence").is_in(0, 1)),
    Member("DLV-04", "report", "Report"),
    Member("DLV-04", "feedback", "Feedback"),
    Member("DLV-04", "reply_to_q", "ReplyToQ", same=lambda name: _is_blank(fn.col(name)) == _is_blank(_put(name))),
    Member("DLV-04", "length", "length", _at_least_all, _as_long),
    Member("DLV-04", "digest", "digest of the data", _whole),
    Member("PUT-23", "group_id", "GroupId"),
    Member("PUT-23", "msg_seq_number", "MsgSeqNumber"),
    Member("PUT-23", "offset", "Offset"),
    Member(
        "GST-07", "msg_flags", "MsgFlags", lambda: _put("msg_flags").bit_and(fn.lit(GROUP_FLAGS)) == 0,
        lambda name: ~has(name, GROUP_FLAGS),
    ),
    Member(
        "DLV-04", "msg_flags", "MsgFlags", lambda: _put("msg_flags").bit_and(fn.lit(GROUP_FLAGS)) != 0,
        lambda name: has(name, _LAST) == (_put(name).bit_and(fn.lit(_LAST)) != 0),
    ),
)  # fmt: skip  # columns
"""The fields that are compared."""


def _changed(log: Log, member: Member) -> Statement:
    """Find messages that came back with another value than they were put with.

    A violation in a complete log if the message can only be the one put, a suspicion otherwise.
    """
    return Statement(
        rule=member.rule,
        where=_comparable(log) & holds(member.where()) & holds(~member.same(member.column)),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("put"), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), f" returned a message with {member.name} ",
            fn.col(member.column), ", which connection ", _put("conn"), f" had put with {member.name} ",
            _put(member.column),
        ),
        doubts=[*perhaps_another(log.margin), another_report(), *_fifo(member.column)],
    )  # fmt: skip  # a sentence


def _fifo(column: str) -> list[Doubt]:
    """Return the doubt about a Priority: on a FIFO queue the documents leave open which is returned (PRI-05).

    It is the message's own or the queue's, if the put named the queue itself: an alias may have another one.
    """
    other = holds((fn.col(column) != fn.col("def_priority")) & (_put("object_name") == fn.col("queue")))
    fifo = (fn.col("sequence") != "PRIORITY") & ~other
    return [Doubt(fifo, "the queue is FIFO and the message has the queue's priority")] if column == "priority" else []


def _other_reply_queue(log: Log) -> Sequence[Statement]:
    """Find messages that came back with another ReplyToQ, where that of their put is a local queue of the log.

    The definition of a remote queue is replaced by what it stands for (RPY-06); a local queue's name stays.
    """
    local = [f"{one.qmgr}|{one.queue}" for one in log.facts.queues if one.sequence is not None]
    if not local:
        return []
    asked, now = fn.trim(_put("reply_to_q")), fn.trim(fn.col("reply_to_q"))
    is_local = fn.concat_ws("|", fn.col("qmgr"), asked).is_in(*local)
    return [
        Statement(
            rule="DLV-04",
            where=_comparable(log) & holds((asked != now) & (now != "") & is_local),
            call=this_call(),
            msg_id=fn.col("msg_id"),
            calls=[fn.col("put"), this_call()],
            sentence=text(
                fn.col("call"), " by connection ", fn.col("conn"), " returned a message with ReplyToQ ", now,
                ", which connection ", _put("conn"), " had put with ReplyToQ ", asked, ", a local queue",
            ),
            doubts=[*perhaps_another(log.margin), another_report()],
        )
    ]  # fmt: skip  # a sentence


def _own_context() -> Column:
    """Return whether the queue manager set the put's date and time."""
    return _not_asked_of_put(MQPMO.SET_ALL_CONTEXT | MQPMO.PASS_ALL_CONTEXT | MQPMO.NO_CONTEXT)


def _other_put_time(log: Log) -> Statement:
    """Find messages whose PutDate and PutTime are not those of their put (PUT-24), cut to hundredths of a second."""
    put_time = fn.col("put_us")
    shown = holds(put_time == _put("put_us"))
    outside = (put_time < _put("lo") - PUT_TIME_US - log.margin) | (put_time > _put("hi") + log.margin)
    return Statement(
        rule="PUT-24",
        where=_comparable(log) & _own_context() & holds(outside) & ~shown,
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("put"), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), " returned a message whose PutDate and PutTime are not"
            " those at which connection ", _put("conn"), " put it",
        ),
        doubts=perhaps_another(log.margin),
    )  # fmt: skip  # a sentence


@dataclass(frozen=True)
class Default:
    """A field that a put can leave to an attribute of the queue."""

    rule: str
    """The id of the rule that says so."""
    column: str
    """The column of the event log that has the field."""
    as_queue: int
    """The value of a put that requests the queue's default."""
    attribute: str
    """The name of the attribute."""
    of_queue: str
    """The column of `Log.moves` that contains the attribute."""


DEFAULTS = (
    Default("PRI-02", "priority", MQPRI.PRIORITY_AS_Q_DEF, "DefPriority", "def_priority"),
    Default("PER-02", "persistence", MQPER.PERSISTENCE_AS_Q_DEF, "DefPersistence", "def_persistence"),
)
"""The fields with a default of the queue."""


def _left_to_queue(log: Log, default: Default) -> Column:
    """Return whether a message was put with the default, under the queue's own name: an alias may have another one."""
    by_name = _put("object_name") == fn.col("queue")
    return _comparable(log) & holds(_put(default.column) == default.as_queue) & holds(by_name)


def _other_default(log: Log, default: Default) -> Statement:
    """Find messages put with the queue's default that came back with another value.

    A violation in a complete log if the message can only be the one put: such a log has every command that altered the
    queue. A suspicion otherwise.
    """
    return Statement(
        rule=default.rule,
        where=_left_to_queue(log, default) & holds(fn.col(default.column) != fn.col(default.of_queue)),
        call=this_call(),
        msg_id=fn.col("msg_id"),
        calls=[fn.col("put"), this_call()],
        sentence=text(
            fn.col("call"), " by connection ", fn.col("conn"), f" returned a message with {default.column} ",
            fn.col(default.column), ", which had been put with the queue's default, and ", default.attribute, " is ",
            fn.col(default.of_queue),
        ),
        doubts=perhaps_another(log.margin),
    )  # fmt: skip  # a sentence


def _of_moves(log: Log) -> Sequence[Statement]:
    return [
        *(_changed(log, member) for member in MEMBERS),
        *(_other_default(log, default) for default in DEFAULTS),
        _other_put_time(log),
        *_other_reply_queue(log),
    ]


def _concerns(log: Log) -> Sequence[Concern]:
    returned = fn.col("role").is_in(*RETURNS) & ~holds(fn.col("msg_type") == MQMT.REPORT)
    known = absent("queue", "msg_id") | {"MQPUT": fn.col("n_puts") == 0}
    of_rule: dict[str, list[str]] = {}
    for member in MEMBERS:
        of_rule.setdefault(member.rule, []).append(member.column)
    of_rule["PUT-24"] = ["put_us"]
    of_rule["DLV-04"] = ["length"]
    concerns = [Concern(rule, returned, known | absent(*columns)) for rule, columns in of_rule.items()]
    for default in DEFAULTS:
        undefined = {default.attribute: fn.col(default.of_queue).is_null()}
        concerns.append(Concern(default.rule, _left_to_queue(log, default), absent(default.column) | undefined))
    return concerns


INTEGRITY = Check("integrity", _concerns, _of_moves)
