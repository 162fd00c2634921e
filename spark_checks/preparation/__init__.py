"""The preparation that every check needs: the calls of a log as rows, with puts and gets matched.

The calls become one frame. Puts and gets are matched once. Each gets its interval, its unit of work, the facts of its
queue, and what is unknown about it. Every check is a function from these to findings, and to the records that it could
not check. `schemas/` has the columns, with a sentence beside each.
"""
