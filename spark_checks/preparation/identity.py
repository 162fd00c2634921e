"""The identity of messages: whether a returned message is the one put in the log, or another one."""

from __future__ import annotations

from oracle.mqi.constants import MQEI, MQPMO
from spark_checks.frames import Column
from spark_checks.frames import functions as fn
from spark_checks.preparation.columns import Of, holds
from spark_checks.preparation.doubts import Doubt
from spark_checks.times import PUT_TIME_US


def sole_origin(of: Of = fn.col) -> Column:
    """Return whether no message with the identifier can have been on the queue before the log began.

    This holds if the queue was empty then, or if the put in the log had the identifier generated.
    """
    return of("pinned") | holds(of("put")["options"].bit_and(MQPMO.NEW_MSG_ID) != 0)


def put_in_log(margin: int, of: Of = fn.col) -> Column:
    """Return whether the message of a record is surely that of the put in the log; its put time may show this.

    Only the time of that put counts: a message from another queue manager has the put time of another clock.
    """
    return sole_origin(of) | of_put_time(of("put_us"), of, margin)


def stayed(margin: int, of: Of = fn.col) -> Column:
    """Return whether a message that is seen afterwards was surely there until then, if no call took it before.

    If it may have expired, another one with its MsgId may be what is seen.
    """
    put = of("put")
    return put.is_null() | holds(put["expiry"] == MQEI.UNLIMITED) | put_in_log(margin, of)


def of_put_time(put_time: Column, of: Of, margin: int) -> Column:
    """Return whether a put time in a record is that of the put of a message, and of no earlier put.

    A put that the log lacks came before its first call, but the time of a put begins up to PUT_TIME_US before it.
    """
    put = of("put")
    of_this = (put_time >= put["lo"] - PUT_TIME_US - margin) & (put_time <= put["hi"] + margin)
    return holds(of_this & (put_time > of("logged_us") + margin))


def of_earlier_put(margin: int, of: Of = fn.col) -> Column:
    """Return whether the put time in a record shows that its message is not that of the put in the log.

    It was put before the log began, or in an incomplete log by a call that the log lacks: applications use identifiers
    again. If no such message can have been there, the put time is wrong.
    """
    latest_put = of("put_us") + PUT_TIME_US + margin
    before = ~of("whole") | (of("put_us") <= of("logged_us") + PUT_TIME_US + margin)
    return holds((latest_put < of("put")["lo"]) & before) & ~sole_origin(of)


def held_unseen(row: Column) -> Column:
    """Return whether BackoutCount shows a get that an incomplete log lacks: it was backed out."""
    return ~row["whole"] & holds(row["backout_count"] > row["backouts"])


def elsewhere(of: Of = fn.col) -> Doubt:
    """Return the doubt that an incomplete log leaves about every identifier."""
    return Doubt(~of("whole"), "another message with this identifier was put by a call that the log lacks")


def from_before(known: Column) -> Doubt:
    """Return the doubt that remains unless the message's origin is known."""
    return Doubt(~known, "there was another message with this identifier on the queue before the log began")


def perhaps_another(margin: int) -> list[Doubt]:
    """Return what may explain a message that differs from its put in the log: it comes from another put."""
    return [elsewhere(), from_before(put_in_log(margin))]
