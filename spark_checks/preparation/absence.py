"""Argument from absence: a message that was put and never seen again was not there, though it should have been.

This needs a complete log without unreadable records, which has every call that took effect between its first record and
its last, and a message that cannot have expired. A put may show the Expiry that was passed although the CAPEXPRY of its
queue reduced it (CAP-01). A finding of this kind has a doubt for everything else that may have taken the message away.
A connection that lasted throughout excludes a restart of the queue manager. In a complete log each connection shows its
MQCONN if it was made within the log.
"""

from __future__ import annotations

from oracle.mqi.constants import MQEI, MQMF, MQPER, MQPMO
from spark_checks.frames import Column
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import holds, listed, unknown_or
from spark_checks.preparation.connections import BEFORE_THE_LOG
from spark_checks.preparation.doubts import Doubt
from spark_checks.preparation.facts import SYNCHRONOUS
from spark_checks.preparation.gathering import ANY_MESSAGE
from spark_checks.preparation.log import Log
from spark_checks.preparation.messages import LONGEST_EXPIRY
from spark_checks.preparation.moves import BY_BOTH, BY_CORREL_ID, BY_MSG_ID, wanted
from spark_checks.times import PUT_TIME_US

OF_QUEUE = (
    "queue", "whole", "transmission", "ordinary", "cap_expiry", "unmatched", "split", "made_us", "made_until_us",
    "dynamic", "def_put_response",
)  # fmt: skip  # names
"""The columns of a queue's facts that a call must have here, besides its own `hi`, `since` and `selection`."""

OWN_CONTEXT = MQPMO.SET_ALL_CONTEXT | MQPMO.PASS_ALL_CONTEXT
"""The options of a put with which the application gives the time of the put."""
SHORTEST_LIFE_US = 100_000
"""The least CAPEXPRY: a tenth of a second."""
EXPIRY_TOLERANCE_US = 1_000_000
"""Expiry is approximate (EXP-08): a message may be treated as expired this much too early or too late."""


def still_there(put: Column, call: Column, margin: int) -> Column:
    """Return whether a message that nobody got must have been there until the call ended."""
    return call["whole"] & _lasts(put, call, margin)


def still_there_but_for_unknown_effects(message: Column, call: Column, margin: int) -> Column:
    """Return the same for a queue with gets of unknown message, if none of these can have taken the message.

    They asked for other messages, or were backed out before the call.
    """
    texts = [
        wanted(fn.lit(selection), message["msg_id"], message["put"]["correl_id"])
        for selection in (BY_MSG_ID, BY_CORREL_ID, BY_BOTH)
    ]
    asked = call["asks_of_unknown_effect"]
    may_suit = fn.array_compact(fn.array(fn.lit(ANY_MESSAGE), *texts))
    by_msg_id_alone = fn.forall(asked, lambda one: one.startswith("m"))
    known = message["put"]["correl_id"].is_not_null() | by_msg_id_alone
    back = call["restored_us"].is_null() | (call["restored_us"] + margin < call["lo"])
    none = holds(known & ~fn.arrays_overlap(asked, may_suit)) & holds(back)
    return ~call["whole"] & call["but_for_unknown_effects"] & none & _lasts(message["put"], call, margin)


def still_there_but_for_a_failed_get(put: Column, call: Column, margin: int) -> Column:
    """Return the same for such a queue if only a failed get can have taken the message."""
    return ~call["whole"] & call["but_for_unknown_effects"] & _lasts(put, call, margin)


def _lasts(put: Column, call: Column, margin: int) -> Column:
    """Return whether a message that no call removed must have been there until the call ended.

    If messages are split, the MsgId alone does not identify a message that may be split.
    """
    expiry, cap = put["expiry"], call["cap_expiry"]
    unexpired = (expiry == MQEI.UNLIMITED) | _lasts_under(expiry, put, call, margin)
    uncapped = uncapped_as_known(cap) | _lasts_under(cap, put, call, margin)
    perhaps_split = call["split"] & unknown_or(put["msg_flags"].bit_and(MQMF.SEGMENTATION_ALLOWED) != 0)
    made_anew = call["dynamic"] & _may_be_another(put, call, margin)
    return ~call["transmission"] & ~perhaps_split & unexpired & uncapped & ~made_anew


def _may_be_another(put: Column, call: Column, margin: int) -> Column:
    """Return whether the queue may have been deleted between a put and a call, and another one have its name.

    As there was a queue for the call, an MQOPEN of the model must have made it. A complete log has that.
    """
    return holds((call["made_us"] <= call["hi"] + margin) & (put["lo"] <= call["made_until_us"] + margin))


def uncapped_as_known(cap_expiry: Column) -> Column:
    """Return whether no definition of the queue limits how long its messages live (CAP-01)."""
    return cap_expiry.is_null() | (cap_expiry == 0)


def by_another_name(object_name: Column, queue: Column) -> Column:
    """Return whether a message was put under another name than its queue's: an alias, which may have a CAPEXPRY.

    The lowest CAPEXPRY on the way counts (CAP-01).
    """
    return holds(object_name != queue)


def _cap_of_alias(put: Column, call: Column, log: Log) -> Column:
    """Return CAPEXPRY of the alias by which a message was put, 0 for no cap; null if it is not known."""
    path = fn.concat_ws("|", fn.col("qmgr"), put["object_name"], call["queue"])
    caps = {"|".join(names): cap for names, cap in log.facts.alias_caps.items()}
    found: Column = fn.lit(None).cast("int")
    if uncapped := [names for names, cap in caps.items() if cap == 0]:
        found = fn.when(path.is_in(*uncapped), 0).otherwise(found)
    for names, cap in caps.items():
        if cap > 0:
            found = fn.when(path == names, cap).otherwise(found)
    return found


def _lasts_under(tenths: Column, put: Column, call: Column, margin: int) -> Column:
    """Return whether a message with a limited life has not expired before a call ended, if the limit is a valid one."""
    over = call["hi"] + margin + EXPIRY_TOLERANCE_US
    return (tenths > 0) & (tenths <= LONGEST_EXPIRY) & (over < put["lo"] + tenths.cast("long") * 100_000)


def expired_by_alias(put: Column, call: Column, log: Log) -> Column:
    """Return whether CAPEXPRY of the alias by which a message was put may have made it expire before a call ended."""
    if not log.facts.alias_caps:
        return fn.lit(False)
    cap = _cap_of_alias(put, call, log)
    return holds((cap > 0) & ~_lasts_under(cap, put, call, log.margin))


def _outlives_alias(put: Column, call: Column, log: Log) -> Column:
    """Return whether the alias by which a message was put is known not to have made it expire before a call ended."""
    if not log.facts.alias_caps:
        return fn.lit(False)
    cap = _cap_of_alias(put, call, log)
    return holds((cap == 0) | _lasts_under(cap, put, call, log.margin))


def connected_since(log: Log, since: Column) -> Column:
    """Return the time since which a connection surely lasted; null if it is not known.

    A connection without MQCONN began before the log, except in programs that need no MQCONN, as in CICS and on IBM i.
    """
    return since if log.facts.platform == "distributed" else fn.when(since != BEFORE_THE_LOG, since)


def outcome_awaited(put: Column, call: Column, margin: int) -> Column:
    """Return whether a put ended when its message was on the queue, so that its completion shows success.

    Without an option for it, DEFPRESP of the object that was opened decides, which is SYNC if nothing else is known, as
    MQ defines queues; for MQPUT1 a unit of work decides. A put that awaits nothing returns no PutDate and PutTime;
    with OWN_CONTEXT these are the application's. The replay decides the same of a record
    (spark_checks.replay.circumstances).
    """
    options = fn.coalesce(put["options"], fn.lit(0))
    asked = options.bit_and(MQPMO.SYNC_RESPONSE) != 0
    own_context = options.bit_and(int(OWN_CONTEXT)) != 0
    stamped = ~own_context & put["put_us"].between(put["lo"] - PUT_TIME_US - margin, put["hi"] + margin)
    by_queue = fn.coalesce(call["def_put_response"], fn.lit(SYNCHRONOUS)) == SYNCHRONOUS
    by_default = fn.when(put["call"] == "MQPUT1", ~put["in_unit"]).otherwise(by_queue)
    return holds(asked) | holds(stamped) | holds(by_default & (options.bit_and(MQPMO.ASYNC_RESPONSE) == 0))


def not_awaited(put: Column, call: Column, log: Log) -> Doubt:
    """Return the doubt that a put was asynchronous by DEFPRESP, and failed later."""
    unless = "it was put asynchronously, by DEFPRESP of the queue or as MQPUT1 in a unit of work, and failed later"
    return Doubt(~outcome_awaited(put, call, log.margin), unless)


def absence_doubts(put: Column, call: Column, log: Log, *, there: Column | None = None) -> list[Doubt]:
    """Return what may explain that a call did not find a message. `call` is a row of the log's moves.

    `there` is whether another call had shown that the message was on the queue.
    """
    late = not_awaited(put, call, log)
    if there is not None:
        late = Doubt(late.applies & ~there, late.unless)
    return [*gone_doubts(put, call, log), late]


def locked_before(put: Column, last_event: Column) -> Doubt:
    """Return the doubt that a message of a listing from before the log was locked then (LCK-01).

    `last_event` is what the log shows of the message before the call; null if it shows nothing.
    """
    unseen = holds(listed(lambda name: put[name])) & last_event.is_null()
    return Doubt(unseen, "an application had locked it before the log began")


def gone_doubts(put: Column, call: Column, log: Log) -> list[Doubt]:
    """Return what may explain that a call did not find a message that was on the queue."""
    whole = holds(put["msg_flags"].bit_and(MQMF.SEGMENTATION_ALLOWED) == 0)
    by_msg_id = holds(call["selection"].is_in(BY_MSG_ID, BY_BOTH))
    by_its_name = holds(put["object_name"] == call["queue"])
    capped_elsewhere = (
        by_another_name(put["object_name"], call["queue"])
        & (call["hi"] + log.margin >= put["lo"] + SHORTEST_LIFE_US)
        & ~_outlives_alias(put, call, log)
    )
    lasted = (connected_since(log, call["since"]) < put["lo"]) | (put["until_lo"] > call["hi"] + log.margin)
    shared = log.facts.platform == "zos"
    kept = (put["persistence"] == MQPER.PERSISTENT) | (holds(lasted) & ~fn.lit(shared))
    lost = "the coupling facility failed or the queue manager" if shared else "the queue manager"
    return [
        Doubt(_may_be_another(put, call, log.margin), "the queue was deleted in between"),
        Doubt(
            ~(by_its_name | call["ordinary"]),
            "it was put to a remote queue and was on the transmission queue under another identifier",
        ),
        Doubt(holds(call["cap_expiry"] != 0), "CAPEXPRY of the queue made the message expire"),
        Doubt(capped_elsewhere, "CAPEXPRY of the alias queue that it was put to made the message expire"),
        Doubt(
            (call["unmatched"] | by_msg_id) & ~whole,
            "the message was on the queue in segments, under other identifiers",
        ),
        Doubt(~kept, f"{lost} was restarted in between and dropped this nonpersistent message"),
    ]
