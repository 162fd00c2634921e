"""Units of work: how a message becomes part of one (`arrival`), and how commit and backout end it (`units`).

`skip_backout` is the one message that a backout on z/OS takes into a new unit of work (MQGMO_MARK_SKIP_BACKOUT).
"""
