"""Limits of a queue and of a unit of work: MaxQDepth (`depth`) and MaxUncommittedMsgs (`uncommitted`)."""
