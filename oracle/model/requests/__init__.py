"""A call that gets or puts, read once: its handle, queue, options and context.

The later subpackages take such a request instead of reading the call again.
"""
