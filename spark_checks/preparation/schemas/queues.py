"""The facts of a queue: the columns of `Log.queues`, which `Log.moves` has too, and the facts behind them."""

from __future__ import annotations

from spark_checks.frames.described import Boolean, Columns, Int, Long, String


class OfQueue(Columns):
    """The facts of a queue that was put to or got from."""

    qmgr: String
    """The queue manager."""
    queue: String
    """The name of the queue."""
    whole: Boolean
    """Whether every put and get of the queue is in the log, with its queue and its message."""
    but_for_unknown_effects: Boolean
    """The same, except for gets whose message is unknown."""
    asks_of_unknown_effect: list[String]
    """The selections of such gets that may have taken a message for good: ANY_MESSAGE if that is open."""
    restored_us: Long
    """The time by which messages that the other such gets took were surely back on the queue.

    Null if there are none.
    """
    pinned: Boolean
    """Whether the queue is known to have been empty before its first put or get in the log."""
    sequence: String
    """MsgDeliverySequence of its definition: PRIORITY or FIFO."""
    index_type: String
    """IndexType of its definition."""
    cap_expiry: Int
    """CAPEXPRY of its definition, in tenths of a second; 0 for no cap."""
    transmission: Boolean
    """Whether messages may be on the queue under another MsgId, inside a transmission header."""
    ordinary: Boolean
    """Whether its definition says that it is no transmission queue."""
    unmatched: Boolean
    """Whether messages were got that no put in the log explains."""
    split: Boolean
    """Whether segments are among them, as the queue manager makes them of long messages."""
    reassembles: Boolean
    """Whether some call may have been for whole logical messages, whose segments it held without naming them."""
    may_vanish: Boolean
    """Whether the queue may have been deleted within the log, and its messages with it."""
    made_us: Long
    """The time of the first MQOPEN that may have made the queue if it may vanish. NEVER if there was none."""
    made_until_us: Long
    """The time of the last one. -NEVER if there was none."""
    dynamic: Boolean
    """Whether it may vanish and is surely a dynamic queue, and not just opened by the name of an alias queue."""
    asked: list[String]
    """The kinds of selection of the calls that found no message."""
    taken_ranks: list[Int]
    """The priorities of the messages that were taken or browsed."""
    taken_by: list[String]
    """The kinds of selection with which the first of several messages was taken or browsed."""
    get_inhibited: Boolean
    """Whether its definition inhibits gets. Null also if an MQSET may have changed that."""
    put_inhibited: Boolean
    """Whether its definition inhibits puts. Null also if an MQSET may have changed that."""
    limit: Int
    """MaxQDepth of its definition, if as many messages were put. Null also if there were fewer."""
    ungrouped: Boolean
    """Whether a message may have been put in a group or as a segment without the log showing it."""
    max_msg_length: Long
    """MaxMsgLength of its definition, in bytes."""
    def_priority: Int
    """DefPriority of its definition."""
    def_persistence: Int
    """DefPersistence of its definition."""
    def_put_response: String
    """DefPutResponse of its definition: SYNC or ASYNC."""
    logged_us: Long
    """The time by which the queue manager's first call had taken effect. A complete log has all calls since then."""


class GatheredOfCalls(Columns):
    """The facts of a queue from all calls on it, gathered so that they can be kept.

    A null queue has the calls whose queue was not captured. Numbers of calls are those of the log itself, without
    carried ones.
    """

    qmgr: String
    """The queue manager."""
    queue: String
    """The name of the queue. Null for calls whose queue was not captured."""
    logged_us: Long
    """The time by which the first call had taken effect."""
    may_vanish: Boolean
    """Whether the queue may have been deleted, or opened under the name of another one."""
    made_us: Long
    """The time of the first MQOPEN under another name, which may have made a dynamic queue. NEVER if there was none."""
    made_until_us: Long
    """The time of the last one. -NEVER if there was none."""
    opened_as: list[String]
    """The other names under which it was opened."""
    was_set: Boolean
    """Whether an MQSET may have changed its attributes."""
    input_us: Long
    """The time since which it may have been open for input. NEVER if it was not."""
    reassembles: Boolean
    """Whether a get may have been for a whole logical message."""
    inputs: Long
    """The number of MQOPENs that opened it for input."""
    exclusive: Boolean
    """Whether an MQOPEN opened it for exclusive input."""
    deletions: Long
    """The number of MQCLOSEs that deleted it."""
    full: Long
    """The number of calls that ended with MQRC_Q_FULL."""


class GatheredOfMoves(Columns):
    """The facts of a queue from its puts and gets, gathered so that they can be kept.

    A null queue has the puts and gets whose queue was not captured. There is one more column for each `Use` of
    spark_checks.preparation.uses, named USES and its name: whether the log has such a use. Numbers of calls are those
    of the log itself, without carried ones.
    """

    qmgr: String
    """The queue manager."""
    queue: String
    """The name of the queue. Null for puts and gets whose queue was not captured."""
    moves: Long
    """The number of puts and gets."""
    first_us: Long
    """The time at which the first of them began."""
    blind: Boolean
    """Whether the MsgId of one was not captured."""
    nearly_blind: Boolean
    """The same, except for gets whose message is unknown."""
    asks_of_unknown_effect: list[String]
    """The selections of such gets that may have taken a message for good: ANY_MESSAGE if that is open."""
    restored_us: list[Long]
    """The time by which the message of each of the other such gets was surely back on the queue."""
    unmatched: Boolean
    """Whether a message was got that no put in the log explains."""
    returned_us: Long
    """The time by which the last message was returned from it. -NEVER if none was."""
    transmission: Boolean
    """Whether a message with a transmission header was seen."""
    puts: Long
    """The number of messages that were put to it."""
    expires: Boolean
    """Whether a message may have been put with a limited Expiry."""
    ungrouped: Boolean
    """Whether a message may have been put in a group or as a segment without the log showing it."""
    asks: Boolean
    """Whether a message may have been put that asks for a report."""
    splits: Boolean
    """Whether a message may have been put that the queue manager may split into segments."""
    asked: list[String]
    """The kinds of selection of the calls that found no message."""
    taken_ranks: list[Int]
    """The priorities of the messages that were taken or browsed."""
    taken_by: list[String]
    """The kinds of selection with which the first of several messages was taken or browsed."""
