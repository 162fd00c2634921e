"""Emptiness: calls that found no message although one was there (DLV-05), and lost messages (DLV-03).

Both begin with a call that ended with MQRC_NO_MSG_AVAILABLE while a message that it could have returned was surely
available. If the message is seen again later, the call was wrong; if not, the message is lost. If something had
happened to the message before, the rule is the one that made it available: its backout (SYN-03, SIP-01), the end of a
lock (LCK-09 to LCK-16), a browse or a truncated get that left it on the queue (BRW-02, TRN-05, CMP-04); and a message
that came while the call waited breaks a rule of waiting (WAI-03, ACT-02, LCK-21).
"""

from __future__ import annotations

from collections.abc import Sequence

from oracle.model.groups.put_groups import GROUP_FLAGS, SEGMENT_FLAGS
from oracle.model.requests.option_matrix import SCANS
from oracle.mqi.constants import MQGMO
from spark_checks.checks.base import Check, Concern, absent
from spark_checks.checks.delivery import another_report
from spark_checks.frames import Column
from spark_checks.frames import functions as fn
from spark_checks.preparation.absence import (
    absence_doubts,
    expired_by_alias,
    locked_before,
    still_there,
    still_there_but_for_unknown_effects,
)
from spark_checks.preparation.columns import has, holds, listed, text
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.fronts import FROM_FRONT, NEXT_PART, part
from spark_checks.preparation.identity import held_unseen
from spark_checks.preparation.log import Log
from spark_checks.preparation.moves import (
    ANY,
    BY_BOTH,
    BY_CORREL_ID,
    BY_MSG_ID,
    EMPTY,
    IN_GROUPS,
    IN_PIECES,
    NEXT_WHOLE,
    OTHERWISE,
    PUTS,
    UNMARKED,
    from_front,
)
from spark_checks.preparation.passes import (
    asked_for,
    begins_group,
    begun,
    begun_by_time,
    ended,
    ended_by_time,
    gap,
    open_spot,
    put_of_gap,
    reversed_,
    suited,
    unseen,
)
from spark_checks.preparation.sweep import Pass, Spot
from spark_checks.preparation.uses import Use
from spark_checks.preparation.wholes import (
    AFTERWARDS,
    NEVER_SEEN,
    OPEN,
    SEEN,
    WHOLE_FROM,
    asked_for_message,
    offered,
)
from spark_checks.results.findings import Statement, committed_by, ref
from spark_checks.shapes.features import EARLY_US

PRESENT, LOST = "present", "lost"
PRESENT_WHOLE, LOST_WHOLE, LOST_IN_PART = "whole present", "whole lost", "whole lost in part"
"""Messages of a group or logical message that a call did not find whole; left open if a part is seen later."""
PRESENT_UNMARKED, LOST_UNMARKED = "unmarked present", "unmarked lost"
"""Messages whose marks had ended (spark_checks.checks.ended_marks)."""
LEFT_WAITING = "there while a call waited"
"""A message came and was taken again during a wait of a call that found nothing."""
GIVEN_BACK = (
    "SYN-03", "SIP-01", "BRW-02", "TRN-05", "CMP-04", "LCK-09", "LCK-12", "LCK-14", "LCK-15", "LCK-16",
)  # fmt: skip  # names
"""The rules by which a message that was returned stays on the queue or is available again."""
WAIT_TOLERANCE_US = 1_000_000
"""The time before the end of a long wait by which a message must have come so that the call must have found it."""


_UNSEGMENTED = "unsegmented "
"""The beginning of the text by which a call asks for a part that is no segment."""

_LONG_US = 5_000_000
"""How long a message must have been there so that a call that waited must have got it."""


def passed_over(msg_id: Column) -> Column:
    """Return the key under which a message that was passed over or lost is reported once."""
    return fn.concat(fn.lit("passed over "), msg_id)


def _available_by(message: Column, last_event: Column) -> Column:
    """Return the call that made a message available or showed it: a backout, a browse, or the commit of its put."""
    put, shown = message["put"], message["shown"]
    return (
        fn.when(last_event.is_not_null(), ref(last_event["by"]))
        .when(put.is_null() & shown.is_not_null(), ref(shown["by"]))
        .otherwise(committed_by(put))
    )


def _last_event(message: Column, call: Column, margin: int) -> Column:
    """Return the last event of a message before a call: it was backed out, or shown and left there."""
    shown, given_back = message["shown"], message["given_back"]
    in_connection = (shown["by"]["conn"] == call["conn"]) & (shown["by"]["seq"] < call["seq"])
    before = (shown["at"] + margin < call["lo"]) | in_connection
    return fn.when(holds(before) & ~holds(given_back["at"] >= shown["at"]), shown).otherwise(given_back)


def _unmarked() -> Column:
    """Return whether no call that may have marked the message had returned it before its gap.

    What a listing shows of the time before the log may have been marked then.
    """
    before = holds(listed(lambda name: fn.col("put")[name]))
    return fn.col("whole") & fn.col("gap_first") & ~fn.col("perhaps_marked") & ~before


def _wanted() -> Column:
    """Return what a call that found nothing asked for, or what the message of a gap can be asked for by.

    A gap has one text for each way of asking that some call on its queue used. A call that goes on with its current
    group asks for the next part of it, whatever ALL_MSGS_AVAILABLE asked for at its start (AMA-04); of a next message
    in segments that may still ask for all of them (AMB-65).
    """
    any_id = fn.col("selection").is_in(*IN_GROUPS) & ~has("options", MQGMO.ALL_SEGMENTS_AVAILABLE)
    unsegmented = fn.concat(fn.lit(_UNSEGMENTED), NEXT_PART)
    next_part = fn.when(has("options", MQGMO.ALL_MSGS_AVAILABLE), unsegmented).otherwise(fn.col(NEXT_PART))
    goes_on = fn.when(any_id, next_part)
    asked = fn.when(fn.col("role") == EMPTY, fn.when(fn.col(FROM_FRONT), asked_for()).otherwise(goes_on))
    is_part = (
        fn.col("alike") & ~fn.col("ungrouped") & (put_of_gap("msg_flags").bit_and(GROUP_FLAGS | SEGMENT_FLAGS) != 0)
    )
    in_segments = put_of_gap("msg_flags").bit_and(int(IN_PIECES)) != 0
    as_part = part(put_of_gap("group_id"), put_of_gap("msg_seq_number"), put_of_gap("offset"))
    ways = [
        *suited("asked", (ANY, BY_MSG_ID, BY_CORREL_ID, BY_BOTH, *IN_GROUPS)),
        *(fn.when(_unmarked(), way) for way in suited("asked", (UNMARKED,))),
        fn.when(is_part & fn.arrays_overlap("asked", fn.array(*map(fn.lit, IN_GROUPS))), as_part),
        fn.when(
            is_part & ~in_segments & fn.array_contains("asked", NEXT_WHOLE), fn.concat(fn.lit(_UNSEGMENTED), as_part)
        ),
    ]
    return fn.array_compact(fn.array(asked, asked_for_message(), *(fn.when(gap(), way) for way in ways)))


def latest_moment() -> Column:
    """Return the time by which a message must be available for a call to find it: at its start, or while it waits.

    A message that comes as the wait ends may come too late, and a wait may end as early as WAI-01 allows. Of a short
    wait, half of the interval counts.
    """
    interval = fn.col("wait_ms").cast("long") * 1000
    ends = fn.least(fn.col("start_us") + interval, fn.col("end_us"))
    early = fn.greatest(fn.lit(EARLY_US), fn.floor(interval / 20).cast("long"))
    tolerance = fn.least(fn.lit(WAIT_TOLERANCE_US), early, fn.floor(interval / 2).cast("long"))
    waits = has("options", MQGMO.WAIT) & (interval > 0)
    return fn.when(waits, fn.greatest("lo", ends - tolerance)).otherwise(fn.col("lo"))


def _rule(asker: Column, holder: Column, last_event: Column, otherwise: str) -> Column:
    """Return the rule broken by a call that found nothing while the message of the row `holder` was available.

    `last_event` is the last event of the message before.
    """
    why, given_back = last_event["why"], holder["given_back"]
    came = fn.coalesce(given_back["by"]["lo"], holder["put"]["visible"]["lo"])
    waited = holds((asker["options"].bit_and(MQGMO.WAIT) != 0) & (came > asker["lo"]))
    browses = asker["options"].bit_and(SCANS) != 0
    return (
        fn.when(waited & given_back["why"].startswith("LCK"), "LCK-21")
        .when(waited & browses, "ACT-02")
        .when(waited, "WAI-03")
        .when(why.is_not_null(), why)
        .otherwise(otherwise)
    )


def _passes(log: Log) -> Sequence[Pass]:
    each = fn.col("wanted")
    calls = open_spot(fn.col("role") == EMPTY, each=each)
    seen = open_spot(gap() & ~unseen(), each=each)
    never_seen = open_spot(gap() & unseen(), each=each)
    return [
        *ended(begun(PRESENT, seen, calls, log.margin, at=latest_moment()), log.margin),
        *reversed_(begun(LOST, never_seen, calls, log.margin, at=latest_moment(), since=fn.col("shown.by.lo"))),
        _left_waiting(log.margin),
        *(_of_wholes(log.margin) if Use.WHOLES_MISSED in log.uses else []),
    ]


def _surely_waited() -> tuple[Column, Column]:
    """Return the interval in which a call that found nothing surely waited.

    It waited for its WaitInterval (WAI-01); its record may be wider than that.
    """
    interval = fn.col("wait_ms").cast("long") * 1000
    surely = interval - fn.greatest(fn.lit(WAIT_TOLERANCE_US), fn.floor(interval / 20)).cast("long")
    return fn.greatest("start_us", fn.col("end_us") - surely), fn.least("end_us", fn.col("start_us") + surely)


def _left_waiting(margin: int) -> Pass:
    """Return the pass that finds, for a message that was there for long, a call that waited all that time."""
    waited = (fn.col("role") == EMPTY) & has("options", MQGMO.WAIT) & (fn.col("wait_ms") > 0)
    long = gap() & ~unseen() & (fn.col("lo") > fn.col("gap_from") + _LONG_US + margin)
    since, until = _surely_waited()
    return Pass(
        LEFT_WAITING,
        "within a wait",
        Spot(waited, since + margin, until, each=fn.col("wanted")),
        Spot(long, fn.col("gap_from"), fn.col("lo") + margin, each=fn.col("wanted")),
    )


def _of_wholes(margin: int) -> list[Pass]:
    """Return the passes in which a call looked for a whole, and one was complete all the while.

    Only times count: the order of two calls of one connection shows nothing about the other messages of the whole.
    """
    calls = open_spot(fn.col("role") == EMPTY, each=fn.col("wanted"))

    def begun_by(family: str, afterwards: str, since: Column) -> Pass:
        wholes = open_spot(fn.col(AFTERWARDS) == afterwards, each=fn.array(offered()))
        return begun_by_time(family, wholes, calls, margin, at=latest_moment(), since=since)

    complete = fn.col(WHOLE_FROM) + margin
    unseen_since = fn.greatest(complete, "shown.by.lo")
    return [
        ended_by_time(begun_by(PRESENT_WHOLE, SEEN, complete), margin),
        *reversed_([begun_by(LOST_WHOLE, NEVER_SEEN, unseen_since), begun_by(LOST_IN_PART, OPEN, unseen_since)]),
    ]


def _in_group(call: Column, message: Column) -> Column:
    """Return in words what a message is of the whole that a call looked for or continued, or why it had no mark."""
    of = message.get_field
    flags = put_of_gap("msg_flags", of)
    in_group = flags.bit_and(GROUP_FLAGS | SEGMENT_FLAGS) != 0
    others = fn.when(flags.bit_and(SEGMENT_FLAGS) != 0, " segments of its logical message)").otherwise(
        "s of its group)"
    )
    in_order = call["selection"].is_in(*IN_GROUPS) & (call["options"].bit_and(MQGMO.LOGICAL_ORDER) != 0)
    return (
        fn.when(fn.col("family").is_in(PRESENT_WHOLE, LOST_WHOLE), fn.concat(fn.lit(" (with all other"), others))
        .when(fn.col("family").is_in(PRESENT_UNMARKED, LOST_UNMARKED), " (its browse marks had ended)")
        .when(in_group & in_order & ~begins_group(of), " (the next one of its current group)")
        .otherwise("")
    )


def by_unseen_string(get: Column) -> Doubt:
    """Return the doubt that a get's handle may have been opened with a selection string before the log began.

    A complete log reports that the selection of such a get is not known.
    """
    before = ~get["whole"] & ~get["connected"]
    return Doubt(before, "its handle was opened before the log began, with a selection string")


def false_emptiness() -> Statement:
    """Find calls that ended with 2033 while a message lay there that was seen again later.

    A violation in a complete log. In an incomplete one a suspicion: something outside the log may explain it, such as a
    call that held the message and gave it back, or an MQOPEN with a selection string.
    """
    asker, answer, put = fn.col("asker"), fn.col("answer"), fn.col("answer.put")
    given_back = answer["given_back"]
    return Statement(
        rule=_rule(asker, answer, given_back, "DLV-05"),
        where=fn.col("family").is_in(PRESENT, PRESENT_WHOLE, PRESENT_UNMARKED) & ~held_unseen(answer),
        call=asker,
        msg_id=answer["msg_id"],
        calls=[put, _available_by(answer, given_back), asker, answer],
        sentence=text(
            "MQGET by connection ", asker["conn"], " ended with MQRC_NO_MSG_AVAILABLE although a message that it could"
            " have returned", _in_group(asker, answer), " was available to it and was still there for connection ",
            answer["conn"], " afterwards",
        ),
        doubts=[
            by_unseen_string(asker),
            another_report(answer.get_field),
            locked_before(put, given_back),
            Doubt(~asker["whole"], "an application whose calls the log lacks had got or locked it and gave it back"),
        ],
    )  # fmt: skip  # a sentence


def _never_removed(message: Column) -> Column:
    """Return in words which message was never removed: that of a put, or one of several with one MsgId."""
    one_of_several = text(
        "Of ",
        message["n_puts"],
        " messages that were put with this identifier, at most ",
        message["n_held"],
        " were removed",
    )
    the_one = text("The message that connection ", message["put"]["conn"], " put was never removed")
    return fn.when(message["n_puts"] > 1, one_of_several).otherwise(the_one)


def lost(log: Log) -> Statement:
    """Find messages that were put, committed and never got, and that a call nevertheless did not find.

    Only complete logs show them. A violation if nothing else can have taken the message: see
    spark_checks.preparation.absence; a suspicion otherwise. The `asker` is the message's put, the `answer` the first
    call after it that ended with 2033.
    """
    message, put, call = fn.col("asker"), fn.col("asker.put"), fn.col("answer")
    last_event = _last_event(message, call, log.margin)
    return Statement(
        rule=_rule(call, message, last_event, "DLV-03"),
        where=~expired_by_alias(put, call, log)
        & (
            (fn.col("family").is_in(LOST, LOST_WHOLE, LOST_UNMARKED) & still_there(put, call, log.margin))
            | ((fn.col("family") == LOST) & still_there_but_for_unknown_effects(message, call, log.margin))
        ),
        call=put,
        msg_id=message["msg_id"],
        calls=[put, _available_by(message, last_event), call],
        sentence=text(
            _never_removed(message), _in_group(call, message), ", and yet MQGET by connection ", call["conn"],
            " ended later with MQRC_NO_MSG_AVAILABLE",
        ),
        doubts=[
            *absence_doubts(put, call, log, there=(message["n_puts"] == 1) & last_event.is_not_null()),
            locked_before(put, last_event),
        ],
        once=passed_over(message["msg_id"]),
    )  # fmt: skip  # a sentence


def _passed_by() -> Statement:
    """Find calls that waited in vain while a message lay there for seconds, which another call then got or browsed.

    A suspicion, because it was perhaps about to be given to the call. The `asker` is the call that returned the
    message.
    """
    later, waiter, put = fn.col("asker"), fn.col("answer"), fn.col("asker.put")
    seconds = fn.round((later["lo"] - later["gap_from"]) / 1_000_000, 1)
    return Statement(
        rule="WAI-03",
        where=(fn.col("family") == LEFT_WAITING) & ~held_unseen(later),
        call=waiter,
        msg_id=later["msg_id"],
        calls=[put, _available_by(later, later["given_back"]), waiter, ref(later)],
        sentence=text(
            "MQGET by connection ", waiter["conn"], " waited and ended with MQRC_NO_MSG_AVAILABLE although a message"
            " that it could have returned was available to it for ", seconds, " seconds, until connection ",
            later["conn"], " asked for it",
        ),
        doubts=[
            by_unseen_string(waiter),
            another_report(later.get_field),
            Doubt(~waiter["whole"], "an application whose calls the log lacks had got or locked it and gave it back"),
            Doubt(fn.lit(True), "the queue manager was held up for so long"),
        ],
        once=fn.concat_ws(" ", fn.lit("waited"), waiter["conn"], waiter["seq"].cast("string")),
        rank=1,
    )  # fmt: skip  # a sentence


def _of_answers(log: Log) -> Sequence[Statement]:
    return [false_emptiness(), lost(log), _passed_by()]


def _concerns(log: Log) -> Sequence[Concern]:
    del log
    selection, why = fn.col("selection"), fn.col("why_released")
    nothing = (fn.col("role") == EMPTY) & (selection.is_null() | ((selection != OTHERWISE) & from_front()))
    put, gave_back = fn.col("role").is_in(*PUTS), fn.col("effect.kind") == "released"
    complete = {"complete": ~fn.col("whole")}
    known = absent("queue", "msg_id") | complete
    asked = absent("queue", "options") | {"match_options": selection.is_null()} | complete
    waited = nothing & has("options", MQGMO.WAIT)
    browses = has("options", SCANS)
    return [
        Concern("DLV-03", put, known | absent("comp_code", "options", "expiry")),
        Concern("DLV-05", nothing, asked),
        *(Concern(rule, gave_back & (why == rule), known) for rule in GIVEN_BACK),
        Concern("WAI-03", waited, asked | absent("wait_ms")),
        Concern("ACT-02", waited & browses, asked | absent("wait_ms")),
        Concern("LCK-21", waited, asked | absent("wait_ms")),
    ]


EMPTINESS = Check(
    "emptiness",
    _concerns,
    passes=_passes,
    columns={"wanted": _wanted},
    families=(PRESENT, PRESENT_WHOLE, LEFT_WAITING, LOST, LOST_WHOLE, LOST_IN_PART),
    of_answers=_of_answers,
)
