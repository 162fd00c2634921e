"""Readers: they turn files of several formats into the records of the event log.

`detect` finds out by content what an input is; `streams` and its neighbours read it. What cannot be read is counted and
kept with file, line and reason. Packet captures are one stream, merged by time (`merged_captures`) and told apart by
connection (`links`). Listings of queues' contents are no calls: `known` fills group fields from them, and makes a
listing from before the log into puts that were over when it began.
"""
