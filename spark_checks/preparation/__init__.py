"""What every check needs: the calls of a log as rows, puts and gets matched, and what is not known about them.

The calls become one frame. Puts and gets are matched once; each gets its interval, its unit of work, the facts of its
queue, and what is not known about it. Every check is a function from that to findings and to what it could not check.
`schemas/` has the columns, with a sentence beside each.
"""
