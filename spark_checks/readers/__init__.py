"""Readers: they turn files of several formats into the records of the event log.

`detect` identifies an input by its content; `streams` and its neighbours read it. Records that cannot be read are
counted and kept with file, line and reason. Packet captures are one stream, merged by time (`merged_captures`) and
separated by connection (`links`). Listings of queues' contents have no calls: `listed_facts` fills group fields from
them, and turns a listing from before the log into puts that ended before it began.
"""
