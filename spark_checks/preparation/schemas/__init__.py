"""The columns of a prepared log beside those of the event log (docs/event-log.md), with a sentence beside each.

`Log.calls` has, of each call, what its connection tells (`calls.OfConnection`) and what became of its lock
(`calls.OfLock`). `Log.moves` has a choice of these columns, what each put or get did (`moves.OfMove`), and what is
known of its message (`messages.OfMessage`) and its queue (`queues.OfQueue`). Rules about single calls look at what the
handle of a call did before (`handles.OfHandle`), and rules about groups at the whole that a message belongs to
(`groups.OfGroup`, `groups.OfLogicalMessage`).

Times are microseconds since 1970-01-01 UTC. Any column may be null: not captured, or not known.
"""
