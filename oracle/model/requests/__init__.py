"""A call that gets or puts, read once: its handle, queue, options and context.

The later rooms take such a request instead of reading the call again.
"""
