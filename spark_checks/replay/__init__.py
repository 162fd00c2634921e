"""The replay of calls in a certain order by the oracle, queue by queue.

The state of a queue depends on the calls on that queue and on the ends of units of work of the connections that use it.
So each queue is followed by itself, and only those calls need a certain order. Queues that were empty when the log
began are followed. Their calls are cut into pieces where a queue is surely empty and at rest, and a piece is followed
as far as its order is certain. A departure is a finding unless a check reports the same violation of the same call.
From day to day the oracle continues a queue from the time when it was last at rest (`rests`).
"""
