"""The columns of a prepared log besides those of the event log (docs/event-log.md), with a sentence beside each.

`Log.calls` has for each call the facts of its connection (`calls.OfConnection`) and of its lock (`calls.OfLock`).
`Log.moves` has some of these columns, the effect of each put or get (`moves.OfMove`), and the facts of its message
(`messages.OfMessage`) and its queue (`queues.OfQueue`). Rules about single calls use what the handle of a call did
before (`handles.OfHandle`), and rules about groups use the whole that a message belongs to (`groups.OfGroup`,
`groups.OfLogicalMessage`).

Times are microseconds since 1970-01-01 UTC. Any column may be null: not captured, or not known.
"""
